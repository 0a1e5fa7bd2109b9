//! Positions in space and time, and their numbers within a box.

use crate::Bounds;

/// One position in space and time.
///
/// ```
/// use onceflow_region::{Bounds, Position};
///
/// let bounds = Bounds::plane(10, 20, 4, 3).ok_or("too large")?;
/// let position = Position::plane(12, 21);
/// assert_eq!(bounds.offset_of(&position), Some(6));
/// assert_eq!(bounds.position_at(6), Some(position));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The time.
    pub time: i64,
    /// The depth.
    pub z: i64,
    /// The row.
    pub y: i64,
    /// The column.
    pub x: i64,
}

impl Position {
    /// A position of the plane `z = 0` at time 0.
    #[inline]
    pub fn plane(x: i64, y: i64) -> Position {
        Position::space(x, y, 0)
    }

    /// A position at time 0.
    pub fn space(x: i64, y: i64, z: i64) -> Position {
        Position { time: 0, z, y, x }
    }
}

impl Bounds {
    /// Columns, rows, depths and times.
    #[inline]
    pub fn size(&self) -> [u64; 4] {
        [self.width(), self.height(), self.z().length(), self.time().length()]
    }

    /// How many positions the box has; `None` when that is not a number we can hold.
    #[inline]
    pub fn positions(&self) -> Option<u64> {
        if self.is_empty() {
            return Some(0);
        }
        self.size().into_iter().try_fold(1u64, |product, side| product.checked_mul(side))
    }

    /// Whether a position lies in the box.
    #[inline]
    pub fn has(&self, position: &Position) -> bool {
        let spans = [self.columns(), self.rows(), self.z(), self.time()];
        let places = [position.x, position.y, position.z, position.time];
        spans.iter().zip(places).all(|(span, place)| span.start() <= place && place < span.end())
    }

    /// The number of a position in the box, columns changing fastest, then rows, depths and times; `None` outside, or when
    /// it is not a number we can hold.
    #[inline]
    pub fn offset_of(&self, position: &Position) -> Option<u64> {
        let [width, height, depth, _] = self.size();
        let from = |start: i64, place: i64| place.abs_diff(start);
        let time = from(self.time().start(), position.time);
        let plane = time.checked_mul(depth)?.checked_add(from(self.z().start(), position.z))?;
        let row = plane.checked_mul(height)?.checked_add(from(self.y(), position.y))?;
        let offset = row.checked_mul(width)?.checked_add(from(self.x(), position.x))?;
        self.has(position).then_some(offset)
    }

    /// The position with a number; `None` when the box has fewer.
    pub fn position_at(&self, offset: u64) -> Option<Position> {
        let within = self.positions().is_none_or(|positions| offset < positions);
        let [width, height, depth, _] = self.size();
        if !within || self.is_empty() {
            return None;
        }
        let (row, plane) = (offset / width, offset / width / height);
        Some(Position {
            time: self.time().start().checked_add_unsigned(plane / depth)?,
            z: self.z().start().checked_add_unsigned(plane % depth)?,
            y: self.y().checked_add_unsigned(row % height)?,
            x: self.x().checked_add_unsigned(offset % width)?,
        })
    }

    /// The number of the first position of each row of a box within, in ascending order. The caller has checked that it
    /// lies within and that this box has not more positions than we can count.
    pub fn row_offsets(&self, inner: &Bounds) -> impl Iterator<Item = u64> + use<> {
        let [width, height, depth, _] = self.size();
        let left = inner.x().abs_diff(self.x());
        let along = |start: i64, length: u64, of: i64| start.abs_diff(of)..start.abs_diff(of) + length;
        let times = along(inner.time().start(), inner.time().length(), self.time().start());
        let depths = along(inner.z().start(), inner.z().length(), self.z().start());
        let rows = along(inner.y(), inner.height(), self.y());
        times.flat_map(move |time| {
            let rows = rows.clone();
            depths.clone().flat_map(move |z| {
                rows.clone().map(move |row| ((time * depth + z) * height + row) * width + left)
            })
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Span;

    /// Small boxes of space and time with at least one position.
    pub(crate) fn small() -> impl Strategy<Value = Bounds> {
        let span = |longest: u64| (-5i64..5, 1..=longest).prop_map(|(at, long)| Span::new(at, long).unwrap());
        (span(6), span(5), span(4), span(3)).prop_map(|(x, y, z, time)| Bounds::new(x, y, z, time))
    }

    /// A box and one within it.
    pub(crate) fn nested() -> impl Strategy<Value = (Bounds, Bounds)> {
        (small(), small()).prop_map(|(a, b)| (a.hull(&b), b))
    }

    /// All positions of a box in the order of their numbers.
    pub(crate) fn all(b: &Bounds) -> Vec<Position> {
        let mut positions = Vec::new();
        for time in b.time().start()..b.time().end() {
            for z in b.z().start()..b.z().end() {
                for y in b.y()..b.bottom() {
                    positions.extend((b.x()..b.right()).map(|x| Position { time, z, y, x }));
                }
            }
        }
        positions
    }

    proptest! {
        #[test]
        fn numbers_count_positions((outer, inner) in nested()) {
            let positions = all(&outer);
            prop_assert_eq!(outer.positions(), Some(positions.len() as u64));
            prop_assert!(positions.is_sorted());
            for (offset, position) in positions.iter().enumerate() {
                prop_assert_eq!(outer.offset_of(position), Some(offset as u64));
                prop_assert_eq!(outer.position_at(offset as u64), Some(*position));
                prop_assert_eq!(inner.offset_of(position).is_some(), inner.has(position));
            }
            prop_assert_eq!(outer.position_at(positions.len() as u64), None);
            let firsts: Vec<u64> = all(&inner).iter().filter(|p| p.x == inner.x())
                .map(|p| outer.offset_of(p).unwrap()).collect();
            prop_assert_eq!(outer.row_offsets(&inner).collect::<Vec<_>>(), firsts);
        }
    }

    #[test]
    fn nothing_overflows() {
        let all = Span::new(i64::MIN, u64::MAX).unwrap();
        let huge = Bounds::new(all, all, all, all);
        assert_eq!(huge.positions(), None);
        assert_eq!(huge.offset_of(&Position::space(0, 0, 0)), None);
        let last = Position { time: i64::MAX, z: i64::MAX, y: i64::MAX, x: i64::MAX };
        assert!(!huge.has(&last), "the end is outside");
        assert_eq!(huge.position_at(5).map(|position| position.x), Some(i64::MIN + 5));
        let empty = Bounds::plane(0, 0, 0, u64::MAX >> 1).unwrap();
        assert_eq!((empty.positions(), empty.position_at(0)), (Some(0), None));
    }
}
