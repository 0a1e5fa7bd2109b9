//! Regions in pieces: which files, chunks or nodes hold what lies in a box.
//!
//! Pieces are boxes of any size, side by side or overlapping, in the order of a Hilbert curve over the whole: what lies
//! close together in space lies close together in the order, so that a box is a few stretches of it. [`Pieces`] finds
//! them, [`Placement`] gives each node a stretch of equal weight, and [`Hilbert`] and [`HilbertCurve`] are the keys by themselves.

mod curve;
mod hilbert;
mod place;
mod tree;

use std::ops::Range;

pub use curve::HilbertCurve;
pub use hilbert::{Cell, Hilbert, MOST_ORDER};
pub use place::Placement;

use crate::{Bounds, Position, RegionError};
use tree::Tree;

/// One piece of a region: where it lies, and what holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece<I> {
    /// Where it lies in the whole.
    pub bounds: Bounds,
    /// What holds it: a file, a number, a node.
    pub id: I,
}

/// The pieces of a region in the order of a Hilbert curve over the box of all.
///
/// ```
/// use onceflow_region::{Bounds, Piece, Pieces, Remainder, partition};
///
/// let whole = Bounds::plane(0, 0, 4096, 4096).ok_or("too large")?;
/// let parts = partition(whole, 512, 0, Remainder::Keep).map_err(|_| "no parts")?;
/// let files = parts.iter().map(|part| Piece { bounds: part.core, id: format!("{}.tif", part.index) });
/// let pieces = Pieces::new(files.collect()).map_err(|_| "no pieces")?;
///
/// let corner = Bounds::plane(500, 500, 20, 20).ok_or("too large")?;
/// let mut found: Vec<&str> = pieces.query(&corner).map(|piece| piece.id.as_str()).collect();
/// found.sort();
/// assert_eq!(found, ["0.tif", "1.tif", "8.tif", "9.tif"]);
/// assert_eq!(pieces.ranges(&corner, None).len(), 1, "neighbours on the curve");
///
/// let placement = pieces.place(4, |piece| piece.bounds.area() as f64).map_err(|_| "no nodes")?;
/// assert_eq!(placement.nodes_of(&pieces.ranges(&corner, None)), [0]);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pieces<I> {
    curve: Option<HilbertCurve>,
    /// The keys of the middles, ascending.
    keys: Vec<u64>,
    pieces: Vec<Piece<I>>,
    tree: Tree,
}

impl<I> Pieces<I> {
    /// The pieces in the order of the curve; those with the same key stay in the order in which they came.
    ///
    /// # Errors
    /// When the box of a piece is empty.
    pub fn new(pieces: Vec<Piece<I>>) -> Result<Pieces<I>, RegionError> {
        if let Some(piece) = pieces.iter().find(|piece| piece.bounds.is_empty()) {
            let (expected, todo) = ("pieces with at least one position", "leave it out");
            return Err(RegionError::Partition { expected, found: piece.bounds.to_string(), todo });
        }
        let whole = pieces.iter().map(|piece| piece.bounds).reduce(|a, b| a.hull(&b));
        let curve = whole.and_then(HilbertCurve::over);
        let key = |piece: &Piece<I>| curve.map_or(0, |curve| curve.key(&middle(&piece.bounds)));
        let mut keyed: Vec<(u64, Piece<I>)> = pieces.into_iter().map(|piece| (key(&piece), piece)).collect();
        keyed.sort_by_key(|(key, _)| *key);
        let (keys, pieces): (Vec<u64>, Vec<Piece<I>>) = keyed.into_iter().unzip();
        let tree = Tree::over(pieces.iter().map(|piece| piece.bounds));
        Ok(Pieces { curve, keys, pieces, tree })
    }

    /// How many pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The smallest box with all pieces; `None` when there is none.
    pub fn bounds(&self) -> Option<Bounds> {
        self.curve.map(|curve| curve.bounds())
    }

    /// The curve by whose keys the pieces are ordered; `None` when there is no piece.
    pub fn curve(&self) -> Option<&HilbertCurve> {
        self.curve.as_ref()
    }

    /// All pieces with their keys, in the order of the keys.
    pub fn keyed(&self) -> impl Iterator<Item = (u64, &Piece<I>)> {
        self.keys.iter().copied().zip(&self.pieces)
    }

