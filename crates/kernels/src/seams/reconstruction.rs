//! Grey reconstruction of a tiled image: tiles are settled again as long as a neighbour rises beside them.
//!
//! Whatever a tile takes from its neighbours the whole image offers it too, so that no pixel rises too far; and when no
//! tile waits any more, no pixel can rise. That is the reconstruction, in whatever order tiles came.

use super::SeamGrid;
use crate::{Connectivity, GreyScratch, GreyValue, Isa, Plane, View, ViewMut, Window, reconstruct_into};

/// Which tiles could still rise.
#[derive(Clone, Debug)]
pub struct Reconstruction {
    grid: SeamGrid,
    connectivity: Connectivity,
    waiting: Vec<bool>,
    /// Where the last sweep over the tiles is, and whether it goes up.
    at: usize,
    upwards: bool,
}

impl Reconstruction {
    /// Every tile waits.
    pub fn new(grid: &SeamGrid, connectivity: Connectivity) -> Self {
        let waiting = vec![true; grid.len()];
        Self { grid: grid.clone(), connectivity, waiting, at: 0, upwards: false }
    }

    /// A tile to settle next; none when the image is reconstructed. Sweeps go down and up in turn, so that what goes on
    /// and on in one direction is carried through in one of them.
    pub fn next_tile(&mut self) -> Option<usize> {
        for _ in 0..2 {
            let found = if self.upwards {
                self.waiting[..=self.at].iter().rposition(|waits| *waits)
            } else {
                self.waiting[self.at..].iter().position(|waits| *waits).map(|tile| self.at + tile)
            };
            if let Some(tile) = found {
                self.at = tile;
                return found;
            }
            self.upwards = !self.upwards;
        }
        None
    }

    /// Settles a tile and one pixel around it ([`SeamGrid::around`]), and lets those of its neighbours wait that it could
    /// raise. Of `image` the caller keeps what belongs to the tile, for the next time it or a neighbour is settled.
    pub fn settle<T: GreyValue>(
        &mut self,
        tile: usize,
        mask: View<'_, T>,
        mut image: ViewMut<'_, T>,
        scratch: &mut GreyScratch<T>,
    ) {
        let before = image.view().to_plane();
        reconstruct_into(Isa::best(), mask, self.connectivity, image.reborrow(), scratch);
        self.waiting[tile] = false;
        let around = self.grid.around(tile, 1);
        let own = inside(self.grid.window(tile), around);
        for neighbour in self.grid.neighbours(tile) {
            let seen = own.intersection(inside(self.grid.around(neighbour, 1), around));
            if differs(&before, image.view(), seen) {
                self.waiting[neighbour] = true;
            }
        }
    }
}

/// Columns and rows of a rectangle.
#[derive(Clone, Copy)]
struct SeenWindow {
    columns: (usize, usize),
    rows: (usize, usize),
}

impl SeenWindow {
    fn intersection(self, other: Self) -> Self {
        let both = |one: (usize, usize), other: (usize, usize)| (one.0.max(other.0), one.1.min(other.1));
        Self { columns: both(self.columns, other.columns), rows: both(self.rows, other.rows) }
    }
}

/// A window as seen from the corner of another; what lies before that corner is left out.
fn inside(window: Window, around: Window) -> SeenWindow {
    let along = |start: usize, length: usize, from: usize| {
        (start.saturating_sub(from), (start + length).saturating_sub(from))
    };
    SeenWindow {
        columns: along(window.left, window.width, around.left),
        rows: along(window.top, window.height, around.top),
    }
}

fn differs<T: PartialEq + Copy>(before: &Plane<T>, after: View<'_, T>, seen: SeenWindow) -> bool {
    let (left, right) = seen.columns;
    left < right
        && (seen.rows.0..seen.rows.1).any(|y| before.view().row(y)[left..right] != after.row(y)[left..right])
}
