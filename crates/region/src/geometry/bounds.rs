//! Half-open boxes in space and time, with arithmetic that cannot overflow.

use std::fmt;

use crate::Span;

/// A box: a half-open span of each axis in space (`x`, `y`, `z`) and of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bounds {
    x: Span,
    y: Span,
    z: Span,
    time: Span,
}

impl Bounds {
    /// A box of the plane `z = 0` at time 0; `None` when an end is not a number we can hold.
    #[inline]
    pub fn plane(x: i64, y: i64, width: u64, height: u64) -> Option<Bounds> {
        Some(Bounds::new(Span::new(x, width)?, Span::new(y, height)?, Span::ONE, Span::ONE))
    }

    /// A box of four spans.
    #[inline]
    pub fn new(x: Span, y: Span, z: Span, time: Span) -> Bounds {
        Bounds { x, y, z, time }
    }

    /// The leftmost column.
    #[inline]
    pub fn x(&self) -> i64 {
        self.x.start()
    }

    /// The topmost row.
    #[inline]
    pub fn y(&self) -> i64 {
        self.y.start()
    }

    /// The column after the rightmost.
    #[inline]
    pub fn right(&self) -> i64 {
        self.x.end()
    }

    /// The row after the lowest.
    #[inline]
    pub fn bottom(&self) -> i64 {
        self.y.end()
    }

    /// How many columns.
    #[inline]
    pub fn width(&self) -> u64 {
        self.x.length()
    }

    /// How many rows.
    #[inline]
    pub fn height(&self) -> u64 {
        self.y.length()
    }

    /// The columns.
    #[inline]
    pub fn columns(&self) -> Span {
        self.x
    }

    /// The rows.
    #[inline]
    pub fn rows(&self) -> Span {
        self.y
    }

    /// The depths.
    #[inline]
    pub fn z(&self) -> Span {
        self.z
    }

    /// The times.
    #[inline]
    pub fn time(&self) -> Span {
        self.time
    }

    /// Columns times rows, saturating at `u64::MAX`. Code that allocates compares it with a limit first.
    #[inline]
    pub fn area(&self) -> u64 {
        self.width().saturating_mul(self.height())
    }

