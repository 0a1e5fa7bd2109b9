//! What is known of an image before its pixels are read.

use crate::{Bounds, Element};

/// What is known of an image before its pixels are read.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageInfo {
    /// The form of the file: `png`, `jpeg`, `tiff`, `ome-tiff`, `svs`, `ndpi`, ...
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
    pub scales: Vec<ImageScale>,
    /// What else the file says.
    pub details: Details,
}

/// What a file says beside what is needed to read it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// Who made the scanner or the file.
    pub vendor: Option<String>,
    /// How many times the objective enlarged.
    pub objective_power: Option<f64>,
    /// Columns and rows of a tile of the whole image, when it is stored in tiles.
    pub tile: Option<[u64; 2]>,
    /// The same of each scale, the whole image first; empty when that is not known.
    pub tiles: Vec<Option<[u64; 2]>>,
    /// How the pixels are compressed.
    pub compression: Option<String>,
    /// The library that reads the file, when it is not our own code.
    pub library: Option<String>,
    /// Images that the file holds beside this one and its scales, such as further pages.
    pub other_images: u64,
}

impl Details {
    /// Columns and rows of a tile of a scale, when that is known.
    pub fn tile_of(&self, scale: usize) -> Option<[u64; 2]> {
        if scale == 0 { self.tile } else { self.tiles.get(scale).copied().flatten() }
    }
}

/// One scale of an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImageScale {
    /// Columns.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// How many pixels of the whole image one of its pixels is wide.
    pub downsample: f64,
}

impl ImageScale {
    /// The whole image as a scale of itself.
    pub fn whole(width: u64, height: u64) -> ImageScale {
        ImageScale { width, height, downsample: 1.0 }
    }
}

impl ImageInfo {
    /// The box of the whole image; `None` when its sides are not numbers that a box can hold.
    pub fn bounds(&self) -> Option<Bounds> {
        Bounds::plane(0, 0, self.width, self.height)
    }

    /// The box of one scale, in its own pixels; `None` when there is no such scale.
    pub fn scale_bounds(&self, scale: usize) -> Option<Bounds> {
        let scale = self.scales.get(scale)?;
        Bounds::plane(0, 0, scale.width, scale.height)
    }

    /// Bytes that a box takes once it is read.
    pub fn bytes_of(&self, bounds: &Bounds) -> u64 {
        bounds.area().saturating_mul(u64::from(self.channels)).saturating_mul(self.element.bytes())
    }
}
