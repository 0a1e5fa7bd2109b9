//! The octagon of 19 × 19: eleven rows of 19 pixels between two trapezoids of four rows each.
//!
//! Every width is the fold of two windows of 11 that overlap. The part of the octagon above its centre is carried down from
//! row to row; each row adds its own width.

use std::marker::PhantomData;

use super::extremum::Extremum;
use super::filter::{AlignedMemory, RowFilter, RowRing, computed, line};

/// Pixels from the centre to the edge.
const RADIUS: usize = 9;

/// Columns that windows read past the computed ones.
const BEYOND: usize = 8;

/// Rows of state, each as wide as the image.
const ROWS: usize = 4 + 11 + 3 + 1 + 2 + 4 + 3 + 4;

/// The fold under the octagon.
pub(super) struct Octagon<F>(PhantomData<F>);

/// State kept of the rows above.
pub(super) struct OctagonState<'a> {
    /// The last row with neutral pixels at each end.
    framed: &'a mut [u8],
    /// Windows of 4, and of 11, from each pixel of `framed` to the right.
    four: &'a mut [u8],
    eleven: &'a mut [u8],
    /// Trapezoids of one, two and three rows that end in the last row, growing downwards.
    growing: [&'a mut [u8]; 3],
    /// Whole upper trapezoids.
    upper: RowRing<'a, 11>,
    /// Lower trapezoids of one, two and three rows that end in the last row.
    shrinking: [&'a mut [u8]; 3],
    /// The last row's windows of 19, and the folds of two, four and eight such rows.
    wide: &'a mut [u8],
    of_two: RowRing<'a, 2>,
    of_four: RowRing<'a, 4>,
    of_eight: RowRing<'a, 3>,
    /// Folds of eleven such rows.
    middle: &'a mut [u8],
    /// Octagons without their lower trapezoid.
    open: RowRing<'a, 4>,
}

impl<F: Extremum> RowFilter for Octagon<F> {
    const REACH: usize = RADIUS;

    const DELAY: usize = RADIUS + 3;

    type RowState<'a> = OctagonState<'a>;

    fn bytes(width: usize) -> usize {
        3 * line(computed(width) + BEYOND) + ROWS * line(computed(width))
    }

    fn begin(width: usize, mut memory: AlignedMemory<'_>) -> Self::RowState<'_> {
        memory.fill(F::NOTHING);
        let width = computed(width);
        OctagonState {
            framed: memory.take(width + BEYOND),
            four: memory.take(width + BEYOND),
            eleven: memory.take(width + BEYOND),
            growing: [0; 3].map(|_| memory.take(width)),
            upper: RowRing::new(&mut memory, width),
            shrinking: [0; 3].map(|_| memory.take(width)),
            wide: memory.take(width),
            of_two: RowRing::new(&mut memory, width),
            of_four: RowRing::new(&mut memory, width),
            of_eight: RowRing::new(&mut memory, width),
            middle: memory.take(width),
            open: RowRing::new(&mut memory, width),
        }
    }

    #[inline(always)]
    fn push(state: &mut Self::RowState<'_>, row: Option<&[u8]>, result: &mut [u8]) {
        let count = result.len();
        let upper = state.upper.turn();
        let (of_two, of_four, of_eight) = (state.of_two.turn(), state.of_four.turn(), state.of_eight.turn());
        fold_middle::<F>(state.eleven, state.wide, of_two, of_four, of_eight, state.middle);
        let [one, two, three] = &mut state.shrinking;
        fold_lower::<F>(state.eleven, one, two, three, result);
        join::<F>(state.middle, upper, state.open.turn(), result);
        let [one, two, three] = &mut state.growing;
        fold_upper::<F>(state.eleven, one, two, three, upper);
        fold_eleven::<F>(state.four, &mut state.eleven[..count]);
        fold_four::<F>(state.framed, &mut state.four[..count]);
        match row {
            Some(row) => state.framed[RADIUS..RADIUS + row.len()].copy_from_slice(row),
            None => state.framed.fill(F::NOTHING),
        }
    }
}

#[inline(always)]
fn fold_four<F: Extremum>(framed: &[u8], four: &mut [u8]) {
    let count = four.len();
    let (a, b) = (&framed[..count], &framed[1..1 + count]);
    let (c, d) = (&framed[2..2 + count], &framed[3..3 + count]);
    for x in 0..count {
        four[x] = F::fold(F::fold(a[x], b[x]), F::fold(c[x], d[x]));
    }
}

#[inline(always)]
fn fold_eleven<F: Extremum>(four: &[u8], eleven: &mut [u8]) {
    let count = eleven.len();
    let (a, b, c) = (&four[..count], &four[4..4 + count], &four[7..7 + count]);
    for x in 0..count {
        eleven[x] = F::fold(F::fold(a[x], b[x]), c[x]);
    }
}

/// The windows of 11 whose fold is a window about the pixel that is wider by two on each `step`.
#[inline(always)]
fn pair(eleven: &[u8], count: usize, step: usize) -> (&[u8], &[u8]) {
    (&eleven[4 - step..4 - step + count], &eleven[4 + step..4 + step + count])
}

/// Folds the last eleven rows of windows of 19.
#[inline(always)]
fn fold_middle<F: Extremum>(
    eleven: &[u8],
    wide: &mut [u8],
    of_two: &mut [u8],
    of_four: &mut [u8],
    of_eight: &mut [u8],
    middle: &mut [u8],
) {
    let count = middle.len();
    let (left, right) = pair(eleven, count, 4);
    let (wide, of_two) = (&mut wide[..count], &mut of_two[..count]);
    let (of_four, of_eight) = (&mut of_four[..count], &mut of_eight[..count]);
    for x in 0..count {
        let last = F::fold(left[x], right[x]);
        let two = F::fold(last, wide[x]);
        let four = F::fold(two, of_two[x]);
        let eight = F::fold(four, of_four[x]);
        middle[x] = F::fold(eight, of_eight[x]);
        (wide[x], of_two[x], of_four[x], of_eight[x]) = (last, two, four, eight);
    }
}

/// Ends the lower trapezoid with the last row's windows of 11, and returns it.
#[inline(always)]
fn fold_lower<F: Extremum>(
    eleven: &[u8],
    one: &mut [u8],
    two: &mut [u8],
    three: &mut [u8],
    result: &mut [u8],
) {
    let count = result.len();
    let ((a, z), (b, y), (c, w)) = (pair(eleven, count, 3), pair(eleven, count, 2), pair(eleven, count, 1));
    let (centre, _) = pair(eleven, count, 0);
    let (one, two, three) = (&mut one[..count], &mut two[..count], &mut three[..count]);
    for x in 0..count {
        result[x] = F::fold(three[x], centre[x]);
        three[x] = F::fold(two[x], F::fold(c[x], w[x]));
        two[x] = F::fold(one[x], F::fold(b[x], y[x]));
        one[x] = F::fold(a[x], z[x]);
    }
}

/// Ends the upper trapezoid with the last row's windows of 17.
#[inline(always)]
fn fold_upper<F: Extremum>(
    eleven: &[u8],
    one: &mut [u8],
    two: &mut [u8],
    three: &mut [u8],
    upper: &mut [u8],
) {
    let count = upper.len();
    let ((a, z), (b, y), (c, w)) = (pair(eleven, count, 3), pair(eleven, count, 2), pair(eleven, count, 1));
    let (centre, _) = pair(eleven, count, 0);
    let (one, two, three) = (&mut one[..count], &mut two[..count], &mut three[..count]);
    for x in 0..count {
        upper[x] = F::fold(three[x], F::fold(a[x], z[x]));
        three[x] = F::fold(two[x], F::fold(b[x], y[x]));
        two[x] = F::fold(one[x], F::fold(c[x], w[x]));
        one[x] = centre[x];
    }
}

/// Adds the upper trapezoid to the middle, and the lower one to the open octagon.
#[inline(always)]
fn join<F: Extremum>(middle: &[u8], upper: &[u8], open: &mut [u8], result: &mut [u8]) {
    let count = result.len();
    let (middle, upper, open) = (&middle[..count], &upper[..count], &mut open[..count]);
    for x in 0..count {
        result[x] = F::fold(result[x], open[x]);
        open[x] = F::fold(middle[x], upper[x]);
    }
}
