//! A Hilbert curve laid over a box: the keys of its positions, and of the boxes within.

use std::ops::Range;

use super::hilbert::{Cell, Hilbert, MOST_ORDER};
use crate::{Bounds, Position, Span};

/// The Hilbert curve over a box, in the plane or, where the box has several depths, in space. Times share their keys.
///
/// Its cells are squares (cubes) of 2^n pixels: single ones up to sides of 2^21 = 2,097,152 pixels, larger ones beyond.
#[derive(Debug, Clone, Copy)]
pub struct HilbertCurve {
    whole: Bounds,
    hilbert: Hilbert,
    /// A cell has 2^shift pixels along each side.
    shift: u32,
}

impl HilbertCurve {
    /// The curve over a box; `None` when it is empty.
    pub fn over(whole: Bounds) -> Option<HilbertCurve> {
        let [width, height, depth, _] = whole.size();
        let longest = width.max(height).max(depth);
        let bits = u64::BITS - longest.saturating_sub(1).leading_zeros();
        let order = bits.min(MOST_ORDER);
        let hilbert = if depth > 1 { Hilbert::space(order)? } else { Hilbert::plane(order)? };
        (!whole.is_empty()).then_some(HilbertCurve { whole, hilbert, shift: bits - order })
    }

    /// The box.
    pub fn bounds(&self) -> Bounds {
        self.whole
    }

    /// The curve through the cells.
    pub fn hilbert(&self) -> &Hilbert {
        &self.hilbert
    }

    /// The key of a position; of one outside, the key of the nearest within.
    pub fn key(&self, position: &Position) -> u64 {
        let along = |place: i64, span: Span| self.cell(place.clamp(span.start(), span.end() - 1), span);
        let Position { x, y, z, .. } = *position;
        let cell = [along(x, self.whole.columns()), along(y, self.whole.rows()), along(z, self.whole.z())];
        self.hilbert.key_of(cell)
    }

    /// The keys of the positions in a box as few ranges in ascending order: see [`Hilbert::ranges`].
    pub fn ranges(&self, bounds: &Bounds, at_most: Option<usize>) -> Vec<Range<u64>> {
        let timeless = Bounds::new(bounds.columns(), bounds.rows(), bounds.z(), self.whole.time());
        let inner = if bounds.is_empty() { None } else { self.whole.intersect(&timeless) };
        let Some(inner) = inner else { return Vec::new() };
        let spans = [inner.columns(), inner.rows(), inner.z()];
        let wholes = [self.whole.columns(), self.whole.rows(), self.whole.z()];
        let cells = |place: fn(Span) -> i64| -> Cell {
            [0, 1, 2].map(|axis| self.cell(place(spans[axis]), wholes[axis]))
        };
        let to = cells(|span| span.end() - 1).map(|last| last + 1);
        self.hilbert.ranges(cells(Span::start), to, at_most)
    }

    /// The cell of a place within a span: fewer than 2^21 by the choice of the shift.
    fn cell(&self, place: i64, span: Span) -> u32 {
        (place.abs_diff(span.start()) >> self.shift) as u32
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::position::tests::{all, nested};

    proptest! {
        #[test]
        fn ranges_hold_the_keys_of_the_positions((outer, inner) in nested()) {
            let curve = HilbertCurve::over(outer).unwrap();
            let ranges = curve.ranges(&inner, None);
            for position in all(&outer) {
                let held = ranges.iter().any(|range| range.contains(&curve.key(&position)));
                prop_assert_eq!(held, inner.has(&Position { time: inner.time().start(), ..position }));
            }
        }
    }

    #[test]
    fn boxes_beyond_the_finest_curve_have_larger_cells() {
        let all = Span::new(i64::MIN, u64::MAX).unwrap();
        let curve = HilbertCurve::over(Bounds::new(all, all, all, all)).unwrap();
        assert_eq!((curve.hilbert().order(), curve.shift), (21, 43));
        let far = Position::space(i64::MAX - 1, i64::MIN, 0);
        let one =
            Bounds::new(Span::new(far.x, 1).unwrap(), Span::new(far.y, 1).unwrap(), Span::ONE, Span::ONE);
        assert!(curve.ranges(&one, None)[0].contains(&curve.key(&far)));
        assert_eq!(curve.ranges(&curve.bounds(), None), vec![0..1 << 63]);
        assert!(HilbertCurve::over(Bounds::plane(0, 0, 0, 3).unwrap()).is_none());
        let pixel = HilbertCurve::over(Bounds::plane(5, 5, 1, 1).unwrap()).unwrap();
        assert_eq!((pixel.hilbert().keys(), pixel.key(&Position::plane(5, 5))), (1, 0));
    }
}
