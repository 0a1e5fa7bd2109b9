//! Holes of a tiled mask become part of it.

use super::Grid;
use super::merge::{Merged, Merging, Side};
use crate::{Connectivity, ON, Plane, View};

/// The first visit of [`crate::fill_holes`] on tiles.
#[derive(Clone, Debug)]
pub struct Holes {
    merging: Merging<bool>,
    width: usize,
    height: usize,
}

/// Which parts of the background reach the border of the image.
#[derive(Clone, Debug)]
pub struct MergedHoles(Merged<bool>);

impl Holes {
    /// Nothing is seen yet; `background` says which pixels of the background are neighbours.
    pub fn new(grid: &Grid, background: Connectivity) -> Self {
        let image = grid.image();
        let merging = Merging::new(grid, background, Side::Background);
        Self { merging, width: image.width, height: image.height }
    }

    /// Adds the mask of the next tile; tiles come in the order of the grid.
    pub fn visit(&mut self, mask: View<'_, u8>) {
        let (width, height) = (self.width, self.height);
        self.merging.visit(mask, |tile, y, run| {
            let on_border_row = tile.top + y == 0 || tile.top + y + 1 == height;
            on_border_row || tile.left + run.start == 0 || tile.left + run.end == width
        });
    }

    /// Bytes that what is known so far takes.
    pub fn bytes(&self) -> usize {
        self.merging.bytes()
    }

    /// What reaches the border, once every tile was visited.
    pub fn merged(self) -> MergedHoles {
        MergedHoles(self.merging.merged())
    }
}

impl MergedHoles {
    /// Bytes that what is known takes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// What [`crate::fill_holes`] of the whole image shows in this tile.
    pub fn fill(&self, tile: usize, mask: View<'_, u8>) -> Plane<u8> {
        let mut result = Plane::filled(ON, mask.width(), mask.height());
        self.0.paint(tile, mask, result.view_mut(), 0, |reaches_border| reaches_border);
        result
    }
}
