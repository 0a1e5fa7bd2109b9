//! What can be wrong when an image is written with its scales.

use std::io;

use onceflow_region::{RegionError, SourceError, two_sizes};
use thiserror::Error;

/// A result that cannot be written.
#[derive(Debug, Error)]
pub enum SinkError {
    /// The system refuses: no space, no permission.
    #[error("{file}: {error}")]
    Write {
        /// The file or folder.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// A form of file that has no such image.
    #[error("{file}: expected {expected}, found {found}; {todo}")]
    Form {
        /// The file or folder.
        file: String,
        /// What the form has.
        expected: String,
        /// What was given.
        found: String,
        /// What to do.
        todo: &'static str,
    },
}

/// An image that cannot be written with its scales.
#[derive(Debug, Error)]
pub enum PyramidError {
    /// What is asked for is not in the image.
    #[error("expected {expected}, found {found}; {todo}")]
    Refused {
        /// What can be asked for.
        expected: String,
        /// What was.
        found: String,
        /// What to do.
        todo: &'static str,
    },
    /// The image cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The result cannot be written.
    #[error(transparent)]
    Sink(#[from] SinkError),
    /// The result is whole, but cannot get its name.
    #[error(transparent)]
    Publish(#[from] io::Error),
    /// Pixels that are no region.
    #[error(transparent)]
    Region(#[from] RegionError),
    /// The bound of memory is too small for one block.
    #[error("expected at least {} of memory, found {}; raise the bound", two_sizes(*.needed, *.limit).0, two_sizes(*.needed, *.limit).1)]
    Memory {
        /// Bytes that one thread takes.
        needed: u64,
        /// The bound.
        limit: u64,
    },
    /// The work was stopped; nothing was written.
    #[error("stopped before the end")]
    Stopped,
}