    /// Whether the box holds no position.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.spans().iter().any(|span| span.is_empty())
    }

    /// Whether every position of the other box is in this one; an empty box is in every box.
    #[inline]
    pub fn contains(&self, other: &Bounds) -> bool {
        other.is_empty() || self.spans().iter().zip(other.spans()).all(|(mine, its)| mine.contains(its))
    }

    /// The positions in both boxes; `None` when there is not one.
    #[inline]
    pub fn intersect(&self, other: &Bounds) -> Option<Bounds> {
        Some(Bounds {
            x: self.x.intersect(other.x)?,
            y: self.y.intersect(other.y)?,
            z: self.z.intersect(other.z)?,
            time: self.time.intersect(other.time)?,
        })
    }

    /// The smallest box that contains both; an empty box adds nothing.
    pub fn hull(&self, other: &Bounds) -> Bounds {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => *other,
            (_, true) => *self,
            _ => Bounds {
                x: self.x.hull(other.x),
                y: self.y.hull(other.y),
                z: self.z.hull(other.z),
                time: self.time.hull(other.time),
            },
        }
    }

    /// The box with `halo` more columns and rows on each side; `None` on overflow. An empty box has no sides and stays.
    #[inline]
    pub fn grow(&self, halo: u64) -> Option<Bounds> {
        if self.is_empty() {
            return Some(*self);
        }
        Some(Bounds { x: self.x.grow(halo)?, y: self.y.grow(halo)?, ..*self })
    }

    /// The box moved within its plane; `None` on overflow.
    #[inline]
    pub fn translate(&self, x: i64, y: i64) -> Option<Bounds> {
        Some(Bounds { x: self.x.translate(x)?, y: self.y.translate(y)?, ..*self })
    }

    /// The box as seen from the upper left corner of another one; `None` on overflow.
    #[inline]
    pub fn relative_to(&self, origin: &Bounds) -> Option<Bounds> {
        self.translate(origin.x().checked_neg()?, origin.y().checked_neg()?)
    }

    /// Whether the box lies in the plane `z = 0` at time 0.
    #[inline]
    pub fn is_plane(&self) -> bool {
        self.z == Span::ONE && self.time == Span::ONE
    }

    /// Left, top, width and height as indices; `None` when one of them is negative or too large for an index.
    #[inline]
    pub fn indices(&self) -> Option<[usize; 4]> {
        Some([
            usize::try_from(self.x()).ok()?,
            usize::try_from(self.y()).ok()?,
            usize::try_from(self.width()).ok()?,
            usize::try_from(self.height()).ok()?,
        ])
    }

    #[inline]
    fn spans(&self) -> [Span; 4] {
        [self.x, self.y, self.z, self.time]
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} {} {} x {}", self.x(), self.y(), self.width(), self.height())?;
        if !self.is_plane() {
            write!(f, ", z {}..{}", self.z.start(), self.z.end())?;
            write!(f, ", time {}..{}", self.time.start(), self.time.end())?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Small boxes, so that a list of their positions is an oracle for the algebra.
    fn small() -> impl Strategy<Value = Bounds> {
        (-6i64..6, -6i64..6, 0u64..6, 0u64..6).prop_map(|(x, y, w, h)| Bounds::plane(x, y, w, h).unwrap())
    }

    /// Any box at all, those at the ends of the numbers too.
    fn any_box() -> impl Strategy<Value = Bounds> {
        let edge = prop_oneof![Just(i64::MIN), Just(i64::MAX), Just(0), any::<i64>()];
        let span = (edge.clone(), edge).prop_map(|(a, b)| Span::new(a.min(b), a.abs_diff(b)).unwrap());
        (span.clone(), span.clone(), span.clone(), span).prop_map(|(x, y, z, t)| Bounds::new(x, y, z, t))
    }

    fn positions(b: &Bounds) -> Vec<(i64, i64)> {
        (b.y()..b.bottom()).flat_map(|y| (b.x()..b.right()).map(move |x| (x, y))).collect()
    }

    fn has(b: &Bounds, (x, y): (i64, i64)) -> bool {
        (b.x()..b.right()).contains(&x) && (b.y()..b.bottom()).contains(&y)
    }

    proptest! {
        #[test]
        fn intersection_holds_the_positions_of_both(a in small(), b in small()) {
            let both: Vec<_> = positions(&a).into_iter().filter(|&p| has(&b, p)).collect();
            prop_assert_eq!(a.intersect(&b).map_or(vec![], |c| positions(&c)), both);
        }

        #[test]
        fn contains_means_every_position(a in small(), b in small()) {
            prop_assert_eq!(a.contains(&b), positions(&b).into_iter().all(|p| has(&a, p)));
        }

        #[test]
        fn the_hull_is_the_smallest_box_around_both(a in small(), b in small()) {
            let hull = a.hull(&b);
            prop_assert!(hull.contains(&a) && hull.contains(&b));
            let all: Vec<_> = positions(&a).into_iter().chain(positions(&b)).collect();
            if let (Some(left), Some(top)) = (all.iter().map(|p| p.0).min(), all.iter().map(|p| p.1).min()) {
                let right = all.iter().map(|p| p.0).max().unwrap() + 1;
                let bottom = all.iter().map(|p| p.1).max().unwrap() + 1;
                prop_assert_eq!((hull.x(), hull.y(), hull.right(), hull.bottom()), (left, top, right, bottom));
            }
        }

        #[test]
        fn growing_reaches_every_position_within_the_halo(a in small(), halo in 0u64..4) {
            let grown = a.grow(halo).unwrap();
            let near = |p: (i64, i64)| positions(&a).iter()
                .any(|q| p.0.abs_diff(q.0) <= halo && p.1.abs_diff(q.1) <= halo);
            let field = Bounds::plane(-12, -12, 24, 24).unwrap();
            for p in positions(&field) {
                prop_assert_eq!(has(&grown, p), near(p));
            }
        }

        #[test]
        fn moving_there_and_back_changes_nothing(a in small(), x in -9i64..9, y in -9i64..9) {
            prop_assert_eq!(a.translate(x, y).unwrap().translate(-x, -y), Some(a));
            prop_assert_eq!(a.relative_to(&a).map(|b| (b.x(), b.y(), b.area())), Some((0, 0, a.area())));
        }

        #[test]
        fn no_arithmetic_overflows(a in any_box(), b in any_box(), halo in any::<u64>(), by in any::<i64>()) {
            let _ = (a.area(), a.contains(&b), a.grow(halo), a.translate(by, by), a.relative_to(&b));
            prop_assert!(a.hull(&b).contains(&a) && a.hull(&b).contains(&b));
            if let Some(both) = a.intersect(&b) {
                prop_assert!(a.contains(&both) && b.contains(&both) && !both.is_empty());
            }
        }
    }

    #[test]
    fn says_where_it_lies() {
        assert_eq!(Bounds::plane(-3, 4, 50, 60).unwrap().to_string(), "[-3 4 50 x 60]");
        let deep = Bounds::new(Span::ONE, Span::ONE, Span::new(2, 3).unwrap(), Span::ONE);
        assert_eq!(deep.to_string(), "[0 0 1 x 1, z 2..5, time 0..1]");
    }

    #[test]
    fn refuses_ends_beyond_the_numbers() {
        assert_eq!(Bounds::plane(i64::MAX, 0, 1, 1), None);
        assert_eq!(Bounds::plane(0, 0, u64::MAX, 1), None);
    }
}
