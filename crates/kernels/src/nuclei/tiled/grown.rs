//! Candidates grow (t5), and the large ones become clumps (t6, first half).

use super::super::red_blood_cells::{redder_than_green, remove_bluish};
use super::{Layer, Planes, TiledSegmenter};
use crate::seams::{Areas, Holes, MergedAreas, MergedSelection, Selection};
use crate::{Connectivity, Cpu, StructuringElement, above, dilate, open, remove};

impl<S: Planes> TiledSegmenter<'_, S> {
    /// Writes the regions with a candidate, without red blood cells, holes filled, to the next layer.
    pub(super) fn grow(&mut self, candidates: MergedAreas) -> Result<(), S::Error> {
        let (regions, cells) = (self.regions(candidates)?, self.red_blood_cells()?);
        self.held += cells.bytes();
        let (g2, t1, t2) = (self.parameters.g2, self.parameters.t1, self.parameters.t2);
        let mut holes = Holes::new(self.grid, Connectivity::Four);
        self.each_tile("t5", |work, tile| {
            let difference = work.read(Layer::Difference, tile)?;
            let mut grown = regions.select(tile, above(difference.view(), g2).view());
            let colours = work.planes.colours(work.grid.window(tile))?;
            let (_, perhaps, _) = redder_than_green(colours.view(), t1, t2);
            let mut cells = cells.select(tile, perhaps.view());
            remove_bluish(&mut cells, colours.view());
            remove(Cpu::default(), grown.view_mut(), cells.view());
            holes.visit(grown.view());
            work.allow(holes.bytes())?;
            work.write(Layer::Mask, tile, &grown)
        })?;
        drop((regions, cells));
        self.held = 0;
        self.fill("t5", holes)
    }

    /// Which regions hold a candidate of the right size.
    fn regions(&mut self, candidates: MergedAreas) -> Result<MergedSelection, S::Error> {
        let (smallest, end) = (self.parameters.min_size, Some(self.parameters.max_size));
        let g2 = self.parameters.g2;
        self.held = candidates.bytes();
        let mut regions = Selection::new(self.grid, Connectivity::Eight);
        self.each_tile("t5", |work, tile| {
            let seeds = candidates.filter(tile, work.read(Layer::Mask, tile)?.view(), smallest, end);
            let difference = work.read(Layer::Difference, tile)?;
            regions.visit(above(difference.view(), g2).view(), seeds.view());
            work.allow(regions.bytes())
        })?;
        let regions = regions.merged();
        self.held = regions.bytes();
        Ok(regions)
    }

    /// The red regions that contain a seed of blood (t1).
    fn red_blood_cells(&mut self) -> Result<MergedSelection, S::Error> {
        let (t1, t2) = (self.parameters.t1, self.parameters.t2);
        let mut cells = Selection::new(self.grid, Connectivity::Eight);
        self.each_tile("t1", |work, tile| {
            let colours = work.planes.colours(work.grid.window(tile))?;
            let (surely, perhaps, _) = redder_than_green(colours.view(), t1, t2);
            cells.visit(perhaps.view(), surely.view());
            work.allow(cells.bytes())
        })?;
        Ok(cells.merged())
    }

    /// Opens the next layer, keeps large objects and dilates them: the mask of clumps.
    pub(super) fn clumps(&mut self) -> Result<(), S::Error> {
        let mut areas = Areas::new(self.grid, Connectivity::Eight);
        self.each_tile("t6_grow", |work, tile| {
            let filled = work.planes.read(Layer::Next, work.grid.around(tile, 2))?;
            work.write_own(Layer::Mask, tile, 2, &open(filled.view(), StructuringElement::Cross3))?;
            areas.visit(work.read(Layer::Mask, tile)?.view());
            work.allow(areas.bytes())
        })?;
        let (areas, smallest) = (areas.merged(), self.parameters.min_size_pl);
        self.each_tile("t6_grow", |work, tile| {
            let opened = work.read(Layer::Mask, tile)?;
            work.write(Layer::Next, tile, &areas.filter(tile, opened.view(), smallest, None))
        })?;
        self.each_tile("t6_grow", |work, tile| {
            let large = work.planes.read(Layer::Next, work.grid.around(tile, 1))?;
            work.write_own(Layer::Mask, tile, 1, &dilate(large.view(), StructuringElement::Cross3))
        })
    }
}
