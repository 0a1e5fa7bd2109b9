//! The one deduplication: rows that agree in all columns are one class.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// For each row the number of its class; classes are numbered in the order of their first rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Classes {
    pub(super) of: Vec<u32>,
    pub(super) count: u32,
}

impl Classes {
    /// All rows are one class.
    pub(super) fn one(rows: usize) -> Self {
        Self { of: vec![0; rows], count: rows.min(1) as u32 }
    }

    /// Each row is a class of its own.
    pub(super) fn each(rows: usize) -> Self {
        Self { of: (0..rows as u32).collect(), count: rows as u32 }
    }

    /// Classes with numbers below `bound` in any order; some may be of no row.
    pub(super) fn renumbered(mut of: Vec<u32>, bound: usize) -> Self {
        let mut known = vec![u32::MAX; bound];
        let mut count = 0;
        for class in &mut of {
            let number = &mut known[*class as usize];
            if *number == u32::MAX {
                *number = count;
                count += 1;
            }
            *class = *number;
        }
        Self { of, count }
    }

    /// Rows are in one class when they are in one class in every column.
    pub(super) fn meet<'c>(rows: usize, columns: impl IntoIterator<Item = &'c Self>) -> Self {
        let mut columns = columns.into_iter();
        let first = columns.next().cloned().unwrap_or_else(|| Self::one(rows));
        columns.fold(first, Self::split)
    }

    /// The first row of each class, in the order of the classes.
    pub(super) fn first_rows(&self) -> Vec<u32> {
        let mut first = Vec::with_capacity(self.count as usize);
        for (row, class) in self.of.iter().enumerate() {
            if *class as usize == first.len() {
                first.push(row as u32);
            }
        }
        first
    }

    fn split(mut self, other: &Self) -> Self {
        let mut pairs: HashMap<u64, u32, BuildHasherDefault<Mix>> = HashMap::default();
        for (class, second) in self.of.iter_mut().zip(&other.of) {
            let next = pairs.len() as u32;
            *class = *pairs.entry(u64::from(*class) << 32 | u64::from(*second)).or_insert(next);
        }
        self.count = pairs.len() as u32;
        self
    }
}

/// Hashes one number well enough and fast: the keys are numbers that we count ourselves.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (number ^ number >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_meet_where_all_columns_agree() {
        let a = Classes { of: vec![0, 0, 1, 1, 0], count: 2 };
        let b = Classes { of: vec![0, 1, 0, 0, 1], count: 2 };
        let both = Classes::meet(5, [&a, &b]);
        assert_eq!(both, Classes { of: vec![0, 1, 2, 2, 1], count: 3 });
        assert_eq!(both.first_rows(), [0, 1, 2]);
        assert_eq!(Classes::meet(5, []), Classes::one(5));
        assert_eq!(Classes::meet(0, []).count, 0);
    }
}
