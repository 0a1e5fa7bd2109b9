//! Outputs that are put together from units; outside units they are 0.

use onceflow_region::{Dense, Element, Pixels, Region};
use onceflow_study::OpRegion;

use super::packed::paint;
use super::set::{Unit, UnitSet};
use crate::files;

/// The outputs of a part.
pub(super) struct OutputRasters {
    forms: Vec<(Element, usize)>,
    /// Bytes of each output, and bytes of one of its pixels.
    rasters: Vec<(Vec<u8>, usize)>,
    width: usize,
    height: usize,
}

impl OutputRasters {
    /// Outputs that are 0; none when one of them does not consist of pixels.
    pub(super) fn new(outputs: &[OpRegion], set: &UnitSet<'_>) -> Option<Self> {
        let forms: Vec<_> =
            outputs.iter().map(|output| files::element(output.kind)).collect::<Option<_>>()?;
        let pixels = set.width * set.height;
        let raster = |(element, channels): &(Element, usize)| {
            let size = element.bytes() as usize * channels;
            (vec![0; pixels * size], size)
        };
        let rasters = forms.iter().map(raster).collect();
        Some(Self { forms, rasters, width: set.width, height: set.height })
    }

    /// Adds a unit.
    pub(super) fn paint(&mut self, unit: &Unit, packed: &[u32]) {
        paint(packed, unit, &mut self.rasters, self.width);
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
