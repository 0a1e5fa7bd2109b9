//! What can go wrong with bytes that are kept.

use std::io;
use std::path::{Path, PathBuf};

use onceflow_region::{Digest, two_sizes};
use thiserror::Error;

/// A blob that cannot be kept or read.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BlobError {
    /// There is no such blob.
    #[error("{store}: expected blob {digest}, found none; it was never put, or it was removed")]
    Missing {
        /// The store.
        store: String,
        /// What was asked for.
        digest: Digest,
    },
    /// There is no room in memory.
    #[error("{store}: expected room for {}, found {}; remove blobs or raise the limit", two_sizes(*.bytes, *.free).0, two_sizes(*.bytes, *.free).1)]
    Full {
        /// The store.
        store: String,
        /// Bytes wanted.
        bytes: u64,
        /// Bytes free.
        free: u64,
    },
    /// Stored bytes are not those that were written. They are never served.
    #[error("{}: expected {expected}, found {found}; {}", .path.display(), where_to(.aside.as_deref()))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
        /// Where the file was moved, if it could be.
        aside: Option<PathBuf>,
    },
    /// Something else lies where a blob should be.
    #[error("{}: expected a plain file, found {found}; remove it", .path.display())]
    Foreign {
        /// Where.
        path: PathBuf,
        /// What.
        found: &'static str,
    },
    /// The folder is no store of blobs, or one of another version.
    #[error("{}: expected a folder of blobs ({expected}), found {found}; name an empty folder", .path.display())]
    Format {
        /// The file that says what the folder is.
        path: PathBuf,
        /// What it should say.
        expected: &'static str,
        /// What it says.
        found: String,
    },
    /// Content that is not what its digest says.
    #[error("expected content with digest {expected}, found {found}; it changed while it was written")]
    Content {
        /// The digest given.
        expected: Digest,
        /// The digest found.
        found: Digest,
    },
    /// A range that reaches outside.
    #[error("expected a range within the {length} bytes of blob {digest}, found {start} to {end}")]
    Range {
        /// The blob.
        digest: Digest,
        /// The first byte asked for.
        start: u64,
        /// The byte after the last.
        end: u64,
        /// The bytes there are.
        length: u64,
    },
    /// The file system refused.
    #[error("{place}: {reason}; {}", remedy(*.kind))]
    Disk {
        /// Where.
        place: String,
        /// Which way.
        kind: io::ErrorKind,
        /// What the system said.
        reason: String,
    },
    /// A thread stopped in the middle of a change.
    #[error("{store}: a thread stopped in the middle of a change; run again")]
    Broken {
        /// The store.
        store: String,
    },
}

impl BlobError {
    /// The error of a stream that was made from a blob, or of the system.
    pub(crate) fn from_stream(place: &str, error: &io::Error) -> BlobError {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<BlobError>());
        inner.cloned().unwrap_or_else(|| BlobError::Disk {
            place: place.to_owned(),
            kind: error.kind(),
            reason: error.to_string(),
        })
    }

    /// What the system said of a file; a name that is not there yet is put to an error without one.
    pub(crate) fn at(path: &Path, error: io::Error) -> BlobError {
        BlobError::from_stream(&path.display().to_string(), &error)
    }

    /// The same error with a place, where it has none.
    pub(crate) fn placed(self, path: &Path) -> BlobError {
        match self {
            BlobError::Disk { place, kind, reason } if place.is_empty() => {
                BlobError::Disk { place: path.display().to_string(), kind, reason }
            }
            other => other,
        }
    }
}

impl From<io::Error> for BlobError {
    fn from(error: io::Error) -> BlobError {
        BlobError::from_stream("", &error)
    }
}

impl From<BlobError> for io::Error {
    fn from(error: BlobError) -> io::Error {
        io::Error::other(error)
    }
}

fn where_to(aside: Option<&Path>) -> String {
    match aside {
        Some(path) => format!("it was moved to {} and is made again when it is needed", path.display()),
        None => "remove it, so that it is made again".to_owned(),
    }
}

fn remedy(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: free space or name another folder"
        }
        io::ErrorKind::PermissionDenied => "permission denied: change its owner or name another folder",
        io::ErrorKind::ReadOnlyFilesystem => "the disk is read-only: name another folder",
        _ => "see whether the disk is well, or name another folder",
    }
}