    /// The pieces that have a position in a box, in the order of their keys.
    pub fn query(&self, bounds: &Bounds) -> impl Iterator<Item = &Piece<I>> + use<'_, I> {
        self.stretches(bounds).into_iter().flat_map(|stretch| &self.pieces[stretch])
    }

    /// The keys of the pieces that have a position in a box, as ranges in ascending order, none of which touch. Keys in a
    /// range that are not theirs belong to no piece, but where pieces share a key.
    ///
    /// With `at_most` there are at most so many (at least one): ranges with the fewest pieces between them are joined.
    pub fn ranges(&self, bounds: &Bounds, at_most: Option<usize>) -> Vec<Range<u64>> {
        let mut found = self.stretches(bounds);
        if let Some(most) = at_most {
            found = hilbert::joined(found, most, |one, other| (other.start - one.end) as u64);
        }
        let keys = found.into_iter().map(|stretch| self.keys[stretch.start]..self.keys[stretch.end - 1] + 1);
        hilbert::merged(keys.collect())
    }

    /// The pieces whose keys lie in a range.
    pub fn in_range(&self, keys: &Range<u64>) -> &[Piece<I>] {
        let start = self.keys.partition_point(|&key| key < keys.start);
        let end = self.keys.partition_point(|&key| key < keys.end);
        &self.pieces[start..end.max(start)]
    }

    /// A stretch of keys of equal weight for each of some nodes, as equal as whole pieces allow: no node has more than
    /// its share and the heaviest piece.
    ///
    /// # Errors
    /// When there is no node, or a weight is negative or no number.
    pub fn place(&self, nodes: usize, weight: impl Fn(&Piece<I>) -> f64) -> Result<Placement, RegionError> {
        Placement::new(nodes, self.keyed().map(|(key, piece)| (key, weight(piece))))
    }

    fn stretches(&self, bounds: &Bounds) -> Vec<Range<usize>> {
        self.tree.stretches(bounds, |index| &self.pieces[index].bounds)
    }
}

fn middle(bounds: &Bounds) -> Position {
    let half = |start: i64, length: u64| start.saturating_add_unsigned(length / 2);
    let (z, time) = (bounds.z(), bounds.time());
    Position {
        time: time.start(),
        z: half(z.start(), z.length()),
        y: half(bounds.y(), bounds.height()),
        x: half(bounds.x(), bounds.width()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::position::tests::small;
    use crate::{Remainder, partition};

    fn numbered(boxes: Vec<Bounds>) -> Pieces<usize> {
        let piece = |(id, bounds)| Piece { bounds, id };
        Pieces::new(boxes.into_iter().enumerate().map(piece).collect()).unwrap()
    }

    proptest! {
        /// Boxes of any size that overlap: what a query finds is what looking at each finds.
        #[test]
        fn a_query_finds_the_pieces_that_meet_the_box(
            boxes in prop::collection::vec(small(), 0..300), query in small(), most in 1usize..5,
        ) {
            let pieces = numbered(boxes.clone());
            let mut found: Vec<usize> = pieces.query(&query).map(|piece| piece.id).collect();
            let expected: Vec<usize> =
                (0..boxes.len()).filter(|&id| boxes[id].intersect(&query).is_some()).collect();
            for at_most in [None, Some(most)] {
                let ranges = pieces.ranges(&query, at_most);
                prop_assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
                prop_assert!(at_most.is_none_or(|most| ranges.len() <= most));
                let held: Vec<usize> = ranges.iter().flat_map(|range| pieces.in_range(range)).map(|p| p.id).collect();
                prop_assert!(found.iter().all(|id| held.contains(id)));
            }
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }

        /// Of a grid, ranges hold the keys of the pieces found and of no others.
        #[test]
        fn ranges_of_a_grid_hold_the_pieces_found_and_no_others(
            (width, height) in (1u64..90, 1u64..90), size in 3u64..20,
            (x, y) in (-5i64..90, -5i64..90), (w, h) in (0u64..60, 0u64..60),
        ) {
            let whole = Bounds::plane(0, 0, width, height).unwrap();
            let parts = partition(whole, size, 0, Remainder::Keep).unwrap();
            let pieces = numbered(parts.iter().map(|part| part.core).collect());
            let query = Bounds::plane(x, y, w, h).unwrap();
            let found: Vec<usize> = pieces.query(&query).map(|piece| piece.id).collect();
            let ranges = pieces.ranges(&query, None);
            let held: Vec<usize> = ranges.iter().flat_map(|range| pieces.in_range(range)).map(|p| p.id).collect();
            prop_assert_eq!(&found, &held);
            // The keys of the middles of what lies wholly inside are among those of the box itself.
            let keys = pieces.curve().unwrap().ranges(&query, None);
            for (key, piece) in pieces.keyed().filter(|(_, piece)| query.contains(&piece.bounds)) {
                prop_assert!(keys.iter().any(|range| range.contains(&key)), "{}", piece.bounds);
            }
        }
    }

    #[test]
    fn nothing_in_pieces_has_no_box() {
        let none: Pieces<u8> = Pieces::new(Vec::new()).unwrap();
        let query = Bounds::plane(0, 0, 9, 9).unwrap();
        assert!(none.is_empty() && none.bounds().is_none() && none.query(&query).next().is_none());
        assert!(none.ranges(&query, Some(3)).is_empty());
        let empty = Piece { bounds: Bounds::plane(0, 0, 0, 5).unwrap(), id: 0 };
        assert!(Pieces::new(vec![empty]).is_err());
    }

    #[test]
    fn a_square_of_a_grid_is_one_range() {
        let parts = partition(Bounds::plane(0, 0, 1024, 1024).unwrap(), 16, 0, Remainder::Keep).unwrap();
        let pieces = numbered(parts.iter().map(|part| part.core).collect());
        let quarter = Bounds::plane(512, 0, 512, 512).unwrap();
        assert_eq!((pieces.ranges(&quarter, None).len(), pieces.query(&quarter).count()), (1, 1024));
    }
}
