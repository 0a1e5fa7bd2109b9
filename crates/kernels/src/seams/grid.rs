//! How an image is cut into tiles.

use crate::{Component, Window};

/// An image cut by straight lines from border to border; tiles count from 0, row by row from the left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeamGrid {
    /// Where columns of tiles begin, and where the last one ends.
    columns: Vec<usize>,
    rows: Vec<usize>,
}

impl SeamGrid {
    /// Squares with sides of `tile` pixels, at least 1; those at the right and at the bottom may be smaller.
    pub fn new(width: usize, height: usize, tile: usize) -> Self {
        let cuts = |length: usize| (0..length).step_by(tile.max(1)).skip(1).collect::<Vec<_>>();
        Self::with_cuts(width, height, &cuts(width), &cuts(height))
    }

    /// Cuts before these columns and rows, given in any order; those outside the image are ignored.
    pub fn with_cuts(width: usize, height: usize, columns: &[usize], rows: &[usize]) -> Self {
        Self { columns: edges(width, columns), rows: edges(height, rows) }
    }

    /// The whole image.
    pub fn image(&self) -> Window {
        let end = |edges: &[usize]| edges.last().copied().unwrap_or(0);
        Window { left: 0, top: 0, width: end(&self.columns), height: end(&self.rows) }
    }

    /// Number of tiles, at least one.
    pub fn len(&self) -> usize {
        self.across() * (self.rows.len() - 1)
    }

    /// Always false: an image without pixels is one tile without pixels.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where a tile lies.
    pub fn window(&self, tile: usize) -> Window {
        let (column, row) = (tile % self.across(), tile / self.across());
        let (left, top) = (self.columns[column], self.rows[row]);
        Window { left, top, width: self.columns[column + 1] - left, height: self.rows[row + 1] - top }
    }

    /// A tile with `halo` pixels around it, as far as the image goes.
    pub fn around(&self, tile: usize, halo: usize) -> Window {
        let (window, image) = (self.window(tile), self.image());
        let (left, top) = (window.left.saturating_sub(halo), window.top.saturating_sub(halo));
        let right = (window.left + window.width).saturating_add(halo).min(image.width);
        let bottom = (window.top + window.height).saturating_add(halo).min(image.height);
        Window { left, top, width: right - left, height: bottom - top }
    }

    /// The tiles beside and diagonal to a tile.
    pub fn neighbours(&self, tile: usize) -> impl Iterator<Item = usize> + '_ {
        let (across, down) = (self.across(), self.rows.len() - 1);
        let (column, row) = (tile % across, tile / across);
        let rows = row.saturating_sub(1)..(row + 2).min(down);
        let columns = column.saturating_sub(1)..(column + 2).min(across);
        let all = rows.flat_map(move |row| columns.clone().map(move |column| row * across + column));
        all.filter(move |other| *other != tile)
    }

    /// Whether a component has pixels in more than one tile.
    pub fn cuts(&self, component: &Component) -> bool {
        let crosses = |edges: &[usize], start: usize, end: usize| {
            let next = edges.partition_point(|edge| *edge <= start);
            edges.get(next).is_some_and(|edge| *edge < end)
        };
        crosses(&self.columns, component.left, component.right)
            || crosses(&self.rows, component.top, component.bottom)
    }

    /// Number of tiles side by side.
    pub(super) fn across(&self) -> usize {
        self.columns.len() - 1
    }
}

fn edges(length: usize, cuts: &[usize]) -> Vec<usize> {
    let mut inside: Vec<usize> = cuts.iter().copied().filter(|cut| (1..length).contains(cut)).collect();
    inside.sort_unstable();
    inside.dedup();
    [&[0], inside.as_slice(), &[length]].concat()
}
