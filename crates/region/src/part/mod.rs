//! Cutting a box into parts, each with a halo that is read around it and cropped again.

mod balanced;
mod quad;

pub use balanced::{CostMap, partition_by_cost};
pub use quad::{QuadLimit, drop_background, partition_by_quad_tree};

use crate::{Bounds, Dense, RegionError};

/// One cell of a partition. It knows its place in the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Part {
    /// Its number: row by row from the upper left.
    pub index: usize,
    /// What belongs to it and to no other part.
    pub core: Bounds,
    /// What it reads: the core grown by the halo, clipped to the whole.
    pub read: Bounds,
}

impl Part {
    /// The core as seen from the upper left corner of what is read.
    pub fn core_in_read(&self) -> Option<Bounds> {
        self.core.relative_to(&self.read)
    }

    /// Cuts a result over what was read down to the core.
    ///
    /// # Errors
    /// When the result does not have the size of what was read.
    pub fn crop(&self, result: &Dense) -> Result<Dense, RegionError> {
        let outer = result.bounds();
        let wrong = RegionError::Outside { outer: Box::new(outer), inner: Box::new(self.read) };
        let core = self.core_in_read().ok_or(wrong.clone())?;
        if (outer.width(), outer.height()) != (self.read.width(), self.read.height()) {
            return Err(wrong);
        }
        result.crop(core)
    }
}

/// What becomes of the rest of a side that the size does not divide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Remainder {
    /// It is a part of its own.
    Keep,
    /// It joins its neighbour when it is smaller than half a part.
    Merge,
}

/// More parts than this are a mistake in the size.
pub(crate) const MOST_PARTS: u64 = 1 << 24;

/// Cuts a box into squares of `size` with a `halo`; every position lies in the core of exactly one part.
///
/// # Errors
/// When the box or the size is empty, there would be more than 16,777,216 parts, or the halo leaves the numbers.
pub fn partition(
    whole: Bounds,
    size: u64,
    halo: u64,
    remainder: Remainder,
) -> Result<Vec<Part>, RegionError> {
    check(&whole, size)?;
    let (columns, rows) =
        (Cuts::new(whole.width(), size, remainder), Cuts::new(whole.height(), size, remainder));
    if columns.count.saturating_mul(rows.count) > MOST_PARTS {
        let found = format!("size {size} for {whole}");
        return Err(RegionError::Partition { expected: FEWER, found, todo: "raise the size" });
    }
    let cells = (0..rows.count).flat_map(|row| (0..columns.count).map(move |column| (column, row)));
    let part = |(index, (column, row))| {
        let core = core(&whole, columns.cell(column), rows.cell(row)).ok_or_else(|| beyond(halo))?;
        with_halo(&whole, index, core, halo)
    };
    cells.enumerate().map(part).collect()
}

const FEWER: &str = "at most 16777216 parts";

fn check(whole: &Bounds, size: u64) -> Result<(), RegionError> {
    let empty = |expected, found: String, todo| Err(RegionError::Partition { expected, found, todo });
    if whole.is_empty() {
        return empty("a box with pixels", whole.to_string(), "give the box of the image");
    }
    if size == 0 {
        return empty("a size of at least 1 pixel", "0".into(), "give the side of a part in pixels");
    }
    Ok(())
}

fn core(whole: &Bounds, x: (u64, u64), y: (u64, u64)) -> Option<Bounds> {
    let (left, top) = (whole.x().checked_add_unsigned(x.0)?, whole.y().checked_add_unsigned(y.0)?);
    let place = Bounds::plane(left, top, x.1, y.1)?;
    Some(Bounds::new(place.columns(), place.rows(), whole.z(), whole.time()))
}

/// A part with what it reads around its core.
pub(crate) fn with_halo(whole: &Bounds, index: usize, core: Bounds, halo: u64) -> Result<Part, RegionError> {
    let read = core.grow(halo).and_then(|grown| grown.intersect(whole));
    read.map(|read| Part { index, core, read }).ok_or_else(|| beyond(halo))
}

fn beyond(halo: u64) -> RegionError {
    RegionError::Partition {
        expected: "a halo within the numbers of 64 bits",
        found: halo.to_string(),
        todo: "lower the halo",
    }
}

/// How one side is cut.
#[derive(Clone, Copy)]
struct Cuts {
    length: u64,
    size: u64,
    count: u64,
}

