//! The Hilbert curve through the cells of a square or a cube, from cell to key and back, and the keys of a box of cells.
//!
//! A cell of the curve is divided into four (eight in space), and how the curve runs through them depends on how it runs
//! through the cell: its state, of which the tables say the next. The tables follow C. Hamilton, *Compact Hilbert
//! Indices* (2006): a state is where the curve enters and along which axis it leaves.

use std::ops::Range;

/// A cell: column, row, depth. In the plane the depth is 0.
pub type Cell = [u32; 3];

/// The Hilbert curve through a square of 2^order x 2^order cells, or a cube.
///
/// Neighbours on the curve are neighbours in space, and every square (cube) of 2^n cells that begins at a multiple of its
/// side is one stretch of the curve.
///
/// ```
/// use onceflow_region::Hilbert;
///
/// let curve = Hilbert::plane(1).ok_or("no such order")?;
/// let cells: Vec<_> = (0..4).filter_map(|key| curve.cell(key)).map(|[x, y, _]| (x, y)).collect();
/// assert_eq!(cells, [(0, 0), (0, 1), (1, 1), (1, 0)]);
/// assert_eq!(curve.key([1, 1, 0]), Some(2));
/// assert_eq!(curve.ranges([0, 0, 0], [2, 1, 1], None), [0..1, 3..4]);
/// assert_eq!(curve.ranges([0, 0, 0], [2, 1, 1], Some(1)), [0..4]);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Hilbert {
    tables: &'static Tables,
    order: u32,
}

/// The finest curve: its keys in space have 63 bits.
pub const MOST_ORDER: u32 = 21;

impl Hilbert {
    /// The curve through a square of 2^order x 2^order cells; `None` above an order of 21.
    pub fn plane(order: u32) -> Option<Hilbert> {
        (order <= MOST_ORDER).then_some(Hilbert { tables: &PLANE, order })
    }

    /// The curve through a cube of 2^order x 2^order x 2^order cells; `None` above an order of 21.
    pub fn space(order: u32) -> Option<Hilbert> {
        (order <= MOST_ORDER).then_some(Hilbert { tables: &SPACE, order })
    }

    /// How often the square or cube is halved.
    pub fn order(&self) -> u32 {
        self.order
    }

    /// How many keys there are.
    pub fn keys(&self) -> u64 {
        1 << (self.order * self.tables.axes)
    }

    /// The key of a cell; `None` outside.
    pub fn key(&self, cell: Cell) -> Option<u64> {
        self.contains(&cell).then(|| self.key_of(cell))
    }

    /// The key of a cell that lies within.
    pub(super) fn key_of(&self, [x, y, z]: Cell) -> u64 {
        let (mut key, mut state) = (0, 0);
        for level in (0..self.order).rev() {
            let corner = (x >> level & 1) | (y >> level & 1) << 1 | (z >> level & 1) << 2;
            let turn = self.tables.turn[state][corner as usize];
            key = key << self.tables.axes | u64::from(turn);
            state = usize::from(self.tables.next[state][usize::from(turn)]);
        }
        key
    }

    /// The cell with a key; `None` when there are fewer.
    pub fn cell(&self, key: u64) -> Option<Cell> {
        if key >= self.keys() {
            return None;
        }
        let (axes, mut cell, mut state) = (self.tables.axes, [0; 3], 0);
        for level in (0..self.order).rev() {
            let turn = (key >> (level * axes)) as usize & ((1 << axes) - 1);
            let corner = self.tables.corner[state][turn];
            cell = half_of(cell, corner);
            state = usize::from(self.tables.next[state][turn]);
        }
        Some(cell)
    }

    /// The keys of the cells from `from` up to, but without, `to`, as few ranges in ascending order, none of which touch.
    ///
    /// Without `at_most` they are exactly those keys. With it there are at most so many ranges (at least one): ranges with
    /// the smallest gaps between them are joined, and where there are very many, cells at the sides of the box are taken
    /// together.
    pub fn ranges(&self, from: Cell, to: Cell, at_most: Option<usize>) -> Vec<Range<u64>> {
        let wanted = WantedRanges { from, to: self.clipped(to), axes: self.tables.axes as usize };
        if (0..3).any(|axis| wanted.from[axis] >= wanted.to[axis]) {
            return Vec::new();
        }
        // More than this is not looked at to join it again.
        let enough = at_most.map_or(usize::MAX, |most| most.saturating_mul(4).max(32));
        let (mut done, mut open) = (Vec::new(), vec![HilbertSquare { key: 0, state: 0, cell: [0; 3] }]);
        for level in (0..=self.order).rev() {
            open.retain(|square| wanted.meets(square, level));
            let (whole, cut): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|square| level == 0 || wanted.holds(square, level));
            done.extend(whole.iter().map(|square| self.stretch(square, level)));
            if done.len() + cut.len() > enough {
                done.extend(cut.iter().map(|square| self.stretch(square, level)));
                break;
            }
            open = cut.iter().flat_map(|square| self.children(*square)).collect();
        }
        done.sort_unstable_by_key(|range| range.start);
        let merged = merged(done);
        match at_most {
            Some(most) => joined(merged, most, |one, other| other.start - one.end),
            None => merged,
        }
    }

    fn contains(&self, cell: &Cell) -> bool {
        let sides = self.clipped([u32::MAX; 3]);
        cell.iter().zip(sides).all(|(&place, side)| place < side)
    }

    fn clipped(&self, to: Cell) -> Cell {
        let depth = if self.tables.axes == 3 { self.order } else { 0 };
        [to[0].min(1 << self.order), to[1].min(1 << self.order), to[2].min(1 << depth)]
    }

    /// The keys of a square of 2^level cells.
    fn stretch(&self, square: &HilbertSquare, level: u32) -> Range<u64> {
        let bits = level * self.tables.axes;
        square.key << bits..(square.key + 1) << bits
    }

    fn children(&self, square: HilbertSquare) -> impl Iterator<Item = HilbertSquare> {
        let tables = self.tables;
        (0..1usize << tables.axes).map(move |turn| HilbertSquare {
            key: square.key << tables.axes | turn as u64,
            state: tables.next[square.state][turn].into(),
            cell: half_of(square.cell, tables.corner[square.state][turn]),
        })
    }
}

