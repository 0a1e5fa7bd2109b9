//! Images with their scales: an image is read once, box by box, halved again and again, and handed to a sink tile by tile.
//!
//! A [`Pyramid`] says what is written, a [`ScaleSink`] is where: one file format each.

mod error;
mod feed;
mod grid;
mod growing;
mod halve;
mod order;
mod plan;
mod sink;
#[cfg(test)]
pub(crate) mod tests;
mod write;

pub use error::{PyramidError, SinkError};
pub use plan::{Halving, Pyramid, PyramidOptions};
pub use sink::{ScaleSink, TileEncoder};
pub use write::{PyramidWork, PyramidWritten, write_pyramid};
