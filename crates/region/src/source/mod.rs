//! Image files: what is in them is known when they are opened, and pixels are read box by box.

mod error;
mod info;

use std::fmt::Debug;

pub use error::SourceError;
pub use info::{ImageInfo, Scale};

use crate::{Bounds, Dense, Digest};

/// An image of which any box can be read, by several threads at once.
pub trait Source: Debug + Send + Sync {
    /// What is known without reading pixels.
    fn info(&self) -> &ImageInfo;

    /// The pixels in a box, with the element and the channels of the file.
    ///
    /// # Errors
    /// When the box reaches outside, is larger than one read may be, or the file cannot be read.
    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError>;

    /// A digest of the content, kept after the first call.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn digest(&self) -> Result<Digest, SourceError>;
}
