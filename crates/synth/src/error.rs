//! What can be wrong with a request.

use crate::tissue::{MAX_SIDE, MAX_TILE_PIXELS};

/// Why an image cannot be described or a tile cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SynthError {
    /// A side of the image is out of range.
    #[error("expected an image {axis} of 1 to {MAX_SIDE} pixels, found {found}; choose another {axis}")]
    Side {
        /// `width` or `height`.
        axis: &'static str,
        /// What was asked for.
        found: u64,
    },
    /// The image is so large that nuclei could outnumber 32-bit labels.
    #[error(
        "expected an image whose nuclei can be numbered in 32 bits, found {width}x{height} pixels; choose a smaller image, of up to about 1500000x1500000"
    )]
    Labels {
        /// Width asked for.
        width: u64,
        /// Height asked for.
        height: u64,
    },
    /// The tile is empty or not inside the image.
    #[error(
        "expected a tile inside the image of {image_width}x{image_height} pixels, found {width}x{height} pixels at ({x}, {y}); ask for at least one pixel and none outside"
    )]
    Outside {
        /// Left side of the tile.
        x: u64,
        /// Upper side of the tile.
        y: u64,
        /// Width of the tile.
        width: usize,
        /// Height of the tile.
        height: usize,
        /// Width of the image.
        image_width: u64,
        /// Height of the image.
        image_height: u64,
    },
    /// The tile has too many pixels for one piece of memory.
    #[error(
        "expected a tile of at most {MAX_TILE_PIXELS} pixels, found {width}x{height}; render it as several tiles"
    )]
    Tile {
        /// Width of the tile.
        width: usize,
        /// Height of the tile.
        height: usize,
    },
}
