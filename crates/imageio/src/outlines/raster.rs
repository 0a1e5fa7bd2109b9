//! Which pixels lie in an outline: those whose centres do.
//!
//! A centre on an edge belongs to the side on its right and below, so outlines that share an edge share no pixel and
//! leave none out. Each row is computed by itself: a box gives the same pixels however it was cut.

use onceflow_region::Bounds;

use super::{FillRule, OutlineShape, Outlines};

/// Crossings that are kept at once.
const MOST_CROSSINGS: u64 = 1 << 20;

/// Where an edge crosses the middle of a row, and whether it runs down.
struct Crossing {
    row: i64,
    x: f64,
    turn: i32,
}

/// A window on the plane: rows and columns, half open.
#[derive(Debug, Clone, Copy)]
pub(super) struct RasterWindow {
    pub(super) left: i64,
    pub(super) right: i64,
    pub(super) top: i64,
    pub(super) bottom: i64,
}

impl RasterWindow {
    pub(super) fn new(bounds: &Bounds) -> RasterWindow {
        RasterWindow { left: bounds.x(), right: bounds.right(), top: bounds.y(), bottom: bounds.bottom() }
    }

    /// What of it lies in a box, and perhaps a pixel more.
    pub(super) fn cut(self, [left, top, right, bottom]: &[f64; 4]) -> RasterWindow {
        let end = |edge: f64| (edge.ceil() as i64).saturating_add(1);
        RasterWindow {
            left: self.left.max(left.floor() as i64),
            right: self.right.min(end(*right)),
            top: self.top.max(top.floor() as i64),
            bottom: self.bottom.min(end(*bottom)),
        }
    }

    pub(super) fn width(&self) -> usize {
        (self.right - self.left).max(0) as usize
    }

    pub(super) fn height(&self) -> usize {
        (self.bottom - self.top).max(0) as usize
    }
}

/// Calls `fill` with row, first column and the column after the last of each run inside the shape and the window.
/// Points are divided by `ratio` first.
pub(super) fn runs(
    outlines: &Outlines,
    shape: &OutlineShape,
    ratio: f64,
    window: RasterWindow,
    fill: &mut dyn FnMut(i64, i64, i64),
) {
    if window.top >= window.bottom || window.left >= window.right {
        return;
    }
    let mut all = 0;
    edges(outlines, shape, ratio, &mut |edge| all += edge.rows(window).count() as u64);
    if all > MOST_CROSSINGS && window.bottom - window.top > 1 {
        let middle = window.top + (window.bottom - window.top) / 2;
        runs(outlines, shape, ratio, RasterWindow { bottom: middle, ..window }, fill);
        runs(outlines, shape, ratio, RasterWindow { top: middle, ..window }, fill);
        return;
    }
    let mut crossings = Vec::with_capacity(all as usize);
    edges(outlines, shape, ratio, &mut |edge| {
        crossings.extend(edge.rows(window).map(|row| Crossing { row, x: edge.at(row), turn: edge.turn }));
    });
    crossings.sort_unstable_by(|a, b| a.row.cmp(&b.row).then(a.x.total_cmp(&b.x)));
    for row in crossings.chunk_by(|a, b| a.row == b.row) {
        fill_row(row, shape.rule, window, fill);
    }
}

fn fill_row(row: &[Crossing], rule: FillRule, window: RasterWindow, fill: &mut dyn FnMut(i64, i64, i64)) {
    let mut turns = 0;
    for pair in row.windows(2) {
        turns += if rule == FillRule::EvenOdd { 1 } else { pair[0].turn };
        let inside = if rule == FillRule::EvenOdd { turns % 2 == 1 } else { turns != 0 };
        let (first, end) = (first_after(pair[0].x), first_after(pair[1].x));
        let (first, end) = (first.max(window.left), end.min(window.right));
        if inside && first < end {
            fill(pair[0].row, first, end);
        }
    }
}

/// The first pixel whose centre is not before a place.
fn first_after(place: f64) -> i64 {
    (place - 0.5).ceil() as i64
}

/// An edge from its upper to its lower end.
struct Edge {
    upper: [f64; 2],
    lower: [f64; 2],
    turn: i32,
}

impl Edge {
    /// The rows of the window whose middles it crosses.
    fn rows(&self, window: RasterWindow) -> std::ops::Range<i64> {
        first_after(self.upper[1]).max(window.top)..first_after(self.lower[1]).min(window.bottom)
    }

    fn at(&self, row: i64) -> f64 {
        let ([x, y], [to_x, to_y]) = (self.upper, self.lower);
        x + (row as f64 + 0.5 - y) * (to_x - x) / (to_y - y)
    }
}

/// The edges of a shape; a ring is closed whether or not its last point is its first.
fn edges(outlines: &Outlines, shape: &OutlineShape, ratio: f64, visit: &mut dyn FnMut(&Edge)) {
    for ring in shape.rings.clone() {
        let points = outlines.ring(ring);
        let Some(mut before) = points.last().map(|point| scaled(*point, ratio)) else { continue };
        for point in points {
            let point = scaled(*point, ratio);
            match before[1].total_cmp(&point[1]) {
                std::cmp::Ordering::Less => visit(&Edge { upper: before, lower: point, turn: 1 }),
                std::cmp::Ordering::Greater => visit(&Edge { upper: point, lower: before, turn: -1 }),
                std::cmp::Ordering::Equal => {}
            }
            before = point;
        }
    }
}

fn scaled([x, y]: [f64; 2], ratio: f64) -> [f64; 2] {
    // Adding 0 makes one zero of the two there are: they would be told apart when points are ordered.
    [x / ratio + 0.0, y / ratio + 0.0]
}
