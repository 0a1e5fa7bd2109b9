//! Image files: what is in them is known when they are opened, and pixels are read box by box.

mod detect;
mod error;
mod info;
mod jpeg;
mod meter;
mod openslide;
pub(crate) mod origin;
mod placed;
mod png;
mod resample;
pub(crate) mod resolution;
mod tiff;

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

pub use error::SourceError;
pub use info::{Details, ImageInfo, Scale};
pub use meter::{Meter, Metered};
pub use placed::Placed;
pub use resample::{Resampled, Working};

use crate::dense::cells;
use crate::{Bounds, Dense, Digest, OmeZarr, Pixels};
use origin::Origin;

/// The most bytes that one read may decode; larger boxes are read in parts.
pub const READ_LIMIT: u64 = 1 << 30;

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

    /// How the pixels are best read, by whoever wants all of them.
    fn access(&self) -> Access {
        Access::Boxes
    }

    /// A digest of the content, kept after the first call.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn digest(&self) -> Result<Digest, SourceError>;
}

/// Opens an image file, whatever its name ends with: its first bytes say what it is. A folder is one of Zarr.
///
/// # Errors
/// When the file cannot be read, or is not an image that we read.
pub fn open(path: &Path) -> Result<Arc<dyn Source>, SourceError> {
    open_metered(path, Arc::default())
}

/// Opens an image that is in memory already; errors call it by the name given.
///
/// # Errors
/// When the bytes are not an image that we read.
pub fn open_bytes(name: &str, bytes: impl Into<Arc<[u8]>>) -> Result<Arc<dyn Source>, SourceError> {
    detect::open(Origin::bytes(name, bytes.into(), Arc::default()))
}

/// Opens an image file and counts in the meter what is read from the file itself.
///
/// # Errors
/// As [`open`].
pub fn open_metered(path: &Path, meter: Arc<Meter>) -> Result<Arc<dyn Source>, SourceError> {
    if path.is_dir() {
        return Ok(Arc::new(OmeZarr::open(path, meter)?));
    }
    detect::open(Origin::file(path, meter)?)
}

/// The numbers of a box that may be read: within the scale, not empty, and not too large.
pub(crate) fn check_read(
    file: &str,
    info: &ImageInfo,
    scale: usize,
    bounds: &Bounds,
) -> Result<[usize; 4], SourceError> {
    let no_scale = || SourceError::NoScale { file: file.to_owned(), scale, scales: info.scales.len() };
    let Scale { width, height, .. } = *info.scales.get(scale).ok_or_else(no_scale)?;
    let image = info.scale_bounds(scale).filter(|image| image.contains(bounds) && !bounds.is_empty());
    let outside = || SourceError::Outside { file: file.to_owned(), width, height, bounds: Box::new(*bounds) };
    let cells = image.and_then(|_| cells(bounds)).ok_or_else(outside)?;
    let bytes = info.bytes_of(bounds);
    if bytes > READ_LIMIT {
        let bounds = Box::new(*bounds);
        return Err(SourceError::TooLarge { file: file.to_owned(), bounds, bytes, limit: READ_LIMIT });
    }
    Ok(cells)
}

/// The pixels of a box, once they are read.
pub(crate) fn dense(
    file: &str,
    size: [usize; 2],
    channels: usize,
    pixels: Pixels,
) -> Result<Dense, SourceError> {
    Dense::new(size[0], size[1], channels, pixels)
        .map_err(|error| SourceError::Region { file: file.to_owned(), error: Box::new(error) })
}
