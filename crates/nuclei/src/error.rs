//! Why an image could not be segmented, measured or compared.

use std::io;

use onceflow_region::SourceError;
use onceflow_study::{Diagnostic, Size};

/// Why an image could not be segmented, measured or compared.
#[derive(Debug, thiserror::Error)]
pub enum NucleiError {
    /// An input is invalid: the user has to change it.
    #[error("{0}")]
    BadInput(Box<Diagnostic>),
    /// The machine lacks space, permission or a library.
    #[error("{0}")]
    Environment(Box<Diagnostic>),
    /// The memory bound is too small for one task.
    #[error("the memory bound is too small: {task} needs {}, the bound is {}", Size(*needed).rounded_up(), Size(*limit))]
    Memory {
        /// The task.
        task: String,
        /// The smallest bound that is enough.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// A bug of this program.
    #[error("{0}")]
    Internal(String),
}

impl NucleiError {
    /// A bug of this program.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::Internal(message.into())
    }
}

/// So that it passes through functions that write files; `io::Error::downcast` gives it back.
impl From<NucleiError> for io::Error {
    fn from(error: NucleiError) -> Self {
        Self::other(error)
    }
}

impl From<Diagnostic> for NucleiError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::BadInput(Box::new(diagnostic))
    }
}

/// An image that cannot be read: a refusal of the machine is no fault of the image.
impl From<SourceError> for NucleiError {
    fn from(error: SourceError) -> Self {
        let cannot = |file: &str| Diagnostic::error(format!("cannot read the image {file}"));
        match error {
            SourceError::File { file, reason, todo } => {
                let message = cannot(&file).expected_found("a file that can be read", reason).with_hint(todo);
                Self::Environment(Box::new(message))
            }
            SourceError::Content { file, expected, found, todo } => {
                cannot(&file).expected_found(expected, found).with_hint(todo).into()
            }
            SourceError::Library { file, reason, todo } => {
                let message = cannot(&file).expected_found("a library that reads it", reason).with_hint(todo);
                Self::Environment(Box::new(message))
            }
            SourceError::Outside { ref file, .. }
            | SourceError::TooLarge { ref file, .. }
            | SourceError::NoScale { ref file, .. } => {
                Self::internal(format!("{file} was read wrongly: {error}"))
            }
            SourceError::Region { file, error } => {
                Diagnostic::error(format!("cannot read the image {file}: {error}")).into()
            }
        }
    }
}
