//! Zarr v2 and v3 arrays on a disk: their metadata, chunks and shards, read box by box and written.
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
pub mod json;
mod layout;
mod layout_v2;
mod root;
mod scatter;
mod shard;
mod strips;
#[cfg(unix)]
mod uncleared;

pub use array::{PlaneAxes, ZarrArray};
pub use codec::Codecs;
pub use folder::{ArrayFile, ZarrFolder};
pub use form::{ArrayForm, Compression, SHARD};
pub use layout::ArrayLayout;
