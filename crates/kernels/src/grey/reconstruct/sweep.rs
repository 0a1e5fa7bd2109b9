//! One row of a sweep, in steps that have no order along the row and therefore vectorise.

use std::mem::swap;

use super::{GreyValue, greater, lesser};
use crate::Connectivity;

/// How many pixels a step handles at once.
const CHUNK: usize = 64;

/// How far steps of doubled width reach along a row; values from beyond are carried in blocks of this width.
const SIGHT: usize = 32;

/// The memory of one row's steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct SweepRows<T> {
    /// The last row that was settled.
    last: SweepLine<T>,
    /// The row and its mask.
    values: SweepLine<T>,
    mask: SweepLine<T>,
    /// The lowest mask within [`SIGHT`] of each pixel.
    masks: SweepLine<T>,
    next_values: SweepLine<T>,
    next_masks: SweepLine<T>,
}

impl<T: GreyValue> SweepRows<T> {
    pub(crate) fn reset(&mut self, width: usize) {
        let Self { last, values, mask, masks, next_values, next_masks } = self;
        for line in [last, values, mask, masks, next_values, next_masks] {
            line.reset(width);
        }
    }

    /// There is no row before the next one.
    pub(crate) fn forget(&mut self) {
        self.last.pixels.fill(T::LOWEST);
    }

    /// This is the row before the next one.
    pub(crate) fn remember(&mut self, row: &[T]) {
        self.last.load(row);
    }

    /// Raises `row` to the last row and then along itself, under its mask; it is the last row afterwards.
    #[inline(always)]
    pub(crate) fn settle(&mut self, row: &mut [T], mask: &[T], connectivity: Connectivity) {
        self.values.load(row);
        self.mask.load(mask);
        if self.take_from_last(connectivity) {
            self.take_along(-1);
            self.take_along(1);
        }
        row.copy_from_slice(&self.values.pixels[CHUNK..CHUNK + row.len()]);
        swap(&mut self.values, &mut self.last);
    }

    /// Raises the row to the last one; returns whether a pixel can rise to the one beside it.
    #[inline(always)]
    fn take_from_last(&mut self, connectivity: Connectivity) -> bool {
        let last = self.last.at(0).iter().zip(self.last.at(-1).iter().zip(self.last.at(1)));
        for ((values, mask), (middle, (left, right))) in
            self.values.chunks().iter_mut().zip(self.mask.at(0)).zip(last)
        {
            let offered = match connectivity {
                Connectivity::Four => *middle,
                Connectivity::Eight => each(*middle, each(*left, *right, greater), greater),
            };
            *values = each(each(*values, offered, greater), *mask, lesser);
        }
        let beside = self.values.at(-1).iter().zip(self.values.at(1));
        let rows = self.values.at(0).iter().zip(self.mask.at(0)).zip(beside);
        rows.fold(false, |any, ((values, mask), (left, right))| {
            any | any_below(values, &each(each(*left, *right, greater), *mask, lesser))
        })
    }

    /// Takes from the left (−1) or the right (1). After steps of 1, 2, 4, … pixels, each value is the best from within
    /// [`SIGHT`], and `masks` the lowest mask in between; values from farther away come through the pixel at the end of
    /// that range.
    #[inline(always)]
    fn take_along(&mut self, side: isize) {
        step(&self.values, &self.mask, &mut self.next_values, &mut self.masks, side);
        swap(&mut self.values, &mut self.next_values);
        let mut distance = 2;
        while distance < SIGHT as isize {
            step(&self.values, &self.masks, &mut self.next_values, &mut self.next_masks, side * distance);
            swap(&mut self.values, &mut self.next_values);
            swap(&mut self.masks, &mut self.next_masks);
            distance *= 2;
        }
        let blocks = self.values.chunks().as_flattened_mut().as_chunks_mut().0.iter_mut();
        let blocks = blocks.zip(self.masks.at(0).as_flattened().as_chunks().0);
        match side < 0 {
            true => carry(blocks),
            false => carry(blocks.rev()),
        }
    }

