//! What can be wrong with an image file: always with its name, what was expected, what was found, and what to do.

use std::io;

use thiserror::Error;

use super::RegionError;
use crate::{Bounds, two_sizes};

/// An image file that cannot be opened or read.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SourceError {
    /// The file cannot be read at all.
    #[error("{file}: {reason}; {todo}")]
    File {
        /// The file.
        file: String,
        /// What the system says.
        reason: String,
        /// What to do.
        todo: &'static str,
    },
    /// The file is not what was expected.
    #[error("{file}: expected {expected}, found {found}; {todo}")]
    Content {
        /// The file.
        file: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
        /// What to do.
        todo: &'static str,
    },
    /// A box that is empty or reaches outside the image.
    #[error(
        "{file}: expected a box with pixels within {width} x {height}, found {bounds}; intersect it with the image first"
    )]
    Outside {
        /// The file.
        file: String,
        /// Columns of the image.
        width: u64,
        /// Rows of the image.
        height: u64,
        /// The box asked for.
        bounds: Box<Bounds>,
    },
    /// A scale that the image does not have.
    #[error("{file}: expected a scale from 0 to {}, found {scale}; image info lists them", scales.saturating_sub(1))]
    NoScale {
        /// The file.
        file: String,
        /// The scale asked for.
        scale: usize,
        /// How many there are.
        scales: usize,
    },
    /// A file that only a library reads which is not installed.
    #[error("{file}: {reason}; {todo}")]
    Library {
        /// The file.
        file: String,
        /// What is missing.
        reason: String,
        /// What to install.
        todo: &'static str,
    },
    /// More bytes than one read may hold.
    #[error(
        "{file}: expected a read of at most {}, found {bounds} of {}; read it in parts",
        two_sizes(*.limit, *.bytes).0,
        two_sizes(*.limit, *.bytes).1
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The box asked for.
        bounds: Box<Bounds>,
        /// Bytes it would take.
        bytes: u64,
        /// The most that one read may take.
        limit: u64,
    },
    /// What was read is no region.
    #[error("{file}: {error}")]
    Region {
        /// The file.
        file: String,
        /// Why.
        error: Box<RegionError>,
    },
}

impl SourceError {
    /// The error about a file whose content is not the expected one.
    pub fn content(name: &str, expected: &str, found: impl Into<String>, todo: &'static str) -> SourceError {
        let (file, expected) = (name.to_owned(), expected.to_owned());
        SourceError::Content { file, expected, found: found.into(), todo }
    }

    /// The error about a file that the system does not read.
    pub fn unreadable(name: &str, error: &io::Error) -> SourceError {
        let todo = match error.kind() {
            io::ErrorKind::NotFound => "check the name",
            io::ErrorKind::PermissionDenied => "ask for the right to read it",
            _ => "check the disk",
        };
        SourceError::File { file: name.to_owned(), reason: super::io_words(error), todo }
    }
}
