//! One row of a sweep, in steps that have no order along the row and therefore vectorise.

use super::{Level, greater, lesser};
use crate::Connectivity;

/// How far the steps of doubled width look along a row; beyond that, blocks of this width follow each other.
const SIGHT: usize = 32;

/// The memory of one row's steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows<T> {
    /// The last row that was settled, with a pixel of the lowest value at each end.
    last: Vec<T>,
    /// Values and lowest masks of a row within sight, before and after a step.
    values: [Vec<T>; 2],
    masks: [Vec<T>; 2],
}

impl<T: Level> Rows<T> {
    pub(crate) fn reset(&mut self, width: usize) {
        let [a, b] = &mut self.values;
        let [c, d] = &mut self.masks;
        for row in [a, b, c, d] {
            row.clear();
            row.resize(width, T::LOWEST);
        }
        self.last.resize(width + 2, T::LOWEST);
        self.forget();
    }

    /// There is no row before the next one.
    pub(crate) fn forget(&mut self) {
        self.last.fill(T::LOWEST);
    }

    /// This is the row before the next one.
    pub(crate) fn remember(&mut self, row: &[T]) {
        self.last[1..=row.len()].copy_from_slice(row);
    }

    /// Raises `row` to what the last row offers and then along itself, under its mask; it is the last row afterwards.
    #[inline(always)]
    pub(crate) fn settle(&mut self, row: &mut [T], mask: &[T], connectivity: Connectivity) {
        take_from_last(row, &self.last, mask, connectivity);
        if could_take_along(row, mask) {
            self.take_from_left(row, mask);
            self.take_from_right(row, mask);
        }
        self.remember(row);
    }

    /// After steps of 1, 2, 4, … pixels, each value is the best that comes from within sight on its left, and each mask
    /// the lowest in between; what comes from farther away comes from the pixel at the end of sight.
    #[inline(always)]
    fn take_from_left(&mut self, row: &mut [T], mask: &[T]) {
        let width = row.len();
        let [values, next_values] = &mut self.values;
        let [masks, next_masks] = &mut self.masks;
        step_from_left(row, mask, next_values, next_masks, 1);
        let mut distance = 2;
        while distance < SIGHT {
            std::mem::swap(values, next_values);
            std::mem::swap(masks, next_masks);
            step_from_left(values, masks, next_values, next_masks, distance);
            distance *= 2;
        }
        row.copy_from_slice(next_values);
        let mut carried = [T::LOWEST; SIGHT];
        let (blocks, rest) = row.as_chunks_mut::<SIGHT>();
        for (block, masks) in blocks.iter_mut().zip(next_masks.as_chunks::<SIGHT>().0) {
            carry(block, masks, &mut carried);
        }
        let from = width - rest.len();
        for ((pixel, mask), carried) in rest.iter_mut().zip(&next_masks[from..]).zip(&carried) {
            *pixel = greater(*pixel, lesser(*carried, *mask));
        }
    }

    /// The same from the right.
    #[inline(always)]
    fn take_from_right(&mut self, row: &mut [T], mask: &[T]) {
        let [values, next_values] = &mut self.values;
        let [masks, next_masks] = &mut self.masks;
        step_from_right(row, mask, next_values, next_masks, 1);
        let mut distance = 2;
        while distance < SIGHT {
            std::mem::swap(values, next_values);
            std::mem::swap(masks, next_masks);
            step_from_right(values, masks, next_values, next_masks, distance);
            distance *= 2;
        }
        row.copy_from_slice(next_values);
        let mut carried = [T::LOWEST; SIGHT];
        let (rest, blocks) = row.as_rchunks_mut::<SIGHT>();
        for (block, masks) in blocks.iter_mut().zip(next_masks.as_rchunks::<SIGHT>().1).rev() {
            carry(block, masks, &mut carried);
        }
        let skipped = SIGHT - rest.len();
        for ((pixel, mask), carried) in rest.iter_mut().zip(next_masks.iter()).zip(&carried[skipped..]) {
            *pixel = greater(*pixel, lesser(*carried, *mask));
        }
    }

    /// Finds what the middle row's pixels are offered by those around them.
    #[inline(always)]
    pub(crate) fn offer(&mut self, around: [&[T]; 3], connectivity: Connectivity) {
        let [high, offered] = &mut self.values;
        let [above, row, below] = around;
        let end = row.len() - 1;
        let columns = above.iter().zip(row).zip(below).zip(high.iter_mut());
        columns.for_each(|(((a, b), c), high)| *high = greater(greater(*a, *b), *c));
        // Columns beside a pixel offer all three values only where diagonal neighbours count.
        let sides: &[T] = if connectivity == Connectivity::Eight { high } else { row };
        offered.copy_from_slice(high);
        raise(&mut offered[1..], &sides[..end]);
        raise(&mut offered[..end], &sides[1..]);
    }

