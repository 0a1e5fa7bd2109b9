//! A pixel and its four neighbours.

use std::marker::PhantomData;

use super::extremum::Extremum;
use super::filter::{AlignedMemory, RowFilter, computed, line};

/// The fold under the cross.
pub(super) struct Cross<F>(PhantomData<F>);

/// State kept of the rows above.
pub(super) struct CrossState<'a> {
    /// The last row with a neutral pixel at each end.
    framed: &'a mut [u8],
    /// The row above it.
    above: &'a mut [u8],
    /// The fold of that row under its own three pixels and the one above.
    upper: &'a mut [u8],
}

impl<F: Extremum> RowFilter for Cross<F> {
    const REACH: usize = 1;

    const DELAY: usize = 2;

    type RowState<'a> = CrossState<'a>;

    fn bytes(width: usize) -> usize {
        2 * line(computed(width)) + line(computed(width) + 2)
    }

    fn begin(width: usize, mut memory: AlignedMemory<'_>) -> Self::RowState<'_> {
        memory.fill(F::NOTHING);
        let count = computed(width);
        CrossState { framed: memory.take(count + 2), above: memory.take(count), upper: memory.take(count) }
    }

    #[inline(always)]
    fn push(state: &mut Self::RowState<'_>, row: Option<&[u8]>, result: &mut [u8]) {
        fold_cross::<F>(state.framed, state.above, state.upper, result);
        match row {
            Some(row) => state.framed[1..=row.len()].copy_from_slice(row),
            None => state.framed.fill(F::NOTHING),
        }
    }
}

/// Ends the cross about the row above with the framed row, and begins the one about the framed row.
#[inline(always)]
fn fold_cross<F: Extremum>(framed: &[u8], above: &mut [u8], upper: &mut [u8], result: &mut [u8]) {
    let count = result.len();
    let (left, middle, right) = (&framed[..count], &framed[1..1 + count], &framed[2..2 + count]);
    let (above, upper) = (&mut above[..count], &mut upper[..count]);
    for x in 0..count {
        result[x] = F::fold(upper[x], middle[x]);
        upper[x] = F::fold(F::fold(above[x], middle[x]), F::fold(left[x], right[x]));
        above[x] = middle[x];
    }
}
