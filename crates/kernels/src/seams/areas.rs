//! Components of a tiled mask kept by their size.

use super::SeamGrid;
use super::merge::{ComponentMerger, MergedComponents, TileSide};
use crate::{Connectivity, ON, Plane, View};

/// [`crate::filter_area`] on tiles, first pass.
#[derive(Clone, Debug)]
pub struct Areas(ComponentMerger<u64>);

/// The sizes of all components.
#[derive(Clone, Debug)]
pub struct MergedAreas(MergedComponents<u64>);

impl Areas {
    /// Before the first tile.
    pub fn new(grid: &SeamGrid, connectivity: Connectivity) -> Self {
        Self(ComponentMerger::new(grid, connectivity, TileSide::Foreground))
    }

    /// Adds the mask of the next tile; tiles come in the order of the grid.
    pub fn visit(&mut self, mask: View<'_, u8>) {
        self.0.visit(mask, |_, _, run| (run.end - run.start) as u64);
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// The sizes, after every tile was visited.
    pub fn merged(self) -> MergedAreas {
        MergedAreas(self.0.merged())
    }
}

impl MergedAreas {
    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// How many components have `lowest <= pixels < end`.
    pub fn count(&self, lowest: i64, end: Option<i64>) -> u64 {
        self.0.components().filter(|(_, area)| is_kept(**area, lowest, end)).count() as u64
    }

    /// How many pixels the mask has.
    pub fn pixels(&self) -> u64 {
        self.0.components().map(|(_, area)| area).sum()
    }

    /// The result of [`crate::filter_area`] on the whole image, in this tile.
    pub fn filter(&self, tile: usize, mask: View<'_, u8>, lowest: i64, end: Option<i64>) -> Plane<u8> {
        let mut result = Plane::filled(0, mask.width(), mask.height());
        self.0.paint(tile, mask, result.view_mut(), ON, |area| is_kept(area, lowest, end));
        result
    }
}

fn is_kept(area: u64, lowest: i64, end: Option<i64>) -> bool {
    lowest <= area as i64 && end.is_none_or(|end| (area as i64) < end)
}
