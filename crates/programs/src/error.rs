//! Why programs of a study cannot be run.

use std::io;
use std::path::{Path, PathBuf};

use onceflow_study::Diagnostic;

/// Why programs of a study cannot be run, by what the user can do about it.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// A descriptor declares something that cannot be used, such as a file that does not exist.
    #[error("{0}")]
    BadInput(Box<Diagnostic>),
    /// The machine lacks a program, or does not allow it.
    #[error("{0}")]
    Environment(Box<Diagnostic>),
    /// A file or folder cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file or folder cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl ProgramError {
    /// An error of reading a file or folder.
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |error| Self::Read { path: path.into(), error }
    }

    /// An error of writing a file or folder.
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |error| Self::Write { path: path.into(), error }
    }
}
