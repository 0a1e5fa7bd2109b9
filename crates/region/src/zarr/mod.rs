//! Zarr v3 arrays on a disk: OME-Zarr images, and regions under their identifiers.
//!
//! The reader is our own, because images are not trusted: decoders of others make as much room as a compressed chunk
//! promises to need, and a frame of twenty bytes can promise an exabyte. Tests compare it with the crate `zarrs`.

mod array;
mod band;
mod blosc;
mod cells;
mod checksum;
mod codec;
mod encode;
mod folder;
mod form;
mod json;
mod layout;
mod layout_v2;
mod ome;
mod root;
mod scatter;
mod shard;
mod sink;
mod source;
mod store;
mod strips;
#[cfg(unix)]
mod uncleared;

pub use form::Compression;
pub use sink::OmeZarrSink;
pub use source::OmeZarr;
pub use store::ZarrStore;
