//! Tiles of a part, and the rectangles in which those that are new are given to a program: the fewer, the fewer starts.

use std::collections::BTreeMap;

use onceflow_kernels::Window;

use super::cut::{Cut, Unit};
use super::objects::{run, unit};

/// Tiles of a side, row by row; those at the right and at the bottom may be smaller.
pub(super) fn tiles(side: usize, width: usize, height: usize) -> Vec<Unit> {
    let rows = (0..height).step_by(side);
    let corners = rows.flat_map(|top| (0..width).step_by(side).map(move |left| (left, top)));
    let tile = |(left, top): (usize, usize)| {
        let (right, bottom) = ((left + side).min(width), (top + side).min(height));
        unit(0, (top..bottom).map(|y| run(y, left, right)).collect())
    };
    corners.map(tile).collect()
}

/// Tiles that make up a rectangle, side by side and one above another.
pub(super) fn rectangles(cut: &Cut<'_>, units: &[usize]) -> Vec<Vec<usize>> {
    let mut strips: Vec<Vec<usize>> = Vec::new();
    for unit in units {
        let bounds = cut.units[*unit].bounds;
        match strips.last_mut() {
            Some(strip) if strip.last().is_some_and(|left| is_beside(cut.units[*left].bounds, bounds)) => {
                strip.push(*unit);
            }
            _ => strips.push(vec![*unit]),
        }
    }
    let mut rectangles: Vec<Vec<usize>> = Vec::new();
    // The rectangle that ends with a strip of these columns, and the row below it.
    let mut open: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    for strip in strips {
        let bounds = around(cut, &strip);
        let (columns, below) = ((bounds.left, bounds.width), bounds.top + bounds.height);
        match open.get_mut(&columns) {
            Some((rectangle, row)) if *row == bounds.top => {
                rectangles[*rectangle].extend(strip);
                *row = below;
            }
            _ => {
                open.insert(columns, (rectangles.len(), below));
                rectangles.push(strip);
            }
        }
    }
    rectangles
}

/// The two halves of all tiles: left and right, or above and below where there is one column.
pub(super) fn halves(cut: &Cut<'_>, side: usize) -> [Vec<usize>; 2] {
    let middle = |length: usize| length.div_ceil(side) / 2 * side;
    let (column, row) = (middle(cut.width), middle(cut.height));
    let is_first = |unit: &usize| {
        let Window { left, top, .. } = cut.units[*unit].bounds;
        if column > 0 { left < column } else { top < row }
    };
    let (one, other) = (0..cut.units.len()).partition(is_first);
    [one, other]
}

/// The box around some units.
pub(super) fn around(cut: &Cut<'_>, units: &[usize]) -> Window {
    let boxes = units.iter().map(|unit| cut.units[*unit].bounds);
    let join = |one: Window, other: Window| {
        let (left, top) = (one.left.min(other.left), one.top.min(other.top));
        let right = (one.left + one.width).max(other.left + other.width);
        let bottom = (one.top + one.height).max(other.top + other.height);
        Window { left, top, width: right - left, height: bottom - top }
    };
    boxes.reduce(join).unwrap_or(Window { left: 0, top: 0, width: 0, height: 0 })
}

fn is_beside(left: Window, right: Window) -> bool {
    left.top == right.top && left.left + left.width == right.left
}
