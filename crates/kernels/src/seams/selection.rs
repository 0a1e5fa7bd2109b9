//! Components of a tiled mask that contain a seed.

use super::SeamGrid;
use super::merge::{ComponentMerger, MergedComponents, TileSide};
use crate::{Connectivity, ON, Plane, View};

/// The first visit of [`crate::select`] on tiles.
#[derive(Clone, Debug)]
pub struct Selection(ComponentMerger<bool>);

/// Which components hold a seed.
#[derive(Clone, Debug)]
pub struct MergedSelection(MergedComponents<bool>);

impl Selection {
    /// Nothing is seen yet.
    pub fn new(grid: &SeamGrid, connectivity: Connectivity) -> Self {
        Self(ComponentMerger::new(grid, connectivity, TileSide::Foreground))
    }

    /// Adds the mask and the seeds of the next tile; tiles come in the order of the grid.
    pub fn visit(&mut self, mask: View<'_, u8>, seeds: View<'_, u8>) {
        self.0.visit(mask, |_, y, run| seeds.row(y)[run.start..run.end].iter().any(|seed| *seed != 0));
    }

    /// Bytes that what is known so far takes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// What holds a seed, once every tile was visited.
    pub fn merged(self) -> MergedSelection {
        MergedSelection(self.0.merged())
    }
}

impl MergedSelection {
    /// Bytes that what is known takes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// What [`crate::select`] of the whole image shows in this tile.
    pub fn select(&self, tile: usize, mask: View<'_, u8>) -> Plane<u8> {
        let mut result = Plane::filled(0, mask.width(), mask.height());
        self.0.paint(tile, mask, result.view_mut(), ON, |has_seed| has_seed);
        result
    }
}
