//! Outputs that are put together from units; where no unit is they are 0.

use onceflow_region::{Dense, Element, Pixels, Region};
use onceflow_study::OpRegion;

use super::super::form;
use super::cut::{Cut, Unit};
use super::product::paint;

/// Outputs of a part.
pub(super) struct Canvas {
    forms: Vec<(Element, usize)>,
    /// Bytes, and how many of them are a pixel.
    rasters: Vec<(Vec<u8>, usize)>,
    width: usize,
    height: usize,
}

impl Canvas {
    /// Empty outputs; none when one of them is not made of pixels.
    pub(super) fn new(outputs: &[OpRegion], cut: &Cut<'_>) -> Option<Self> {
        let forms: Vec<_> = outputs.iter().map(|output| form::element(output.kind)).collect::<Option<_>>()?;
        let pixels = cut.width * cut.height;
        let raster = |(element, channels): &(Element, usize)| {
            let size = element.bytes() as usize * channels;
            (vec![0; pixels * size], size)
        };
        let rasters = forms.iter().map(raster).collect();
        Some(Self { forms, rasters, width: cut.width, height: cut.height })
    }

    /// Adds a unit.
    pub(super) fn paint(&mut self, unit: &Unit, product: &[u32]) {
        paint(product, unit, &mut self.rasters, self.width);
    }

    /// The outputs.
    pub(super) fn regions(self) -> Result<Vec<Region>, String> {
        let (width, height) = (self.width, self.height);
        let region = |((bytes, size), (element, channels)): ((Vec<u8>, usize), (Element, usize))| {
            let mut pixels = Pixels::zeros(element, bytes.len() / size * channels);
            pixels.as_bytes_mut().copy_from_slice(&bytes);
            Dense::new(width, height, channels, pixels).map(Region::Dense).map_err(|error| error.to_string())
        };
        self.rasters.into_iter().zip(self.forms).map(region).collect()
    }
}
