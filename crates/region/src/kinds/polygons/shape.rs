//! One polygon of a set: where it lies, how large it is, what it contains.

use crate::{Bounds, Span};

/// A corner: `x` and `y` in pixels.
pub type PolygonCorner = [f64; 2];

/// One polygon of a set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PolygonRef<'a> {
    corners: &'a [PolygonCorner],
    /// Where its first ring begins.
    first: usize,
    /// Where its rings end.
    ends: &'a [usize],
}

impl<'a> PolygonRef<'a> {
    pub(super) fn new(corners: &'a [PolygonCorner], first: usize, ends: &'a [usize]) -> PolygonRef<'a> {
        PolygonRef { corners, first, ends }
    }

    /// Its rings: outer ones are turned clockwise on a screen, holes the other way; the first corner is not repeated.
    pub fn rings(&self) -> impl Iterator<Item = &'a [PolygonCorner]> + Clone + use<'a> {
        let PolygonRef { corners, first, ends } = *self;
        let starts = std::iter::once(first).chain(ends.iter().copied());
        starts.zip(ends).map(move |(start, &end)| &corners[start..end])
    }

    /// How many pixels it covers: its parts less their holes.
    pub fn area(&self) -> f64 {
        self.rings().map(doubled_area).sum::<f64>() / 2.0
    }

    /// Whether a point lies in it. Of polygons that share a side, a point on the side is in one alone.
    pub fn contains(&self, [x, y]: PolygonCorner) -> bool {
        let crosses = |([x1, y1], [x2, y2]): (PolygonCorner, PolygonCorner)| {
            (y1 > y) != (y2 > y) && x < x1 + (y - y1) * (x2 - x1) / (y2 - y1)
        };
        self.rings().flat_map(sides).filter(|side| crosses(*side)).count() % 2 == 1
    }

    /// The smallest box of pixels around it; `None` when it has no corner.
    pub fn bounds(&self) -> Option<Bounds> {
        let span = |axis: usize| {
            let along = self.rings().flatten().map(move |corner| corner[axis]);
            let (start, end) = (along.clone().reduce(f64::min)?.floor(), along.reduce(f64::max)?.ceil());
            Span::new(start as i64, (end as i64).abs_diff(start as i64).max(1))
        };
        Some(Bounds::new(span(0)?, span(1)?, Span::ONE, Span::ONE))
    }
}

/// The sides of a ring, the last one back to the first corner.
pub(super) fn sides(ring: &[PolygonCorner]) -> impl Iterator<Item = (PolygonCorner, PolygonCorner)> {
    ring.iter().copied().zip(ring.iter().copied().cycle().skip(1))
}

/// Twice the area of a ring; positive when it is turned clockwise on a screen.
pub(super) fn doubled_area(ring: &[PolygonCorner]) -> f64 {
    // From the first corner, so that rings far away lose no digits.
    let [x, y] = ring.first().copied().unwrap_or_default();
    let moved = |[a, b]: PolygonCorner| [a - x, b - y];
    let sides = sides(ring).map(|(from, to)| (moved(from), moved(to)));
    sides.map(|(from, to)| from[0] * to[1] - to[0] * from[1]).sum()
}
