//! What is known of an image before its pixels are read.

use crate::{Bounds, Element};

/// What is known of an image before its pixels are read.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageInfo {
    /// The form of the file: `png`, `tiff`.
    pub format: String,
    /// Columns.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// Values per pixel that reading gives: 1 or 3.
    pub channels: u32,
    /// The type of the values.
    pub element: Element,
    /// Micrometres per pixel, when the file says so and it can be true.
    pub um_per_pixel: Option<f64>,
    /// The scales of the pyramid, the whole image first.
    pub scales: Vec<Scale>,
}

/// One scale of an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Columns.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// How many pixels of the whole image one of its pixels is wide.
    pub downsample: f64,
}

impl ImageInfo {
    /// The box of the whole image; none when its sides are not numbers that a box can hold.
    pub fn bounds(&self) -> Option<Bounds> {
        Bounds::plane(0, 0, self.width, self.height)
    }

    /// Bytes that a box takes once it is read.
    pub fn bytes_of(&self, bounds: &Bounds) -> u64 {
        bounds.area().saturating_mul(u64::from(self.channels)).saturating_mul(self.element.bytes())
    }
}
