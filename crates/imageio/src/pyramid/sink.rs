//! Where the scales of an image are written.

use std::sync::Arc;

use onceflow_region::{Bounds, Dense};

use super::SinkError;

/// Where the scales of an image are written, tile by tile. What is not finished is never seen under its name: a sink
/// writes to what [`publish`](onceflow_store::publish) gives it, or does the same itself.
///
/// Tiles are encoded by many threads and put by one, always in the same order, so that the result has the same bytes
/// for any number of threads. Every tile of every scale is put exactly once, those of a smaller scale when the last
/// pixel they are made of was there.
pub trait ScaleSink: Send {
    /// Columns and rows of a tile, the same at all scales: boxes lie on this grid, cut at the image's end.
    ///
    /// Both are even, unless one tile is as wide or as high as the image.
    fn tile(&self) -> [u64; 2];

    /// What turns pixels into the bytes that [`ScaleSink::put`] takes.
    fn encoder(&self) -> Arc<dyn TileEncoder>;

    /// Takes the bytes of one tile; a box is in pixels of its scale.
    ///
    /// # Errors
    /// When they cannot be written.
    fn put(&mut self, scale: usize, bounds: Bounds, encoded: Vec<u8>) -> Result<(), SinkError>;

    /// Writes what is still missing.
    ///
    /// # Errors
    /// When it cannot be written, or tiles are missing.
    fn finish(self: Box<Self>) -> Result<(), SinkError>;
}

/// Turns the pixels of a tile into bytes, in any thread.
pub trait TileEncoder: Send + Sync {
    /// The bytes of a tile. Its pixels are as many as the box has: what a format wants beyond the image's end it adds.
    ///
    /// # Errors
    /// When the format has no such pixels.
    fn encode(&self, scale: usize, bounds: Bounds, pixels: &Dense) -> Result<Vec<u8>, SinkError>;
}