impl Cuts {
    fn new(length: u64, size: u64, remainder: Remainder) -> Cuts {
        let (full, rest) = (length / size, length % size);
        let joins = remainder == Remainder::Merge && full > 0 && rest < size - rest;
        let count = if rest == 0 || joins { full } else { full + 1 };
        Cuts { length, size, count }
    }

    /// Start and length of a cell; the last one takes what is left.
    fn cell(self, index: u64) -> (u64, u64) {
        let start = index * self.size;
        let end = if index + 1 == self.count { self.length } else { start + self.size };
        (start, end - start)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Pixels;

    fn remainder() -> impl Strategy<Value = Remainder> {
        prop_oneof![Just(Remainder::Keep), Just(Remainder::Merge)]
    }

    fn ramp(width: usize, height: usize) -> Dense {
        Dense::new(width, height, 1, Pixels::U32((0..(width * height) as u32).collect())).unwrap()
    }

    proptest! {
        #[test]
        fn every_position_lies_in_one_core(
            (x, y) in (-20i64..20, -20i64..20), (w, h) in (1u64..40, 1u64..40), size in 1u64..17, halo in 0u64..9,
            remainder in remainder(),
        ) {
            let whole = Bounds::plane(x, y, w, h).unwrap();
            let mut covered = vec![0u8; (w * h) as usize];
            for (index, part) in partition(whole, size, halo, remainder).unwrap().into_iter().enumerate() {
                prop_assert_eq!(part.index, index);
                prop_assert_eq!(Some(part.read), part.core.grow(halo).unwrap().intersect(&whole));
                let place = part.core.relative_to(&whole).unwrap();
                for row in place.y()..place.bottom() {
                    for column in place.x()..place.right() {
                        covered[row as usize * w as usize + column as usize] += 1;
                    }
                }
            }
            prop_assert!(covered.iter().all(|&times| times == 1));
        }

        #[test]
        fn merging_leaves_no_part_smaller_than_half(w in 1u64..100, size in 1u64..30) {
            let whole = Bounds::plane(0, 0, w, 1).unwrap();
            let parts = partition(whole, size, 0, Remainder::Merge).unwrap();
            for part in &parts {
                prop_assert!(parts.len() == 1 || 2 * part.core.width() >= size);
                prop_assert!(2 * part.core.width() < 3 * size);
            }
        }

        #[test]
        fn reading_with_a_halo_and_cropping_is_the_identity(
            (w, h) in (1usize..30, 1usize..30), size in 1u64..12, halo in 0u64..7, remainder in remainder(),
        ) {
            let image = ramp(w, h);
            for part in partition(image.bounds(), size, halo, remainder).unwrap() {
                let read = image.crop(part.read).unwrap();
                prop_assert_eq!(part.crop(&read).unwrap(), image.crop(part.core).unwrap());
            }
        }
    }

    #[test]
    fn rests_are_kept_or_merged() {
        let widths = |length, remainder| -> Vec<u64> {
            let whole = Bounds::plane(0, 0, length, 1).unwrap();
            partition(whole, 10, 0, remainder).unwrap().iter().map(|part| part.core.width()).collect()
        };
        assert_eq!(widths(24, Remainder::Keep), [10, 10, 4]);
        assert_eq!(widths(24, Remainder::Merge), [10, 14]);
        assert_eq!(widths(25, Remainder::Merge), [10, 10, 5]);
        assert_eq!(widths(4, Remainder::Merge), [4]);
    }

    #[test]
    fn refuses_what_cannot_be_cut() {
        let (empty, huge) =
            (Bounds::plane(0, 0, 0, 5).unwrap(), Bounds::plane(0, 0, 1 << 62, 1 << 62).unwrap());
        let small = Bounds::plane(0, 0, 5, 5).unwrap();
        assert!(partition(empty, 4, 0, Remainder::Keep).is_err());
        assert!(partition(small, 0, 0, Remainder::Keep).is_err());
        assert!(partition(huge, 1, 0, Remainder::Keep).is_err());
        assert!(partition(small, 4, u64::MAX, Remainder::Keep).is_err());
        let size = u64::MAX;
        assert_eq!(partition(small, size, 0, Remainder::Merge).unwrap()[0].core, small);
    }

    #[test]
    fn refuses_results_of_another_size() {
        let parts = partition(Bounds::plane(0, 0, 8, 8).unwrap(), 4, 1, Remainder::Keep).unwrap();
        assert!(parts[0].crop(&ramp(4, 4)).is_err());
        assert!(parts[0].crop(&ramp(5, 5)).is_ok());
    }
}
