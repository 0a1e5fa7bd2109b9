//! Why a study could not be run.

use std::io;
use std::path::{Path, PathBuf};

use onceflow_cluster::SimulationError;
use onceflow_nuclei::NucleiError;
use onceflow_region::io_words;
use onceflow_runtime::{ExecuteError, SchedulerError};
use onceflow_study::{Diagnostic, Diagnostics, Size};

/// Why a study could not be run, by what the user can do about it.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A file that a study names is not there.
    #[error("{message}")]
    Missing {
        /// The file, as the study names it.
        file: String,
        /// What is said of it alone.
        message: Box<Diagnostic>,
    },
    /// An image or a truth cannot be read.
    #[error("{0}")]
    Unreadable(Box<EngineError>),
    /// The study, or a file it names, asks for something that cannot be.
    #[error("{0}")]
    BadInput(Box<Diagnostic>),
    /// A file has errors, each with its place.
    #[error("{0}")]
    Invalid(Diagnostics),
    /// The machine does not allow it.
    #[error("{0}")]
    Environment(Box<Diagnostic>),
    /// A file cannot be written.
    #[error("cannot write {}: {}", path.display(), io_words(error))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The bound of memory is too small for one task.
    #[error("the memory bound is too small: {task} needs {}, the bound is {}", Size(*needed).rounded_up(), Size(*limit))]
    Memory {
        /// The task.
        task: String,
        /// The least bound that works for it.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// The bound of memory is too small for a box that exact seams leave uncut.
    #[error("the memory bound is too small for exact seams: they need {}, the bound is {}", Size(*needed).rounded_up(), Size(*limit))]
    ExactMemory {
        /// The least bound that works.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// The bound of a bucket's memory is too small for one instance.
    #[error(
        "the memory bound of buckets is too small: one instance needs {}, the bound is {}",
        Size(*needed).rounded_up(), Size(*limit)
    )]
    BucketMemory {
        /// The least bound that works.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// The run was stopped from outside.
    #[error("stopped before the end")]
    Stopped,
    /// Several things at once, such as images that cannot be read.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<EngineError>),
    /// Our bug.
    #[error("{0}")]
    Internal(String),
}

/// What kind of error it is: which exit code a command has, which exception a binding raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A study, a file or a setting is wrong.
    BadInput,
    /// The machine does not allow it: a missing file system permission, a full disk, a missing program.
    Environment,
    /// The memory bound is too small.
    Memory,
    /// The run was stopped from outside.
    Stopped,
    /// A bug of this program.
    Internal,
}

impl EngineError {
    /// An error in what the user wrote.
    pub fn bad_input(message: Diagnostic) -> Self {
        Self::BadInput(Box::new(message))
    }

    /// An error of the machine.
    pub fn environment(message: Diagnostic) -> Self {
        Self::Environment(Box::new(message))
    }

    /// Whether it is about one image, so that others can be run without it.
    pub(crate) fn is_of_image(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Unreadable(_))
    }

    /// Its kind. Of several errors at once, a mistake in the input weighs more than what the machine lacks.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Missing { .. } | Self::BadInput(_) | Self::Invalid(_) => ErrorKind::BadInput,
            Self::Environment(_) | Self::Write { .. } => ErrorKind::Environment,
            Self::Memory { .. } | Self::ExactMemory { .. } | Self::BucketMemory { .. } => ErrorKind::Memory,
            Self::Stopped => ErrorKind::Stopped,
            Self::Unreadable(error) => error.kind(),
            Self::Internal(_) => ErrorKind::Internal,
            Self::Several(errors) => {
                let other = errors.iter().map(Self::kind).rfind(|kind| *kind != ErrorKind::Environment);
                other.unwrap_or(ErrorKind::Environment)
            }
        }
    }

    /// What to tell the user: what was expected and found, where, and what to do.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Self::Missing { message, .. } | Self::BadInput(message) | Self::Environment(message) => {
                vec![*message]
            }
            Self::Invalid(diagnostics) => diagnostics.0,
            Self::Write { path, error } => vec![unwritable(&path, &error)],
            Self::Memory { task, needed, limit } => vec![
                too_small(format!("the memory bound is too small for the task `{task}`"), needed, limit)
                    .with_hint(format!(
                        "give --memory '{}' or more, or make the parts smaller",
                        Size(needed).rounded_up()
                    )),
            ],
            Self::ExactMemory { needed, limit } => vec![
                too_small(
                    "the memory bound is too small for exact seams, which take an image in one part".into(),
                    needed,
                    limit,
                )
                .with_hint(format!(
                    "give --memory '{}' or more, or write seams = \"owned\" under [parts], which needs less",
                    Size(needed).rounded_up()
                )),
            ],
            Self::BucketMemory { needed, limit } => vec![
                too_small("the memory bound of buckets is too small for one instance".into(), needed, limit)
                    .with_hint(format!(
                        "give --bucket-memory '{}' or more, or make the parts smaller",
                        Size(needed).rounded_up()
                    )),
            ],
            Self::Stopped => Vec::new(),
            Self::Unreadable(error) => error.into_diagnostics(),
            Self::Several(errors) => errors.into_iter().flat_map(Self::into_diagnostics).collect(),
            Self::Internal(message) => vec![internal(&message)],
        }
    }

    /// What an error is that writing a file ended with: the engine's own, or the file's.
    pub fn from_writing(path: &Path, error: io::Error) -> Self {
        let path = path.to_path_buf();
        let other = match error.downcast::<Self>() {
            Ok(own) => return own,
            Err(other) => other,
        };
        match other.downcast::<NucleiError>() {
            Ok(error) => error.into(),
            Err(error) => Self::Write { path, error },
        }
    }
}

