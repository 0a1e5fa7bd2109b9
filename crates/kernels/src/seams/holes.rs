//! Filling the holes of a tiled mask.

use super::SeamGrid;
use super::merge::{ComponentMerger, MergedComponents, TileSide};
use crate::{Connectivity, ON, Plane, View};

/// [`crate::fill_holes`] on tiles, first pass.
#[derive(Clone, Debug)]
pub struct Holes {
    merging: ComponentMerger<bool>,
    width: usize,
    height: usize,
}

/// The components of the background that reach the border of the image.
#[derive(Clone, Debug)]
pub struct MergedHoles(MergedComponents<bool>);

impl Holes {
    /// Before the first tile; `background` says which pixels of the background are neighbours.
    pub fn new(grid: &SeamGrid, background: Connectivity) -> Self {
        let image = grid.image();
        let merging = ComponentMerger::new(grid, background, TileSide::Background);
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

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.merging.bytes()
    }

    /// The background that reaches the border, after every tile was visited.
    pub fn merged(self) -> MergedHoles {
        MergedHoles(self.merging.merged())
    }
}

impl MergedHoles {
    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }

    /// The result of [`crate::fill_holes`] on the whole image, in this tile.
    pub fn fill(&self, tile: usize, mask: View<'_, u8>) -> Plane<u8> {
        let mut result = Plane::filled(ON, mask.width(), mask.height());
        self.0.paint(tile, mask, result.view_mut(), 0, |reaches_border| reaches_border);
        result
    }
}
