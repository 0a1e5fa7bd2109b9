//! What can go wrong with a command or a block.

use std::io;
use std::path::{Path, PathBuf};

use onceflow_products::ProductError;
use thiserror::Error;

/// Why a command or a block could not do its work.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum MemoError {
    #[error("{}: expected a file to read, found {reason}", .path.display())]
    Unreadable { path: PathBuf, kind: io::ErrorKind, reason: String },
    #[error("{}: expected a plain file, found something that cannot be read twice; write its content to a file first", .path.display())]
    NoFile { path: PathBuf },
    #[error("{}: expected a file that can be written, found {reason}", .path.display())]
    Unwritable { path: PathBuf, kind: io::ErrorKind, reason: String },
    #[error("{}: expected a file that stays as it is while it is read, found that it was changed; try again when it is complete", .path.display())]
    Changed { path: PathBuf },
    #[error("{}: expected a file that is either read or written, found both: its content would decide its own result; write another file", .path.display())]
    ReadAndWritten { path: PathBuf },
    #[error("`{name}` stands twice: expected one value of a name")]
    Twice { name: String },
    #[error(
        "expected a command that does not call itself with the same attributes, found a recursive call of `{title}`"
    )]
    Recursive { title: String },
    #[error(
        "expected a block that does not begin itself with the same attributes, found a recursive call of `{block}`: its own result would decide it; add what differs as an attribute"
    )]
    RecursiveBlock { block: String },
    #[error(
        "block `{block}`: expected that values are recorded before it begins, found one of `{variable}` while it was computed; it is not kept, since a known block would not record it"
    )]
    RecordedInside { block: String, variable: String },
    #[error("cannot run `{program}`: {reason}")]
    CannotRun { program: String, kind: io::ErrorKind, reason: String },
    #[error("cannot follow the command: {reason}; run it without --trace")]
    CannotTrace { reason: String },
    #[error("product `{name}` of block `{block}`: expected {expected}, found {found}")]
    Product { block: String, name: String, expected: String, found: String },
    #[error(
        "block `{block}` gave other bytes than are kept for the same attributes ({name}): they do not decide its result"
    )]
    Differs { block: String, name: String },
    #[error(transparent)]
    Store(#[from] ProductError),
}

impl MemoError {
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::Unreadable { path: path.to_path_buf(), kind: error.kind(), reason: reason(error) }
    }

    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        Self::Unwritable { path: path.to_path_buf(), kind: error.kind(), reason: reason(error) }
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".into(),
        io::ErrorKind::PermissionDenied => "no permission".into(),
        io::ErrorKind::IsADirectory => "a folder".into(),
        _ => error.to_string(),
    }
}
