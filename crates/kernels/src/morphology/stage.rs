//! Rows in, rows out: the frame around an element's arithmetic.

use std::marker::PhantomData;
use std::mem;
use std::ops::Range;

use crate::{View, ViewMut};

/// Takes rows from the top and gives the rows of the result, [`Stage::DELAY`] later.
pub(super) trait Stage {
    /// How many rows below a row its result depends on, and as many above.
    const REACH: usize;

    /// How many rows come in after a row before its result comes out. That is more than it depends on: what was just
    /// written is dear to read again a few pixels further, so that it is left to settle while the next row comes in.
    const DELAY: usize;

    /// What it keeps of the rows it has seen.
    type State<'a>;

    /// Bytes of memory for rows of this width.
    fn bytes(width: usize) -> usize;

    /// Before the first row, above which there is nothing.
    fn begin(width: usize, memory: Memory<'_>) -> Self::State<'_>;

    /// Takes the next row, or that there is none left, and gives the row of the result that has become known; the
    /// result is as long as is [`computed`].
    fn push(state: &mut Self::State<'_>, row: Option<&[u8]>, result: &mut [u8]);
}

/// Bytes of state at most: as many as the second-level cache holds beside the rows that come and go.
const STATE: usize = 320 << 10;

/// Columns past the end of a row that its first windows reach.
const SLACK: usize = 16;

/// Columns that are computed for rows of this width, whole vectors; what lies beyond the width means nothing.
pub(super) fn computed(width: usize) -> usize {
    (width + SLACK).next_multiple_of(LINE)
}

/// The given rows of an image after a stage, strip by strip, all of about one width. Strips overlap, because what is near
/// an end of one is wrong.
#[inline(always)]
pub(super) fn stream<S: Stage>(
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
        let mut memory = Memory::new(memory, S::bytes(outer.len()) + line(computed(outer.len())));
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

/// How many columns of a stage are worked on at a time.
fn widest<S: Stage>() -> usize {
    const SOME: usize = 1024;
    STATE * SOME / S::bytes(SOME) - 2 * S::REACH
}

/// One stage after another.
pub(super) struct Both<S, T>(PhantomData<(S, T)>);

/// The state of two stages.
pub(super) struct BothStates<'a, S: Stage, T: Stage> {
    first: S::State<'a>,
    second: T::State<'a>,
    between: &'a mut [u8],
    width: usize,
    /// How often a row came in or was missing, and how often it was missing.
    pushed: usize,
    ended: usize,
}

impl<S: Stage, T: Stage> Stage for Both<S, T> {
    const REACH: usize = S::REACH + T::REACH;

    const DELAY: usize = S::DELAY + T::DELAY;

    type State<'a> = BothStates<'a, S, T>;

    fn bytes(width: usize) -> usize {
        S::bytes(width) + T::bytes(width) + line(computed(width))
    }

    fn begin(width: usize, mut memory: Memory<'_>) -> Self::State<'_> {
        let between = memory.take(computed(width));
        let first = S::begin(width, memory.part(S::bytes(width)));
        BothStates { first, second: T::begin(width, memory), between, width, pushed: 0, ended: 0 }
    }

    #[inline(always)]
    fn push(state: &mut Self::State<'_>, row: Option<&[u8]>, result: &mut [u8]) {
        state.ended += usize::from(row.is_none());
        S::push(&mut state.first, row, state.between);
        let is_row = state.pushed >= S::DELAY && state.ended <= S::DELAY;
        T::push(&mut state.second, is_row.then_some(&state.between[..state.width]), result);
        state.pushed += 1;
    }
}

/// Memory that is given out piece by piece, each an odd number of cache lines long: pieces of a power of two would all
/// lie in the same few places of the cache.
pub(super) struct Memory<'a>(&'a mut [u8]);

const LINE: usize = 64;

/// How much of the memory a piece takes.
pub(super) fn line(bytes: usize) -> usize {
    (bytes.div_ceil(LINE) | 1) * LINE
}

impl<'a> Memory<'a> {
    fn new(memory: &'a mut Vec<u8>, bytes: usize) -> Self {
        memory.resize(memory.len().max(bytes + LINE), 0);
        let start = memory.as_ptr().align_offset(LINE).min(LINE);
        Self(&mut memory[start..start + bytes])
    }

    /// The next so many bytes.
    pub(super) fn take(&mut self, bytes: usize) -> &'a mut [u8] {
        &mut self.part(line(bytes)).0[..bytes]
    }

    /// The next so many bytes, to be given out in turn.
    fn part(&mut self, bytes: usize) -> Self {
        let (taken, rest) = mem::take(&mut self.0).split_at_mut(bytes);
        self.0 = rest;
        Self(taken)
    }

    /// All of it is one value.
    pub(super) fn fill(&mut self, value: u8) {
        self.0.fill(value);
    }
}

/// The last rows of something, each in the place of the one `count` before it.
pub(super) struct Ring<'a, const COUNT: usize> {
    rows: [&'a mut [u8]; COUNT],
    next: usize,
}

impl<'a, const COUNT: usize> Ring<'a, COUNT> {
    pub(super) fn new(memory: &mut Memory<'a>, width: usize) -> Self {
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
