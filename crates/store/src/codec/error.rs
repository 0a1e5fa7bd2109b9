//! What can be wrong with the bytes of a region.

use std::fmt::Display;
use std::io;

use onceflow_region::RegionError;
use thiserror::Error;

use crate::blob::BlobError;

/// A region that cannot be written as bytes, or bytes that are no region.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CodecError {
    /// Something other than what a region has there.
    #[error("expected {expected}, found {found}; these are not the bytes of a region")]
    Form {
        /// What belongs there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A size that there are not enough bytes for.
    #[error("expected {asked} bytes for {what}, found {left}; the bytes of a region were cut or changed")]
    Size {
        /// What it is the size of.
        what: &'static str,
        /// Bytes that it would take; `u64::MAX` for more than can be counted.
        asked: u64,
        /// Bytes that are left.
        left: u64,
    },
    /// Values that do not make a region.
    #[error(transparent)]
    Region(#[from] RegionError),
    /// An image that is not read has no bytes of its own.
    #[error("expected a region in memory, found an image that is not read; read its pixels first")]
    Unread,
    /// The stream failed.
    #[error(transparent)]
    Stream(#[from] BlobError),
}

impl CodecError {
    pub(super) fn form(expected: &'static str, found: impl Display) -> CodecError {
        CodecError::Form { expected, found: found.to_string() }
    }
}

impl From<io::Error> for CodecError {
    fn from(error: io::Error) -> CodecError {
        CodecError::Stream(BlobError::from(error))
    }
}

impl From<CodecError> for io::Error {
    fn from(error: CodecError) -> io::Error {
        match error {
            CodecError::Stream(BlobError::Disk { kind, reason, .. }) => io::Error::new(kind, reason),
            CodecError::Stream(error) => io::Error::other(error),
            other => io::Error::other(other),
        }
    }
}
