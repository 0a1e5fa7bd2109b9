//! Image files that are read: what is in them is known when they are opened, and pixels are read box by box.

mod detect;
mod jpeg;
mod openslide;
mod png;
mod tiff;

use std::path::Path;
use std::sync::Arc;

use onceflow_region::{ReadMeter, Source, SourceError};

use crate::OmeZarr;
use crate::origin::ByteOrigin;

/// Opens an image file. Its first bytes tell the format, not its name; a folder is opened as OME-Zarr.
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
    detect::open(ByteOrigin::bytes(name, bytes.into(), Arc::default()))
}

/// Opens an image file and counts in the meter what is read from the file itself.
///
/// # Errors
/// As [`open`].
pub fn open_metered(path: &Path, meter: Arc<ReadMeter>) -> Result<Arc<dyn Source>, SourceError> {
    if path.is_dir() {
        return Ok(Arc::new(OmeZarr::open(path, meter)?));
    }
    detect::open(ByteOrigin::file(path, meter)?)
}
