//! Components of a tiled mask, numbered and measured.

use super::SeamGrid;
use super::merge::{ComponentMerger, MergedComponents, TileSide};
use crate::{Component, Connectivity, Plane, View};

/// [`crate::label`] on tiles, first pass.
#[derive(Clone, Debug)]
pub struct Numbering {
    merging: ComponentMerger<Component>,
    grid: SeamGrid,
}

/// All components with the numbers they have in the whole image.
#[derive(Clone, Debug)]
pub struct MergedNumbering {
    merged: MergedComponents<Component>,
    components: Vec<Component>,
    /// The label of each component, at its first piece.
    labels: Vec<u32>,
}

impl Numbering {
    /// Before the first tile.
    pub fn new(grid: &SeamGrid, connectivity: Connectivity) -> Self {
        Self { merging: ComponentMerger::new(grid, connectivity, TileSide::Foreground), grid: grid.clone() }
    }

    /// Adds the mask of the next tile; tiles come in the order of the grid.
    pub fn visit(&mut self, mask: View<'_, u8>) {
        self.merging.visit(mask, |tile, y, run| {
            let (left, right, top) = (tile.left + run.start, tile.left + run.end, tile.top + y);
            let area = (run.end - run.start) as u64;
            Component { area, left, top, right, bottom: top + 1, first: (left, top) }
        });
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.merging.bytes()
    }

    /// The components with pixels in more than one tile, once every tile was visited, in raster order of their first
    /// pixels.
    pub fn cut(self) -> Vec<Component> {
        let merged = self.merging.merged();
        let all = merged.components().map(|(_, component)| *component);
        let mut cut: Vec<Component> = all.filter(|component| self.grid.cuts(component)).collect();
        cut.sort_unstable_by_key(|component| (component.first.1, component.first.0));
        cut
    }

    /// All components, once every tile was visited, in raster order of their first pixels.
    pub fn components(self) -> Vec<Component> {
        let merged = self.merging.merged();
        let mut all: Vec<Component> = merged.components().map(|(_, component)| *component).collect();
        all.sort_unstable_by_key(|component| (component.first.1, component.first.0));
        all
    }

    /// Numbers the components, once every tile was visited.
    pub fn merged(self) -> MergedNumbering {
        let merged = self.merging.merged();
        let mut found: Vec<(usize, Component)> =
            merged.components().map(|(piece, component)| (piece, *component)).collect();
        found.sort_unstable_by_key(|(_, component)| (component.first.1, component.first.0));
        let mut labels = vec![0; merged.pieces()];
        found.iter().zip(1..).for_each(|((piece, _), label)| labels[*piece] = label);
        let components = found.into_iter().map(|(_, component)| component).collect();
        MergedNumbering { merged, components, labels }
    }
}

impl MergedNumbering {
    /// Bytes that what is known takes.
    pub fn bytes(&self) -> usize {
        let (components, labels) = (self.components.capacity(), self.labels.capacity());
        self.merged.bytes() + components * size_of::<Component>() + labels * size_of::<u32>()
    }

    /// In raster order of their first pixels, as [`crate::label`] gives them for the whole image.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// What the labels of the whole image are in this tile.
    pub fn labels(&self, tile: usize, mask: View<'_, u8>) -> Plane<u32> {
        let mut result = Plane::filled(0, mask.width(), mask.height());
        let mut target = result.view_mut();
        self.merged.each_run(tile, mask, |y, run, first| {
            target.row_mut(y)[run.start..run.end].fill(self.labels[first]);
        });
        result
    }
}
