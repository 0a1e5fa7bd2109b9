//! What can go wrong with a store of products.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A store that cannot be opened, read or written. A run never fails because of it: it computes.
#[derive(Debug, Error)]
pub enum ProductError {
    /// The folder holds something else.
    #[error("{}: expected a store of results ({expected}), found {found}; name an empty folder", .path.display())]
    Format {
        /// The file that says what the folder is.
        path: PathBuf,
        /// What it should say.
        expected: String,
        /// What it says.
        found: String,
    },
    /// The store is of a form that a newer version of Onceflow made.
    #[error(
        "{}: expected a store of form {ours} or older, found form {theirs}, which a newer version of Onceflow made; use \
         that version, or name another folder", .path.display()
    )]
    Newer {
        /// The file that says what the folder is.
        path: PathBuf,
        /// The form that this version makes.
        ours: u32,
        /// The form that was found.
        theirs: u32,
    },
    /// The store is of an older form, and processes of an older version use it.
    #[error(
        "{}: expected that no process uses a store of form {found} while it becomes form {ours}, found {users}; try again \
         when they have ended", .path.display()
    )]
    InUse {
        /// The folder.
        path: PathBuf,
        /// The form that was found.
        found: u32,
        /// The form that this version makes.
        ours: u32,
        /// How many processes use it.
        users: usize,
    },
    /// The folder is on a file system that several machines share.
    #[error(
        "{}: expected a folder on a local disk, found {system}; the index of the store needs memory that all processes \
         share, which network file systems do not offer: name a folder on a local disk, or `none`; the results themselves \
         may lie here, when --blobs names this folder and --store a local one", .path.display()
    )]
    Network {
        /// The folder.
        path: PathBuf,
        /// The kind of file system.
        system: &'static str,
    },
    /// The packs of the store are in another folder, and not as they should be.
    #[error("{}: expected {expected}, found {found}", .path.display())]
    Elsewhere {
        /// The file or folder.
        path: PathBuf,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A product is too large for a record.
    #[error("expected a product of at most {limit} bytes, found {bytes}")]
    TooLarge {
        /// Bytes of the product.
        bytes: u64,
        /// Bytes that a record may have.
        limit: u64,
    },
    /// The file system refused.
    #[error("{}: {reason}", .path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// Which way.
        kind: io::ErrorKind,
        /// What the system said.
        reason: String,
    },
    /// The index refused.
    #[error("{}: the index of the store cannot be used: {source}", .path.display())]
    Index {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// An image that the study does not name.
    #[error("expected an image that the study names, found `{name}`")]
    UnknownImage {
        /// The name of the image.
        name: String,
    },
    /// A test stopped the store here.
    #[error("stopped before {0}")]
    Stopped(&'static str),
}

impl ProductError {
    pub(crate) fn disk(path: &Path, error: &io::Error) -> Self {
        Self::Disk { path: path.to_path_buf(), kind: error.kind(), reason: reason(error) }
    }

    /// Whether there is no room left, on the disk or within a quota.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Disk { kind, .. } => {
                matches!(kind, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
            }
            Self::Index { source, .. } => source.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull),
            _ => false,
        }
    }

    /// Whether what the index says, and not the system, makes it unusable.
    pub(crate) fn is_damaged_index(&self) -> bool {
        use rusqlite::ErrorCode as Code;
        let Self::Index { path, source } = self else { return false };
        // An index that says of itself that it cannot be written, in a file that can.
        let can_be_written = || File::options().write(true).open(path).is_ok();
        if source.sqlite_error_code() == Some(Code::ReadOnly) && can_be_written() {
            return true;
        }
        let of_system = [
            Code::DatabaseBusy,
            Code::DatabaseLocked,
            Code::OutOfMemory,
            Code::ReadOnly,
            Code::PermissionDenied,
            Code::SystemIoFailure,
            Code::DiskFull,
            Code::CannotOpen,
            Code::FileLockingProtocolFailed,
            Code::OperationInterrupted,
        ];
        // An error without a code is a value that no index of ours holds.
        source.sqlite_error_code().is_none_or(|code| !of_system.contains(&code))
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full".into(),
        io::ErrorKind::QuotaExceeded => "the quota is used up".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only".into(),
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::TimedOut => "another process repairs or migrates the store".into(),
        _ => error.to_string(),
    }
}
