//! The operation of a task: built in, a program, a Python function, or a step of another system.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The operation of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskOperation {
    /// An operation of the catalogue, by its id.
    BuiltIn(String),
    /// A program.
    Command(Box<ProgramCommand>),
    /// A Python function.
    Python(Box<Python>),
    /// A step of an imported workflow: it can be read and shown, not run.
    Foreign(Box<Foreign>),
}

/// A program with its arguments; `{name}` in an argument stands for a parameter's value or a region's file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramCommand {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Files it needs, relative to the descriptor.
    pub files: Vec<String>,
    /// Container image it runs in.
    pub container: Option<String>,
    /// Whether it starts once per worker and is given tasks line by line.
    pub serve: bool,
    /// Its declarations.
    pub declared: OperationDeclaration,
}

/// A Python function: arguments before the star are regions, those after it the parameters it reads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Python {
    /// The file, relative to the descriptor.
    pub file: String,
    /// The function in it.
    pub function: String,
    /// Further files it needs, relative to the descriptor.
    pub files: Vec<String>,
    /// Whether the descriptor says what it takes; otherwise the function's arguments do.
    pub takes_known: bool,
    /// Whether the descriptor says what it reads; otherwise the function's arguments do.
    pub reads_known: bool,
    /// What it says of itself.
    pub declared: OperationDeclaration,
    /// What its file says, once that was read.
    pub described: Option<Arc<PythonFunction>>,
}

/// What the file of a Python function says of it; nothing of the file was run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PythonFunction {
    /// A digest of its source, of all it uses, and of the versions of packages.
    pub key: String,
    /// What is digested, by name: a digest of its source or value, or the version of a package.
    pub uses: BTreeMap<String, String>,
    /// Its source with all it uses, as a worker takes it.
    pub bundle: String,
    /// Whether it asks where it is, or for random numbers.
    pub asks_here: bool,
    /// The program that runs it.
    pub interpreter: String,
}

/// The declarations of an external operation; built-in ones are described in the catalogue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperationDeclaration {
    /// How far around a part it must see.
    pub halo: Halo,
    /// The input whose objects it treats one by one.
    pub per_object: Option<String>,
    /// The side of the tiles, in pixels, that it treats one by one, each with the halo around it.
    pub per_tile: Option<u32>,
    /// The most memory it takes, in bytes.
    pub memory: Option<u64>,
    /// The most time one task takes.
    pub time: Option<Duration>,
    /// Where it computes.
    pub device: DeviceKind,
    /// Whether the same inputs give the same bytes.
    pub repeats: Repeats,
}

/// How far around a part an operation must see to give the same result as on the whole image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Halo {
    /// Nothing around it.
    #[default]
    None,
    /// That many pixels.
    Pixels(u32),
    /// It follows connected pixels as far as they go, and sees that many pixels around them: no fixed distance is always
    /// enough, but one that is larger than the objects is.
    Objects(u32),
    /// No fixed distance is enough: every pixel of the image may count.
    Whole,
}

/// Whether the same inputs give the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// Same bytes each time: reuse freely.
    #[default]
    Exact,
    /// The last bits may differ: the first result stands for all, and the report says so.
    Close,
    /// Random by intent: never merged.
    Never,
}

/// Where an operation computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceKind {
    /// On processor cores.
    #[default]
    Cpu,
    /// On an accelerator.
    Gpu,
}

/// A step of an imported workflow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Foreign {
    /// What the other system calls its kind: an activity's class, a function.
    pub kind: String,
    /// The most telling part of its configuration: a command, a constant, a function.
    pub detail: Option<String>,
    /// Its input ports, in their order, also those that nothing is linked to.
    pub inputs: Vec<ForeignPort>,
    /// Its output ports, in their order.
    pub outputs: Vec<ForeignPort>,
    /// How it runs over lists: one strategy, or a stack of them.
    pub iteration: Vec<Iteration>,
}

/// A port of a step of an imported workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignPort {
    /// The other system's name for it.
    pub name: String,
    /// Depth of the list it holds; 0 is a single value.
    pub depth: u32,
    /// The region linked to it.
    pub region: Option<String>,
}

/// How a step runs over the elements of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Iteration {
    /// One input, taken at a depth.
    Port {
        /// Its name.
        name: String,
        /// Depth of what one run sees.
        depth: u32,
    },
    /// Every combination.
    Cross(Vec<Iteration>),
    /// Element by element, side by side.
    Dot(Vec<Iteration>),
}

impl TaskOperation {
    /// The id of a built-in operation.
    pub fn built_in(&self) -> Option<&str> {
        match self {
            Self::BuiltIn(id) => Some(id),
            _ => None,
        }
    }

    /// The declarations of an external operation.
    pub fn declared(&self) -> Option<&OperationDeclaration> {
        match self {
            Self::Command(command) => Some(&command.declared),
            Self::Python(python) => Some(&python.declared),
            Self::BuiltIn(_) | Self::Foreign(_) => None,
        }
    }
}

impl ProgramCommand {
    /// Whether its container is a file; otherwise it is the name of an image.
    pub fn container_is_file(&self) -> bool {
        self.container.as_deref().is_some_and(super::check::is_container_file)
    }
}

impl Repeats {
    /// All of them with the words used in files.
    pub const WORDS: [(&'static str, Self); 3] =
        [("exact", Self::Exact), ("close", Self::Close), ("never", Self::Never)];
}

impl DeviceKind {
    /// All of them with the words used in files.
    pub const WORDS: [(&'static str, Self); 2] = [("cpu", Self::Cpu), ("gpu", Self::Gpu)];
}

/// The shortest telling form: `nuclei.grow`, `python flood.py …`, `steps.py:flood`, `BeanshellActivity`.
impl fmt::Display for TaskOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(id) => f.write_str(id),
            Self::Command(command) => f.write_str(&command.command.join(" ")),
            Self::Python(python) => write!(f, "{}:{}", python.file, python.function),
            Self::Foreign(foreign) => f.write_str(foreign.kind.rsplit('.').next().unwrap_or_default()),
        }
    }
}

/// `cross(dot(a, b), c)`.
impl fmt::Display for Iteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, inner) = match self {
            Self::Port { name, .. } => return f.write_str(name),
            Self::Cross(inner) => ("cross", inner),
            Self::Dot(inner) => ("dot", inner),
        };
        let inner: Vec<_> = inner.iter().map(ToString::to_string).collect();
        write!(f, "{word}({})", inner.join(", "))
    }
}
