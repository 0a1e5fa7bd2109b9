//! Dark tissue with everything smaller than a disk levelled (t2), and candidates that are darker (t3, t4).

use super::super::candidates::difference;
use super::super::reconstructed::darkness;
use super::{Layer, Planes, TiledSegmenter};
use crate::seams::{Areas, Holes, MergedAreas, Reconstruction};
use crate::{Connectivity, GreyScratch, StructuringElement, above, open};

/// Halo of the opening by a disk: nine pixels for the erosion, nine for the dilation.
const DISK_HALO: usize = 18;

impl<S: Planes> TiledSegmenter<'_, S> {
    /// Writes the levelled darkness to the layer of differences, and the darkness to the next one.
    pub(super) fn level(&mut self) -> Result<(), S::Error> {
        self.each_tile("t2", |work, tile| {
            let around = work.grid.around(tile, DISK_HALO);
            let dark = darkness(work.planes.colours(around)?.view());
            work.write_own(Layer::Next, tile, DISK_HALO, &dark)?;
            work.write_own(Layer::Difference, tile, DISK_HALO, &open(dark.view(), StructuringElement::Disk19))
        })?;
        self.reconstruct()
    }

    fn reconstruct(&mut self) -> Result<(), S::Error> {
        let mut waiting = Reconstruction::new(self.grid, self.parameters.recon_connectivity);
        let mut scratch = GreyScratch::default();
        while let Some(tile) = waiting.next_tile() {
            self.planes.begin("t2", tile);
            let around = self.grid.around(tile, 1);
            let mask = self.planes.read(Layer::Next, around)?;
            let mut image = self.planes.read(Layer::Difference, around)?;
            waiting.settle(tile, mask.view(), image.view_mut(), &mut scratch);
            self.write_own(Layer::Difference, tile, 1, &image)?;
        }
        Ok(())
    }

    /// Writes the difference, and a mask of the pixels much darker than their surroundings; returns the areas of its
    /// components.
    pub(super) fn candidates(&mut self) -> Result<MergedAreas, S::Error> {
        let g1 = self.parameters.g1;
        let mut holes = Holes::new(self.grid, self.parameters.fill_holes_connectivity);
        self.each_tile("t3", |work, tile| {
            let (dark, around) = (work.read(Layer::Next, tile)?, work.read(Layer::Difference, tile)?);
            let (difference, darker) = difference(dark.view(), around.view(), g1);
            holes.visit(darker.view());
            work.allow(holes.bytes())?;
            work.write(Layer::Difference, tile, &difference)
        })?;
        let holes = holes.merged();
        self.held = holes.bytes();
        let mut areas = Areas::new(self.grid, Connectivity::Eight);
        self.each_tile("t3", |work, tile| {
            let difference = work.read(Layer::Difference, tile)?;
            let filled = holes.fill(tile, above(difference.view(), g1).view());
            areas.visit(filled.view());
            work.allow(areas.bytes())?;
            work.write(Layer::Mask, tile, &filled)
        })?;
        self.held = 0;
        Ok(areas.merged())
    }
}
