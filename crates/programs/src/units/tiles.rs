//! Tiles of a part, and the rectangles in which new tiles are given to a program: few rectangles are few starts of the program.

use std::collections::BTreeMap;

use onceflow_kernels::Window;

use super::set::{Unit, UnitRun, UnitSet};

/// Tiles of a side, row by row; those at the right and at the bottom may be smaller.
pub(super) fn tiles(side: usize, width: usize, height: usize) -> Vec<Unit> {
    let rows = (0..height).step_by(side);
    let corners = rows.flat_map(|top| (0..width).step_by(side).map(move |left| (left, top)));
    let tile = |(left, top): (usize, usize)| {
        let (right, bottom) = ((left + side).min(width), (top + side).min(height));
        Unit::new(0, (top..bottom).map(|y| UnitRun::new(y, left, right)).collect())
    };
    corners.map(tile).collect()
}

/// Tiles that make up a rectangle, side by side and one above another.
pub(super) fn rectangles(set: &UnitSet<'_>, units: &[usize]) -> Vec<Vec<usize>> {
    let mut strips: Vec<Vec<usize>> = Vec::new();
    for unit in units {
        let bounds = set.units[*unit].bounds;
        match strips.last_mut() {
            Some(strip) if strip.last().is_some_and(|left| is_beside(set.units[*left].bounds, bounds)) => {
                strip.push(*unit);
            }
            _ => strips.push(vec![*unit]),
        }
    }
    let mut rectangles: Vec<Vec<usize>> = Vec::new();
    // The rectangle that ends with a strip of these columns, and the row below it.
    let mut open: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    for strip in strips {
        let bounds = around(set, &strip);
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
pub(super) fn halves(set: &UnitSet<'_>, side: usize) -> [Vec<usize>; 2] {
    let middle = |length: usize| length.div_ceil(side) / 2 * side;
    let (column, row) = (middle(set.width), middle(set.height));
    let is_first = |unit: &usize| {
        let Window { left, top, .. } = set.units[*unit].bounds;
        if column > 0 { left < column } else { top < row }
    };
    let (one, other) = (0..set.units.len()).partition(is_first);
    [one, other]
}

/// The box around some units.
pub(super) fn around(set: &UnitSet<'_>, units: &[usize]) -> Window {
    let boxes = units.iter().map(|unit| set.units[*unit].bounds);
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
