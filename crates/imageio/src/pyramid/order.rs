//! The order in which the blocks of an image are read.

/// Gives out the columns and rows of blocks.
#[derive(Debug)]
pub(super) enum BlockOrder {
    /// Row by row.
    Rows {
        /// Blocks side by side, and one below the other.
        along: [u64; 2],
        /// The next.
        next: u64,
    },
    /// Quarter by quarter: each square of blocks is done before the next one of its size begins.
    Quarters {
        /// Blocks side by side, and one below the other.
        along: [u64; 2],
        /// Squares that are still to be done, the next one last: column, row and how often its side was doubled.
        squares: Vec<(u64, u64, u32)>,
    },
}

impl BlockOrder {
    pub(super) fn new(along: [u64; 2], quarters: bool) -> BlockOrder {
        if !quarters {
            return BlockOrder::Rows { along, next: 0 };
        }
        let side = along[0].max(along[1]).max(1).checked_next_power_of_two().unwrap_or(1 << 63);
        BlockOrder::Quarters { along, squares: vec![(0, 0, side.trailing_zeros())] }
    }
}

impl Iterator for BlockOrder {
    type Item = [u64; 2];

    fn next(&mut self) -> Option<[u64; 2]> {
        match self {
            BlockOrder::Rows { along: [across, down], next } => {
                let block = [*next % (*across).max(1), *next / (*across).max(1)];
                *next += 1;
                (*across > 0 && block[1] < *down).then_some(block)
            }
            BlockOrder::Quarters { along, squares } => loop {
                let (column, row, doubled) = squares.pop()?;
                if column >= along[0] || row >= along[1] {
                    continue;
                }
                if doubled == 0 {
                    return Some([column, row]);
                }
                let (doubled, half) = (doubled - 1, 1 << (doubled - 1));
                for (x, y) in [(half, half), (0, half), (half, 0), (0, 0)] {
                    squares.push((column + x, row + y, doubled));
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quarters_are_done_one_after_the_other() {
        let order: Vec<[u64; 2]> = BlockOrder::new([3, 2], true).collect();
        assert_eq!(order, [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [2, 1]]);
        let order: Vec<[u64; 2]> = BlockOrder::new([3, 2], false).collect();
        assert_eq!(order, [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]);
        assert_eq!(BlockOrder::new([1, 5], true).map(|block| block[1]).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn every_block_comes_once(across in 0u64..20, down in 0u64..20, quarters in any::<bool>()) {
            let order: Vec<[u64; 2]> = BlockOrder::new([across, down], quarters).collect();
            let found: BTreeSet<[u64; 2]> = order.iter().copied().collect();
            prop_assert_eq!(found.len(), order.len());
            prop_assert_eq!(order.len() as u64, across * down);
            prop_assert!(order.iter().all(|block| block[0] < across && block[1] < down));
        }
    }
}
