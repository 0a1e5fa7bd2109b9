//! Images with their scales: an image is read once, box by box, halved again and again, and handed to a sink tile by tile.
//!
//! A [`Pyramid`] says what is written, a [`ScaleSink`] is where: one file format each.

mod error;
mod plan;
mod sink;

pub use error::{PyramidError, SinkError};
pub use plan::{Halving, Pyramid, Wish};
pub use sink::{ScaleSink, TileEncoder};
