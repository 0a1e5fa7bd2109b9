//! What can go wrong with a store of products.

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
    /// The folder is on a file system that several machines share.
    #[error(
        "{}: expected a folder on a local disk, found {system}; the index of the store needs memory that all processes \
         share, which network file systems do not offer: name a folder on a local disk, or `none`", .path.display()
    )]
    Network {
        /// The folder.
        path: PathBuf,
        /// The kind of file system.
        system: &'static str,
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

    /// Whether the bytes of the index are not those of an index.
    pub(crate) fn is_damaged_index(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let Self::Index { source, .. } = self else { return false };
        matches!(source.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full".into(),
        io::ErrorKind::QuotaExceeded => "the quota is used up".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only".into(),
        io::ErrorKind::NotFound => "there is no such file".into(),
        _ => error.to_string(),
    }
}
