//! OME-Zarr images: arrays of all scales in one folder, read box by box and written tile by tile.

mod ome;
mod sink;
mod source;

pub use sink::OmeZarrSink;
pub use source::OmeZarr;
