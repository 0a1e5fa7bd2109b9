//! Objects that no seam cuts, which a tile can work on by itself.

use super::SeamGrid;
use crate::Runs;
use crate::{Connectivity, ON, Plane, View};

/// The 8-connected components with all their pixels in one tile; `around` shows the tile and one pixel around it
/// ([`SeamGrid::around`]), and so does the result.
///
/// Every object of the image is either among those of exactly one tile, with one pixel around it as far as the image goes,
/// or cut by a seam.
pub fn uncut_objects(grid: &SeamGrid, tile: usize, around: View<'_, u8>) -> Plane<u8> {
    let (own, shown) = (grid.window(tile), grid.around(tile, 1));
    let (first_column, first_row) = (own.left - shown.left, own.top - shown.top);
    let (end_column, end_row) = (first_column + own.width, first_row + own.height);
    let runs = Runs::of_foreground(around.into(), Connectivity::Eight);
    // What reaches the pixels around the tile has pixels in another one.
    let mut cut = vec![false; runs.components()];
    for (y, run) in runs.iter() {
        let beside = y < first_row || y >= end_row || run.start < first_column || run.end > end_column;
        cut[run.component] |= beside;
    }
    let mut result = Plane::filled(0, around.width(), around.height());
    let mut target = result.view_mut();
    for (y, run) in runs.iter().filter(|(_, run)| !cut[run.component]) {
        target.row_mut(y)[run.start..run.end].fill(ON);
    }
    result
}
