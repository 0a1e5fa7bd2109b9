//! The runs of one row, by their edges.

use std::ops::Range;

use crate::{Connectivity, bits};

/// Columns of a run: the first, and the one after the last.
type Edges = [u32; 2];

/// The sentinel after the last run: no run touches it.
const END: u32 = u32::MAX - 2;

/// The runs of one row, from the left.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunRow {
    /// Pairs of columns; entries after the end are undefined.
    edges: Vec<u32>,
    count: usize,
}

impl RunRow {
    /// Finds the runs of a row of bits.
    #[inline(always)]
    pub(super) fn find(&mut self, words: &[u64]) {
        self.count = bits::write_edges(words, words.len() * 64, &mut self.edges);
        self.edges[self.count..self.count + 2].fill(END);
    }

    #[inline(always)]
    pub(super) fn runs(&self) -> &[Edges] {
        self.edges[..self.count].as_chunks().0
    }

    /// The runs, and one beyond all columns.
    #[inline(always)]
    fn runs_and_end(&self) -> &[Edges] {
        self.edges[..self.count + 2].as_chunks().0
    }
}

/// Walks along a row to find which of its runs touch those of the row below.
pub(super) struct Touching<'a> {
    runs: &'a [Edges],
    reach: u32,
    first: usize,
}

impl<'a> Touching<'a> {
    #[inline(always)]
    pub(super) fn new(above: &'a RunRow, connectivity: Connectivity) -> Self {
        Self { runs: above.runs_and_end(), reach: connectivity.reach() as u32, first: 0 }
    }

    /// The runs that touch the next run below; runs below come from the left.
    #[inline(always)]
    pub(super) fn next(&mut self, start: u32, end: u32) -> Range<usize> {
        let Self { runs, reach, mut first } = *self;
        while runs[first][1] + reach <= start {
            first += 1;
        }
        let mut after = first;
        while runs[after][0] < end + reach {
            after += 1;
        }
        // The last one may touch the next one below as well.
        self.first = first.max(after.saturating_sub(1));
        first..after
    }
}
