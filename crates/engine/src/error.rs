//! Why a study could not be run.

use std::io;
use std::path::{Path, PathBuf};

use onceflow_study::Diagnostic;

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
    /// The study, or a file it names, asks for something that cannot be.
    #[error("{0}")]
    BadInput(Box<Diagnostic>),
    /// The machine does not allow it.
    #[error("{0}")]
    Environment(Box<Diagnostic>),
    /// A file cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The bound of memory is too small for one task.
    #[error("the memory bound is too small: {task} needs {needed} bytes, the bound is {limit}")]
    Memory {
        /// The task.
        task: String,
        /// The least bound that works for it.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// The bound of memory is too small for a box that exact seams leave uncut.
    #[error("the memory bound is too small for exact seams: they need {needed} bytes, the bound is {limit}")]
    ExactMemory {
        /// The least bound that works.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// The bound of a bucket's memory is too small for one instance.
    #[error(
        "the memory bound of buckets is too small: one instance needs {needed} bytes, the bound is {limit}"
    )]
    BucketMemory {
        /// The least bound that works.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// Somebody asked to stop.
    #[error("stopped before the end")]
    Stopped,
    /// Several things at once, such as images that cannot be read.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<EngineError>),
    /// Our bug.
    #[error("{0}")]
    Internal(String),
}

impl EngineError {
    /// What an error is that writing a file ended with: the engine's own, or the file's.
    pub fn from_writing(path: &Path, error: io::Error) -> Self {
        let path = path.to_path_buf();
        match error.downcast::<Self>() {
            Ok(own) => own,
            Err(error) => Self::Write { path, error },
        }
    }
}

/// So that it goes through whoever writes a file meanwhile; [`EngineError::from_writing`] takes it out again.
impl From<EngineError> for io::Error {
    fn from(error: EngineError) -> Self {
        Self::other(error)
    }
}

impl From<Diagnostic> for EngineError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::BadInput(Box::new(diagnostic))
    }
}