    /// Raises the pixels of the middle row that are lower than a neighbour and than their mask, and returns them.
    #[inline(always)]
    pub(crate) fn takers(
        &mut self,
        around: [&[T]; 3],
        mask: &[T],
        connectivity: Connectivity,
        mut give: impl FnMut(usize, T),
    ) {
        let [above, row, below] = around;
        self.values.load(row);
        self.mask.load(mask);
        let columns = above.iter().zip(row).zip(below).zip(&mut self.next_values.pixels[CHUNK..]);
        columns.for_each(|(((a, b), c), high)| *high = greater(greater(*a, *b), *c));
        let high = &self.next_values;
        // Columns beside a pixel contribute all three values only where diagonal neighbours count.
        let sides = if connectivity == Connectivity::Eight { high } else { &self.values };
        let sides = high.at(0).iter().zip(sides.at(-1).iter().zip(sides.at(1)));
        let rows = self.values.at(0).iter().zip(self.mask.at(0)).zip(sides);
        for (at, ((values, mask), (high, (left, right)))) in rows.enumerate() {
            let offered = each(each(*high, each(*left, *right, greater), greater), *mask, lesser);
            if any_below(values, &offered) {
                let pairs =
                    values.iter().zip(offered).enumerate().filter(|(_, (value, offered))| *value < offered);
                pairs.for_each(|(x, (_, offered))| give(at * CHUNK + x, offered));
            }
        }
    }
}

/// A row in whole chunks; around and after its pixels are lowest values.
#[derive(Clone, Debug, Default)]
struct SweepLine<T> {
    pixels: Vec<T>,
}

impl<T: GreyValue> SweepLine<T> {
    fn reset(&mut self, width: usize) {
        self.pixels.clear();
        self.pixels.resize(width.next_multiple_of(CHUNK) + 2 * CHUNK, T::LOWEST);
    }

    #[inline(always)]
    fn load(&mut self, row: &[T]) {
        self.pixels[CHUNK..CHUNK + row.len()].copy_from_slice(row);
    }

    /// The pixels `shift` to the right of each one.
    #[inline(always)]
    fn at(&self, shift: isize) -> &[[T; CHUNK]] {
        let start = CHUNK.wrapping_add_signed(shift);
        self.pixels[start..start + self.pixels.len() - 2 * CHUNK].as_chunks().0
    }

    #[inline(always)]
    fn chunks(&mut self) -> &mut [[T; CHUNK]] {
        let end = self.pixels.len() - CHUNK;
        self.pixels[CHUNK..end].as_chunks_mut().0
    }
}

/// Takes from the pixels at a distance, and doubles it.
#[inline(always)]
fn step<T: GreyValue>(
    values: &SweepLine<T>,
    masks: &SweepLine<T>,
    next_values: &mut SweepLine<T>,
    next_masks: &mut SweepLine<T>,
    distance: isize,
) {
    let next = next_values.chunks().iter_mut().zip(next_masks.chunks());
    let here = values.at(0).iter().zip(masks.at(0));
    let there = values.at(distance).iter().zip(masks.at(distance));
    for (((next_values, next_masks), (values, masks)), (values_there, masks_there)) in
        next.zip(here).zip(there)
    {
        *next_values = each(*values, each(*values_there, *masks, lesser), greater);
        *next_masks = each(*masks, *masks_there, lesser);
    }
}

#[inline(always)]
fn carry<'a, T: GreyValue + 'a>(blocks: impl Iterator<Item = (&'a mut [T; SIGHT], &'a [T; SIGHT])>) {
    let mut carried = [T::LOWEST; SIGHT];
    for (block, masks) in blocks {
        carried = each(*block, each(carried, *masks, lesser), greater);
        *block = carried;
    }
}

/// Both arrays, pixel by pixel; whole arrays by value become registers.
#[inline(always)]
fn each<T: Copy, const N: usize>(mut one: [T; N], other: [T; N], join: impl Fn(T, T) -> T) -> [T; N] {
    for (one, other) in one.iter_mut().zip(other) {
        *one = join(*one, other);
    }
    one
}

#[inline(always)]
fn any_below<T: GreyValue, const N: usize>(values: &[T; N], others: &[T; N]) -> bool {
    values.iter().zip(others).fold(false, |any, (value, other)| any | (value < other))
}