/// Carries an engine error through a writer; [`EngineError::from_writing`] takes it out again.
impl From<EngineError> for io::Error {
    fn from(error: EngineError) -> Self {
        Self::other(error)
    }
}

fn too_small(message: String, needed: u64, limit: u64) -> Diagnostic {
    let found = Size(limit).rounded_down().to_string();
    Diagnostic::error(message).expected_found(format!("at least {}", Size(needed).rounded_up()), found)
}

/// A bug of this program, and where to report it.
pub fn internal(message: &str) -> Diagnostic {
    Diagnostic::error(format!("internal error (our bug): {message}")).with_hint(concat!(
        "report it at ",
        env!("CARGO_PKG_REPOSITORY"),
        "/issues"
    ))
}

/// Why a file cannot be written, and what to do.
pub fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    let message = Diagnostic::error(format!("cannot write {}", path.display()));
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).display();
    let (expected, found, hint) = match error.kind() {
        io::ErrorKind::NotFound => ("a folder", "nothing of that name".into(), format!("mkdir -p {folder}")),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            let hint = "choose another folder after -o, or move the file away";
            ("a folder, or a name that is free", "a file where the folder is to be".into(), hint.into())
        }
        io::ErrorKind::IsADirectory => ("a file", "a folder".into(), "name a file inside it after -o".into()),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            let hint = format!("choose another folder after -o; ls -ld {folder} shows who may write here");
            ("a folder you may write to", "permission denied".into(), hint)
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            let hint = format!("free some space (df -h {folder}), or choose another disk");
            ("space on the disk", "none left".into(), hint)
        }
        _ => ("a place to write", io_words(error), "choose another place after -o".into()),
    };
    message.expected_found(expected, found).with_hint(hint)
}

impl From<Diagnostic> for EngineError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::BadInput(Box::new(diagnostic))
    }
}

impl From<NucleiError> for EngineError {
    fn from(error: NucleiError) -> Self {
        match error {
            NucleiError::BadInput(message) => Self::BadInput(message),
            NucleiError::Environment(message) => Self::Environment(message),
            NucleiError::Memory { task, needed, limit } => Self::Memory { task, needed, limit },
            NucleiError::Internal(message) => Self::Internal(message),
        }
    }
}

impl From<ExecuteError> for EngineError {
    fn from(error: ExecuteError) -> Self {
        match error {
            ExecuteError::Scheduler(refused) => refused.into(),
            other => Self::Internal(other.to_string()),
        }
    }
}

impl From<SimulationError> for EngineError {
    fn from(error: SimulationError) -> Self {
        match error {
            SimulationError::Scheduler(refused) => refused.into(),
            other @ SimulationError::Halted { .. } => Self::Internal(other.to_string()),
        }
    }
}

impl From<SchedulerError> for EngineError {
    fn from(error: SchedulerError) -> Self {
        match error {
            SchedulerError::MemoryTooSmall { task, needed, limit } => Self::Memory { task, needed, limit },
            other => Self::Internal(other.to_string()),
        }
    }
}