/// Ranges in ascending order, those that touch or overlap made one.
pub(super) fn merged(ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// At most so many ranges, joined where the gap between two is smallest.
pub(super) fn joined<T: Copy>(
    ranges: Vec<Range<T>>,
    most: usize,
    gap: impl Fn(&Range<T>, &Range<T>) -> u64,
) -> Vec<Range<T>> {
    let most = most.max(1);
    if ranges.len() <= most {
        return ranges;
    }
    let mut cuts: Vec<usize> = (1..ranges.len()).collect();
    // The widest gaps stay; of equal ones the first.
    cuts.sort_by_key(|&cut| std::cmp::Reverse(gap(&ranges[cut - 1], &ranges[cut])));
    cuts.truncate(most - 1);
    cuts.sort_unstable();
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain(std::iter::once(ranges.len()));
    starts.zip(ends).map(|(start, end)| ranges[start].start..ranges[end - 1].end).collect()
}

/// A square (cube) of the halved curve: its key, cell and state at its level.
#[derive(Clone, Copy)]
struct HilbertSquare {
    key: u64,
    state: usize,
    cell: Cell,
}

struct WantedRanges {
    from: Cell,
    to: Cell,
    axes: usize,
}

impl WantedRanges {
    fn meets(&self, square: &HilbertSquare, level: u32) -> bool {
        (0..self.axes).all(|axis| {
            let (start, end) = side(square.cell[axis], level);
            start < u64::from(self.to[axis]) && u64::from(self.from[axis]) < end
        })
    }

    fn holds(&self, square: &HilbertSquare, level: u32) -> bool {
        (0..self.axes).all(|axis| {
            let (start, end) = side(square.cell[axis], level);
            u64::from(self.from[axis]) <= start && end <= u64::from(self.to[axis])
        })
    }
}

fn side(place: u32, level: u32) -> (u64, u64) {
    (u64::from(place) << level, (u64::from(place) + 1) << level)
}

/// The cell in a corner of a cell, one level further down.
fn half_of(cell: Cell, corner: u8) -> Cell {
    let bit = |axis: u32| u32::from(corner >> axis & 1);
    [cell[0] << 1 | bit(0), cell[1] << 1 | bit(1), cell[2] << 1 | bit(2)]
}

/// How the curve runs through the corners of a cell in each state.
#[derive(Debug)]
struct Tables {
    axes: u32,
    /// The corner that comes at each turn.
    corner: [[u8; 8]; 24],
    /// The turn at which each corner comes.
    turn: [[u8; 8]; 24],
    /// The state within the corner that comes at each turn.
    next: [[u8; 8]; 24],
}

static PLANE: Tables = Tables::new(2);
static SPACE: Tables = Tables::new(3);

impl Tables {
    const fn new(axes: u32) -> Tables {
        let mut tables = Tables { axes, corner: [[0; 8]; 24], turn: [[0; 8]; 24], next: [[0; 8]; 24] };
        let corners = 1 << axes;
        let mut state = 0;
        while state < axes * corners {
            // Where the curve enters, and the axis along which it leaves.
            let (entry, axis) = (state % corners, state / corners);
            let mut turn = 0;
            while turn < corners {
                let corner = rotated(turn ^ turn >> 1, axis + 1, axes) ^ entry;
                let enters = if turn == 0 { 0 } else { gray((turn - 1) / 2 * 2) };
                let leaves = match turn {
                    0 => 0,
                    turn if turn % 2 == 0 => (turn - 1).trailing_ones() % axes,
                    turn => turn.trailing_ones() % axes,
                };
                let next = (axis + leaves + 1) % axes * corners + (entry ^ rotated(enters, axis + 1, axes));
                tables.corner[state as usize][turn as usize] = corner as u8;
                tables.turn[state as usize][corner as usize] = turn as u8;
                tables.next[state as usize][turn as usize] = next as u8;
                turn += 1;
            }
            state += 1;
        }
        tables
    }
}

const fn gray(number: u32) -> u32 {
    number ^ number >> 1
}

/// The lowest bits rotated to the left.
const fn rotated(bits: u32, by: u32, width: u32) -> u32 {
    let by = by % width;
    (bits << by | bits >> (width - by)) & ((1 << width) - 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn curve() -> impl Strategy<Value = Hilbert> {
        (any::<bool>(), 0u32..=MOST_ORDER).prop_map(|(plane, order)| {
            if plane { Hilbert::plane(order).unwrap() } else { Hilbert::space(order).unwrap() }
        })
    }

    fn steps(one: Cell, other: Cell) -> u32 {
        one.iter().zip(other).map(|(&a, b)| a.abs_diff(b)).sum()
    }

    /// Every key of small curves: each cell once, and each next to the one before.
    #[test]
    fn small_curves_visit_every_cell_in_unit_steps() {
        let planes = (0..=6).filter_map(Hilbert::plane);
        for curve in planes.chain((0..=4).filter_map(Hilbert::space)) {
            let cells: Vec<Cell> = (0..curve.keys()).map(|key| curve.cell(key).unwrap()).collect();
            assert!(cells.windows(2).all(|pair| steps(pair[0], pair[1]) == 1), "{curve:?}");
            let mut sorted = cells.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len() as u64, curve.keys());
            assert!(cells.iter().enumerate().all(|(key, &cell)| curve.key(cell) == Some(key as u64)));
        }
    }

    proptest! {
        #[test]
        fn keys_and_cells_are_one_to_one(curve in curve(), at in any::<u64>()) {
            let key = at % curve.keys();
            let cell = curve.cell(key).unwrap();
            prop_assert_eq!(curve.key(cell), Some(key));
            if let Some(next) = curve.cell(key + 1) {
                prop_assert_eq!(steps(cell, next), 1);
            }
            prop_assert_eq!(curve.cell(curve.keys() + at % 9), None);
            prop_assert_eq!(curve.key([1 << curve.order(), 0, 0]), None);
        }

        /// The first bits of a key are the key of the larger cell, so that each larger cell is one stretch.
        #[test]
        fn a_larger_cell_is_one_stretch(curve in curve(), at in any::<u64>(), up in 0u32..=MOST_ORDER) {
            let up = up.min(curve.order());
            let coarse = Hilbert { order: curve.order - up, ..curve };
            let key = at % curve.keys();
            let larger = curve.cell(key).unwrap().map(|place| place >> up);
            prop_assert_eq!(coarse.key(larger), Some(key >> (up * curve.tables.axes)));
        }

        #[test]
        fn ranges_hold_the_keys_of_the_box_and_no_others(
            plane in any::<bool>(), order in 0u32..4, from in prop::array::uniform3(0u32..9),
            size in prop::array::uniform3(0u32..9), most in 1usize..6,
        ) {
            let curve = if plane { Hilbert::plane(order).unwrap() } else { Hilbert::space(order).unwrap() };
            let from = if plane { [from[0], from[1], 0] } else { from };
            let to = [0, 1, 2].map(|axis| from[axis] + size[axis].max(u32::from(plane && axis == 2)));
            let exact = curve.ranges(from, to, None);
            for key in 0..curve.keys() {
                let cell = curve.cell(key).unwrap();
                let wanted = (0..3).all(|axis| (from[axis]..to[axis]).contains(&cell[axis]));
                prop_assert_eq!(exact.iter().any(|range| range.contains(&key)), wanted);
            }
            prop_assert!(exact.windows(2).all(|pair| pair[0].end < pair[1].start));
            let few = curve.ranges(from, to, Some(most));
            prop_assert!(few.len() <= most && few.len() <= exact.len());
            prop_assert!(exact.iter().all(|range| few.iter().any(|f| f.start <= range.start && range.end <= f.end)));
            // Of so few cells each could be looked at by itself; those of a larger box may have been taken together.
            let cells: u64 = exact.iter().map(|range| range.end - range.start).sum();
            if cells <= 32 {
                prop_assert_eq!(few.len(), exact.len().min(most));
            }
        }
    }

    #[test]
    fn a_bound_keeps_huge_boxes_cheap() {
        let curve = Hilbert::space(MOST_ORDER).unwrap();
        let box_of = |from: u32, to: u32| ([from; 3], [to; 3]);
        let (from, to) = box_of(12_345, 1_987_654);
        let ranges = curve.ranges(from, to, Some(16));
        assert!(ranges.len() <= 16 && ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
        for cell in [from, [1_987_653; 3], [500_000, 12_345, 1_987_653]] {
            let key = curve.key(cell).unwrap();
            assert!(ranges.iter().any(|range| range.contains(&key)));
        }
        let ([.., _], whole) = box_of(0, u32::MAX);
        assert_eq!(curve.ranges([0; 3], whole, None), vec![0..curve.keys()]);
        assert!(curve.ranges(to, from, None).is_empty());
    }
}
