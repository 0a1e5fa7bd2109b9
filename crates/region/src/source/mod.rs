//! Images and volumes that are known but not read: the traits through which their boxes are read, and what is known before.
//!
//! Files are opened by the crate `onceflow-imageio`.

mod info;
mod meter;
mod volume;

use std::fmt::Debug;

pub use info::{Details, ImageInfo, ImageScale};
pub use meter::{MeteredSource, ReadMeter};
pub use volume::{ReadVolume, VolumeInfo};

use crate::{Bounds, Dense, Digest, Pixels, READ_LIMIT, RegionError, SourceError};

/// How the pixels of an image are best read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Any box for about what its pixels cost.
    Boxes,
    /// Whole rows from the top: a box costs about as much as all rows that it touches, or even those above.
    Rows,
    /// All at once: every read decodes the whole image.
    Whole,
}

/// An image of which any box can be read, by several threads at once.
pub trait Source: Debug + Send + Sync {
    /// What is known without reading pixels.
    fn info(&self) -> &ImageInfo;

    /// The pixels in a box, with the element and the channels of the file.
    ///
    /// # Errors
    /// When the box is empty or reaches outside, is larger than one read may be, or the file cannot be read.
    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError>;

    /// The pixels in a box of one scale, in that scale's own pixels; scale 0 is the whole image.
    ///
    /// # Errors
    /// As [`Source::read`], and when there is no such scale.
    fn read_scale(&self, scale: usize, bounds: Bounds) -> Result<Dense, SourceError> {
        match scale {
            0 => self.read(bounds),
            _ => Err(SourceError::NoScale {
                file: self.info().format.clone(),
                scale,
                scales: self.info().scales.len(),
            }),
        }
    }

    /// How all pixels of the image are best read.
    fn access(&self) -> Access {
        Access::Boxes
    }

    /// Whether the first read of any box checks all bytes of the file, by their checksums.
    fn reads_check_file(&self) -> bool {
        false
    }

    /// A digest of the content, kept after the first call.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn digest(&self) -> Result<Digest, SourceError>;
}

/// The numbers of a box that may be read: within the scale, not empty, and not too large.
///
/// # Errors
/// When there is no such scale, or the box is empty, reaches outside or is larger than one read may be.
pub fn check_read(
    file: &str,
    info: &ImageInfo,
    scale: usize,
    bounds: &Bounds,
) -> Result<[usize; 4], SourceError> {
    let no_scale = || SourceError::NoScale { file: file.to_owned(), scale, scales: info.scales.len() };
    let ImageScale { width, height, .. } = *info.scales.get(scale).ok_or_else(no_scale)?;
    let image = info.scale_bounds(scale).filter(|image| image.contains(bounds) && !bounds.is_empty());
    let outside = || SourceError::Outside { file: file.to_owned(), width, height, bounds: Box::new(*bounds) };
    let indices = image.and_then(|_| bounds.indices()).ok_or_else(outside)?;
    let bytes = info.bytes_of(bounds);
    if bytes > READ_LIMIT {
        let bounds = Box::new(*bounds);
        return Err(SourceError::TooLarge { file: file.to_owned(), bounds, bytes, limit: READ_LIMIT });
    }
    Ok(indices)
}

/// The pixels of a box, once they are read; an error names the file.
///
/// # Errors
/// As [`Dense::new`].
pub fn dense(file: &str, size: [usize; 2], channels: usize, pixels: Pixels) -> Result<Dense, SourceError> {
    Dense::new(size[0], size[1], channels, pixels)
        .map_err(|error: RegionError| SourceError::Region { file: file.to_owned(), error: Box::new(error) })
}
