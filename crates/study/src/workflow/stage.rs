//! Stages and tasks, and how a task is bound to parameters and regions.

use std::collections::{BTreeMap, HashSet};

use super::{Iteration, SourceLocation, TaskOperation};
use crate::{SourceSpan, Value};

/// Tasks that belong together, with the regions that go in and come out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// Its name, unique among the steps around it.
    pub name: String,
    /// How much of the images one instance covers.
    pub scope: Scope,
    /// Regions its tasks take from outside.
    pub inputs: Vec<String>,
    /// Regions its tasks make for others.
    pub outputs: Vec<String>,
    /// What stands for an output when a task ended the stage early.
    pub ended: BTreeMap<String, EndedAs>,
    /// Steps around it that must be finished before it starts, beyond those whose regions it takes.
    pub after: Vec<String>,
    /// How a nested stage of an imported workflow runs over lists.
    pub iteration: Vec<Iteration>,
    /// Its tasks and nested stages.
    pub steps: Vec<StageStep>,
    /// Where it stands.
    pub place: Option<SourceLocation>,
    /// Where the names in it stand.
    pub marks: Marks,
}

/// What a stage consists of.
#[derive(Clone, Debug, PartialEq)]
pub enum StageStep {
    /// One operation.
    Task(Task),
    /// A stage inside a stage.
    Stage(Stage),
}

/// How much of the images one instance of a stage covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// One part of an image.
    #[default]
    Part,
    /// A whole image; results of its parts fan in.
    Image,
    /// All images; results fan in.
    Study,
}

/// What stands for a region when its stage was ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedAs {
    /// A region of the declared kind with nothing in it.
    Empty,
}

/// One operation with what it takes, reads and makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its name, unique among the steps of its stage.
    pub name: String,
    /// What it does.
    pub op: TaskOperation,
    /// Regions it takes, in the order of the operation's inputs.
    pub inputs: Vec<String>,
    /// Parameters it reads, under the operation's names.
    pub reads: Vec<Binding>,
    /// Regions it makes, in the order of the operation's outputs.
    pub outputs: Vec<String>,
    /// Regions it hands on untouched to later tasks of a chain: they stay alive until it is done.
    pub forwards: Vec<String>,
    /// Statuses that end the stage for its part.
    pub ends: Vec<String>,
    /// Steps of the same stage that must be finished first, beyond those whose regions it takes.
    pub after: Vec<String>,
    /// Where it stands.
    pub place: Option<SourceLocation>,
    /// Where the names in it stand.
    pub marks: Marks,
}

/// A parameter of an operation and where its value comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The operation's name for it.
    pub operation_parameter: String,
    /// Where the value comes from.
    pub bound: BoundValue,
}

/// Where the value of an operation's parameter comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum BoundValue {
    /// A parameter of the workflow.
    Parameter(String),
    /// Always the same value.
    Constant(Value),
}

/// The role of a name in a task or stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameRole {
    /// A region it takes.
    Input,
    /// A region it makes.
    Output,
    /// An operation's parameter.
    Reads,
    /// A status.
    Ends,
    /// A step that comes first.
    After,
    /// A region it hands on.
    Forwards,
    /// A region with a stand-in.
    Ended,
    /// The operation; the name is empty.
    Operation,
    /// An argument or key of an external operation.
    Declares,
    /// A file or container of an external operation.
    File,
}

/// Where the names in a task or stage stand, so that messages can point at them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks(BTreeMap<(NameRole, String), SourceSpan>);

impl Stage {
    /// A part-scope stage with nothing in it.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Every task, those of nested stages included, in the order of the descriptor.
    pub fn tasks(&self) -> Box<dyn Iterator<Item = &Task> + '_> {
        Box::new(self.steps.iter().flat_map(StageStep::tasks))
    }

    /// Regions that its tasks take and none of them makes, in the order of their first use.
    pub(crate) fn taken_from_outside(&self) -> Vec<String> {
        let mut known: HashSet<&str> = self.tasks().flat_map(|t| &t.outputs).map(String::as_str).collect();
        let taken = self.tasks().flat_map(|t| &t.inputs);
        taken.filter(|region| known.insert(region.as_str())).cloned().collect()
    }

    /// Where a name in it stands, or the stage itself.
    pub fn place_of(&self, role: NameRole, name: &str) -> Option<SourceLocation> {
        self.marks.place(self.place.as_ref(), role, name)
    }
}

impl StageStep {
    /// The name of the task or stage.
    pub fn name(&self) -> &str {
        match self {
            Self::Task(task) => &task.name,
            Self::Stage(stage) => &stage.name,
        }
    }

    /// Where it stands.
    pub fn place(&self) -> Option<&SourceLocation> {
        match self {
            Self::Task(task) => task.place.as_ref(),
            Self::Stage(stage) => stage.place.as_ref(),
        }
    }

    /// The steps that must be finished first.
    pub fn after(&self) -> &[String] {
        match self {
            Self::Task(task) => &task.after,
            Self::Stage(stage) => &stage.after,
        }
    }

    /// The task, or the tasks of the stage.
    pub fn tasks(&self) -> Box<dyn Iterator<Item = &Task> + '_> {
        match self {
            Self::Task(task) => Box::new(std::iter::once(task)),
            Self::Stage(stage) => stage.tasks(),
        }
    }
}

impl Task {
    /// A task that takes, reads and makes nothing yet.
    pub fn new(name: impl Into<String>, op: TaskOperation) -> Self {
        Self {
            name: name.into(),
            op,
            inputs: Vec::new(),
            reads: Vec::new(),
            outputs: Vec::new(),
            forwards: Vec::new(),
            ends: Vec::new(),
            after: Vec::new(),
            place: None,
            marks: Marks::default(),
        }
    }

    /// Whether one of its operation's parameters is bound to a parameter of the workflow.
    pub fn reads_parameter(&self, name: &str) -> bool {
        self.parameters_read().any(|parameter| parameter == name)
    }

    /// The workflow's parameters it reads.
    pub fn parameters_read(&self) -> impl Iterator<Item = &str> {
        self.reads.iter().filter_map(|binding| match &binding.bound {
            BoundValue::Parameter(name) => Some(name.as_str()),
            BoundValue::Constant(_) => None,
        })
    }

    /// Where a name in it stands, or the task itself.
    pub fn place_of(&self, role: NameRole, name: &str) -> Option<SourceLocation> {
        self.marks.place(self.place.as_ref(), role, name)
    }
}

impl Binding {
    /// A parameter of the workflow under the same name.
    pub fn same(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { operation_parameter: name.clone(), bound: BoundValue::Parameter(name) }
    }
}

impl Scope {
    /// All scopes, from narrow to wide.
    pub const ALL: [Self; 3] = [Self::Part, Self::Image, Self::Study];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Part => "part",
            Self::Image => "image",
            Self::Study => "study",
        }
    }
}

impl Marks {
    /// Remembers where a name stands.
    pub fn set(&mut self, role: NameRole, name: impl Into<String>, span: SourceSpan) {
        self.0.insert((role, name.into()), span);
    }

    /// Where a name stands.
    pub fn get(&self, role: NameRole, name: &str) -> Option<SourceSpan> {
        self.0.get(&(role, name.to_owned())).copied()
    }

    fn place(&self, around: Option<&SourceLocation>, role: NameRole, name: &str) -> Option<SourceLocation> {
        let around = around?;
        let span = self.get(role, name).unwrap_or(around.span);
        Some(SourceLocation { source: around.source.clone(), span })
    }
}