    /// Raises each pixel to its offer, as far as its mask allows, and gives those that rose.
    #[inline(always)]
    pub(crate) fn takers(&mut self, row: &mut [T], mask: &[T], mut give: impl FnMut(usize, T)) {
        for (at, part) in row.chunks_mut(64).enumerate() {
            let from = at * 64;
            let (mask, offered) = (&mask[from..], &self.values[1][from..]);
            let pixels = part.iter().zip(mask).zip(offered);
            if pixels.fold(false, |any, ((p, m), o)| any | (*p < lesser(*o, *m))) {
                for (at, pixel) in part.iter_mut().enumerate() {
                    let offered = lesser(offered[at], mask[at]);
                    if *pixel < offered {
                        *pixel = offered;
                        give(from + at, offered);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn carry<T: Level>(block: &mut [T; SIGHT], masks: &[T; SIGHT], carried: &mut [T; SIGHT]) {
    for ((pixel, mask), carried) in block.iter_mut().zip(masks).zip(carried) {
        *carried = greater(*pixel, lesser(*carried, *mask));
        *pixel = *carried;
    }
}

#[inline(always)]
fn take_from_last<T: Level>(row: &mut [T], last: &[T], mask: &[T], connectivity: Connectivity) {
    let width = row.len();
    let (left, middle, right) = (&last[..width], &last[1..=width], &last[2..]);
    let columns = row.iter_mut().zip(mask).zip(middle);
    match connectivity {
        Connectivity::Four => {
            columns.for_each(|((pixel, mask), offered)| *pixel = lesser(greater(*pixel, *offered), *mask));
        }
        Connectivity::Eight => {
            for (((pixel, mask), middle), (left, right)) in columns.zip(left.iter().zip(right)) {
                *pixel = lesser(greater(greater(*pixel, *middle), greater(*left, *right)), *mask);
            }
        }
    }
}

/// Whether a pixel is lower than its mask and than the one beside it.
#[inline(always)]
fn could_take_along<T: Level>(row: &[T], mask: &[T]) -> bool {
    let pairs = row.iter().zip(&row[1..]).zip(mask.iter().zip(&mask[1..]));
    pairs.fold(false, |any, ((a, b), (c, d))| any | (*a < lesser(*b, *c)) | (*b < lesser(*a, *d)))
}

#[inline(always)]
fn step_from_left<T: Level>(
    values: &[T],
    masks: &[T],
    next_values: &mut [T],
    next_masks: &mut [T],
    distance: usize,
) {
    let head = distance.min(values.len());
    next_values[..head].copy_from_slice(&values[..head]);
    next_masks[..head].copy_from_slice(&masks[..head]);
    let next = next_values[head..].iter_mut().zip(&mut next_masks[head..]);
    let here = values[head..].iter().zip(&masks[head..]);
    let there = values.iter().zip(masks);
    step(next.zip(here).zip(there));
}

#[inline(always)]
fn step_from_right<T: Level>(
    values: &[T],
    masks: &[T],
    next_values: &mut [T],
    next_masks: &mut [T],
    distance: usize,
) {
    let tail = values.len().saturating_sub(distance);
    next_values[tail..].copy_from_slice(&values[tail..]);
    next_masks[tail..].copy_from_slice(&masks[tail..]);
    let next = next_values[..tail].iter_mut().zip(&mut next_masks[..tail]);
    let here = values[..tail].iter().zip(&masks[..tail]);
    let there = values[values.len() - tail..].iter().zip(&masks[values.len() - tail..]);
    step(next.zip(here).zip(there));
}

#[inline(always)]
fn step<'a, T: Level + 'a>(
    pixels: impl Iterator<Item = (((&'a mut T, &'a mut T), (&'a T, &'a T)), (&'a T, &'a T))>,
) {
    for (((next_value, next_mask), (value, mask)), (value_there, mask_there)) in pixels {
        *next_value = greater(*value, lesser(*value_there, *mask));
        *next_mask = lesser(*mask, *mask_there);
    }
}

#[inline(always)]
fn raise<T: Level>(row: &mut [T], offered: &[T]) {
    row.iter_mut().zip(offered).for_each(|(pixel, offered)| *pixel = greater(*pixel, *offered));
}
