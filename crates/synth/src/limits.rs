//! The largest image and the largest tile.

/// The greatest width and height of an image in pixels.
pub const MAX_SIDE: u64 = 1 << 31;

/// The most pixels one tile may have.
pub const MAX_TILE_PIXELS: u64 = 1 << 28;
