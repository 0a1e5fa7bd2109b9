//! Filters that take and give rows: the frame around an element's arithmetic.

use std::marker::PhantomData;
use std::mem;
use std::ops::Range;

use crate::{View, ViewMut};

/// Takes rows from the top and gives the rows of the result, [`RowFilter::DELAY`] rows later.
pub(super) trait RowFilter {
    /// How many rows below a row its result depends on, and as many above.
    const REACH: usize;

    /// How many rows come in after a row before its result comes out. That is more than it depends on: reading shifted data
    /// that was just written is slow, so that it is read one row later.
    const DELAY: usize;

    /// The state kept of earlier rows.
    type RowState<'a>;

    /// Bytes of memory for rows of this width.
    fn bytes(width: usize) -> usize;

    /// The state before the first row.
    fn begin(width: usize, memory: AlignedMemory<'_>) -> Self::RowState<'_>;

    /// Takes the next row, or `None` after the last one, and writes the next row of the result; the result has [`computed`]
    /// columns.
    fn push(state: &mut Self::RowState<'_>, row: Option<&[u8]>, result: &mut [u8]);
}

/// Bytes of state at most: as many as the second-level cache holds beside the rows that come and go.
const STATE: usize = 320 << 10;

/// Columns past the end of a row that its first windows reach.
const SLACK: usize = 16;

/// Columns that are computed for rows of this width, whole vectors; columns beyond the width are undefined.
pub(super) fn computed(width: usize) -> usize {
    (width + SLACK).next_multiple_of(LINE)
}

/// The given rows of a filtered image, strip by strip, all of about one width. Strips overlap, because results near their
/// ends are wrong.
#[inline(always)]
pub(super) fn stream<S: RowFilter>(
    image: View<'_, u8>,
    rows: Range<usize>,
    mut target: ViewMut<'_, u8>,
    memory: &mut Vec<u8>,
) {
    let strips = image.width().div_ceil(widest::<S>()).max(1);
    let wide = image.width().div_ceil(strips).max(1);
    for left in (0..image.width()).step_by(wide) {
        let right = (left + wide).min(image.width());
        let outer = left.saturating_sub(S::REACH)..(right + S::REACH).min(image.width());
        let inner = left - outer.start..right - outer.start;
        let mut memory = AlignedMemory::new(memory, S::bytes(outer.len()) + line(computed(outer.len())));
        let result = memory.take(computed(outer.len()));
        let mut state = S::begin(outer.len(), memory);
        let strip = image.columns(outer);
        for y in rows.start.saturating_sub(S::REACH)..rows.end + S::DELAY {
            S::push(&mut state, (y < strip.height()).then(|| strip.row(y)), result);
            if let Some(done) = y.checked_sub(S::DELAY + rows.start) {
                target.row_mut(done)[left..right].copy_from_slice(&result[inner.clone()]);
            }
        }
    }
}

/// How many columns of a filter are worked on at a time.
fn widest<S: RowFilter>() -> usize {
    const SOME: usize = 1024;
    STATE * SOME / S::bytes(SOME) - 2 * S::REACH
}

/// Two filters, one after the other.
pub(super) struct FilterChain<S, T>(PhantomData<(S, T)>);

/// The state of two filters.
pub(super) struct FilterChainState<'a, S: RowFilter, T: RowFilter> {
    first: S::RowState<'a>,
    second: T::RowState<'a>,
    between: &'a mut [u8],
    width: usize,
    /// Number of pushes, and number of pushes after the last row.
    pushed: usize,
    ended: usize,
}

impl<S: RowFilter, T: RowFilter> RowFilter for FilterChain<S, T> {
    const REACH: usize = S::REACH + T::REACH;

    const DELAY: usize = S::DELAY + T::DELAY;

    type RowState<'a> = FilterChainState<'a, S, T>;

    fn bytes(width: usize) -> usize {
        S::bytes(width) + T::bytes(width) + line(computed(width))
    }

    fn begin(width: usize, mut memory: AlignedMemory<'_>) -> Self::RowState<'_> {
        let between = memory.take(computed(width));
        let first = S::begin(width, memory.part(S::bytes(width)));
        FilterChainState { first, second: T::begin(width, memory), between, width, pushed: 0, ended: 0 }
    }

    #[inline(always)]
    fn push(state: &mut Self::RowState<'_>, row: Option<&[u8]>, result: &mut [u8]) {
        state.ended += usize::from(row.is_none());
        S::push(&mut state.first, row, state.between);
        let is_row = state.pushed >= S::DELAY && state.ended <= S::DELAY;
        T::push(&mut state.second, is_row.then_some(&state.between[..state.width]), result);
        state.pushed += 1;
    }
}

/// Memory allocated piece by piece, each an odd number of cache lines long: pieces of a power of two would all map to the
/// same few cache sets.
pub(super) struct AlignedMemory<'a>(&'a mut [u8]);

const LINE: usize = 64;

/// The size of a piece for this many bytes.
pub(super) fn line(bytes: usize) -> usize {
    (bytes.div_ceil(LINE) | 1) * LINE
}

impl<'a> AlignedMemory<'a> {
    fn new(memory: &'a mut Vec<u8>, bytes: usize) -> Self {
        memory.resize(memory.len().max(bytes + LINE), 0);
        let start = memory.as_ptr().align_offset(LINE).min(LINE);
        Self(&mut memory[start..start + bytes])
    }

    /// The next `bytes` bytes.
    pub(super) fn take(&mut self, bytes: usize) -> &'a mut [u8] {
        &mut self.part(line(bytes)).0[..bytes]
    }

    /// The next `bytes` bytes as memory of its own.
    fn part(&mut self, bytes: usize) -> Self {
        let (taken, rest) = mem::take(&mut self.0).split_at_mut(bytes);
        self.0 = rest;
        Self(taken)
    }

    /// Fills all of it with one value.
    pub(super) fn fill(&mut self, value: u8) {
        self.0.fill(value);
    }
}

/// A ring buffer of rows.
pub(super) struct RowRing<'a, const COUNT: usize> {
    rows: [&'a mut [u8]; COUNT],
    next: usize,
}

impl<'a, const COUNT: usize> RowRing<'a, COUNT> {
    pub(super) fn new(memory: &mut AlignedMemory<'a>, width: usize) -> Self {
        Self { rows: [0; COUNT].map(|_| memory.take(width)), next: 0 }
    }

    /// The oldest row, to be replaced by the newest.
    #[inline(always)]
    pub(super) fn turn(&mut self) -> &mut [u8] {
        let at = self.next % COUNT;
        self.next = at + 1;
        self.rows[at]
    }
}
