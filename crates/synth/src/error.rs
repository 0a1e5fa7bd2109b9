//! Errors of requests, and the limits that they keep to.

/// The greatest width and height of an image in pixels.
pub const MAX_SIDE: u64 = 1 << 31;

/// The most pixels one tile may have.
pub const MAX_TILE_PIXELS: u64 = 1 << 28;

/// Why an image cannot be described or a tile cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SynthError {
    /// The name of a synthetic image has no size, or a seed or slide that is no number.
    #[error("expected synth:WIDTHxHEIGHT?seed=NUMBER[&slide=NUMBER] as the name of tissue, found `{found}`")]
    Name {
        /// The name.
        found: String,
    },
    /// A side of the image is out of range.
    #[error("expected an image {axis} of 1 to {MAX_SIDE} pixels, found {found}; choose another {axis}")]
    Side {
        /// `width` or `height`.
        axis: &'static str,
        /// The requested size.
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
    /// The truth has more nuclei than labels of 16 bits.
    #[error(
        "expected at most 65535 nuclei, found more above row {above} of {height}; make the image smaller"
    )]
    TooManyNuclei {
        /// The rows painted so far.
        above: u64,
        /// Height of the image.
        height: u64,
    },
    /// A picture cannot be made of the pixels: a bug, or a side beyond the machine's addresses.
    #[error("{0}")]
    Picture(String),
}
