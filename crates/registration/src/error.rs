//! Why volumes could not be registered or warped.

use std::io;
use std::path::{Path, PathBuf};

use onceflow_region::SourceError;
use onceflow_study::{Diagnostic, Size};

/// Why volumes could not be registered or warped.
#[derive(Debug, thiserror::Error)]
pub enum RegistrationError {
    /// An input is invalid: the user has to change it.
    #[error("{0}")]
    BadInput(Box<Diagnostic>),
    /// The machine lacks space, permission or a library.
    #[error("{0}")]
    Environment(Box<Diagnostic>),
    /// A file cannot be written.
    #[error("cannot write {}: {}", path.display(), onceflow_region::io_words(error))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The memory bound is too small.
    #[error("the memory bound is too small: {task} needs {}, the bound is {}", Size(*needed).rounded_up(), Size(*limit))]
    Memory {
        /// What needs it.
        task: String,
        /// The smallest bound that is enough.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// It was stopped from outside.
    #[error("stopped before the end")]
    Stopped,
    /// A bug of this program.
    #[error("{0}")]
    Internal(String),
}

impl RegistrationError {
    /// A bug of this program.
    pub(crate) fn internal(message: impl ToString) -> Self {
        Self::Internal(message.to_string())
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Self {
        let message = Diagnostic::error(format!("cannot read {}", path.display()));
        if error.kind() == io::ErrorKind::NotFound {
            let message = message.expected_found("a file", "nothing of that name");
            return message.with_hint("check the name").into();
        }
        let found = onceflow_region::io_words(error);
        Self::Environment(Box::new(message.expected_found("a file that can be read", found)))
    }
}

impl From<Diagnostic> for RegistrationError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::BadInput(Box::new(diagnostic))
    }
}

/// A volume that cannot be read: a refusal of the machine is no fault of the file.
impl From<SourceError> for RegistrationError {
    fn from(error: SourceError) -> Self {
        let cannot = |file: &str| Diagnostic::error(format!("cannot read the volume {file}"));
        match error {
            SourceError::File { file, reason, todo } | SourceError::Library { file, reason, todo } => {
                let message = cannot(&file).expected_found("a file that can be read", reason);
                Self::Environment(Box::new(message.with_hint(todo)))
            }
            SourceError::Content { file, expected, found, todo } => {
                cannot(&file).expected_found(expected, found).with_hint(todo).into()
            }
            SourceError::TooLarge { ref file, bytes, limit, .. } => {
                let found = format!("{bytes} bytes in one volume");
                cannot(file)
                    .expected_found(format!("at most {limit} bytes"), found)
                    .with_hint("halve the volume's resolution first")
                    .into()
            }
            other => Self::internal(other),
        }
    }
}
