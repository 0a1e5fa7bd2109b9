//! Components of a tiled mask kept by their size.

use super::Grid;
use super::merge::{Merged, Merging, Side};
use crate::{Connectivity, ON, Plane, View};

/// The first visit of [`crate::filter_area`] on tiles.
#[derive(Clone, Debug)]
pub struct Areas(Merging<u64>);

/// The sizes of all components.
#[derive(Clone, Debug)]
pub struct MergedAreas(Merged<u64>);

impl Areas {
    /// Nothing is seen yet.
    pub fn new(grid: &Grid, connectivity: Connectivity) -> Self {
        Self(Merging::new(grid, connectivity, Side::Foreground))
    }

    /// Adds the mask of the next tile; tiles come in the order of the grid.
    pub fn visit(&mut self, mask: View<'_, u8>) {
        self.0.visit(mask, |_, _, run| (run.end - run.start) as u64);
    }

    /// Bytes that what is known so far takes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// The sizes, once every tile was visited.
    pub fn merged(self) -> MergedAreas {
        MergedAreas(self.0.merged())
    }
}

impl MergedAreas {
    /// Bytes that what is known takes.
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

    /// What [`crate::filter_area`] of the whole image shows in this tile.
    pub fn filter(&self, tile: usize, mask: View<'_, u8>, lowest: i64, end: Option<i64>) -> Plane<u8> {
        let mut result = Plane::filled(0, mask.width(), mask.height());
        self.0.paint(tile, mask, result.view_mut(), ON, |area| is_kept(area, lowest, end));
        result
    }
}

fn is_kept(area: u64, lowest: i64, end: Option<i64>) -> bool {
    lowest <= area as i64 && end.is_none_or(|end| (area as i64) < end)
}
