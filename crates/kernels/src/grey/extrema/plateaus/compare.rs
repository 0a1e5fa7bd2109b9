//! Pixels compared with their neighbours, row by row.

use std::ops::Range;

use super::{Extrema, PlateauBand};
use crate::grey::reconstruct::greater;
use crate::{Connectivity, GreyValue, ON, View, ViewMut, bits};

/// The memory of a few rows. Outside the image everything has the lowest value, and is set.
#[derive(Clone, Debug, Default)]
pub(super) struct SearchLines<T> {
    /// The highest of three rows, column by column, and the row in the middle; each with a lowest pixel at both ends.
    high: Vec<T>,
    middle: Vec<T>,
    /// A ring of three rows.
    rows: [Flags; 3],
    /// Pixels that are not extrema.
    hits: Vec<u8>,
    words: Vec<u64>,
}

/// Which pixels of a row have no higher neighbour.
#[derive(Clone, Debug, Default)]
struct Flags {
    set: Vec<u8>,
    /// The others, as bits.
    unset: Vec<u64>,
}

impl<T: GreyValue> SearchLines<T> {
    fn reset(&mut self, width: usize) {
        for line in [&mut self.high, &mut self.middle] {
            line.clear();
            line.resize(width + 2, T::LOWEST);
        }
        self.rows.iter_mut().for_each(|row| row.reset(width));
        self.hits.resize(width, 0);
    }
}

impl Flags {
    fn reset(&mut self, width: usize) {
        self.set.clear();
        self.set.resize(width, ON);
        self.unset.clear();
        self.unset.resize(width.div_ceil(64), 0);
    }
}

/// Some rows of an image and their extrema found so far.
#[doc(hidden)]
#[derive(Debug)]
pub struct ExtremaSearch<'a, T> {
    image: View<'a, T>,
    connectivity: Connectivity,
    mirrored: bool,
    rows: Range<usize>,
    /// These rows alone.
    target: ViewMut<'a, u8>,
    lines: &'a mut SearchLines<T>,
    stack: &'a mut Vec<(u32, u32)>,
    any_set: &'a mut bool,
}

impl<'a, T: GreyValue> ExtremaSearch<'a, T> {
    pub(super) fn new(
        extrema: Extrema<'a, T>,
        rows: Range<usize>,
        target: ViewMut<'a, u8>,
        band: &'a mut PlateauBand<T>,
    ) -> Self {
        let Extrema { image, connectivity, mirrored } = extrema;
        let PlateauBand { lines, stack, any_set, .. } = band;
        lines.reset(image.width());
        stack.clear();
        Self { image, connectivity, mirrored, rows, target, lines, stack, any_set }
    }

    /// Sets the pixels without a higher neighbour; those with an equal neighbour that is not set are cleared again and
    /// pushed on the stack.
    #[inline(always)]
    pub(crate) fn compare(&mut self) {
        match self.mirrored {
            true => self.compare_as(T::mirrored),
            false => self.compare_as(|value| value),
        }
    }

    #[inline(always)]
    fn compare_as(&mut self, view: impl Fn(T) -> T + Copy) {
        let Range { start, end } = self.rows;
        for y in start.saturating_sub(1)..end + 1 {
            if y < self.image.height() {
                self.set_row(y, view);
            } else {
                self.lines.rows[y % 3].reset(self.image.width());
            }
            if y > start {
                self.finish_row(y - 1, view);
            }
        }
    }

    fn near(&self, y: usize) -> [usize; 3] {
        [y.saturating_sub(1), y, (y + 1).min(self.image.height() - 1)]
    }

    #[inline(always)]
    fn set_row(&mut self, y: usize, view: impl Fn(T) -> T + Copy) {
        let [above, row, below] = self.near(y).map(|y| self.image.row(y));
        let SearchLines { high, middle, rows, .. } = &mut *self.lines;
        for ((((a, b), c), high), middle) in
            above.iter().zip(row).zip(below).zip(&mut high[1..]).zip(&mut middle[1..])
        {
            *high = greater(greater(view(*a), view(*b)), view(*c));
            *middle = view(*b);
        }
        let Flags { set, unset } = &mut rows[y % 3];
        let around = around(high, if self.connectivity == Connectivity::Eight { high } else { middle });
        for ((set, value), highest) in set.iter_mut().zip(&middle[1..]).zip(around) {
            // All pixels are connected: one of the lowest value is in an extremum only if there is no other value.
            *set = if (highest > *value) | (*value <= T::LOWEST) { 0 } else { ON };
        }
        bits::pack(set, unset);
        *self.any_set |= self.rows.contains(&y) && unset.iter().any(|word| *word != 0);
        bits::invert(unset, set.len());
    }

    /// Writes a row without its hits, which are pushed on the stack.
    #[inline(always)]
    fn finish_row(&mut self, y: usize, view: impl Fn(T) -> T + Copy) {
        let width = self.image.width();
        let row = y - self.rows.start;
        self.target.row_mut(row).copy_from_slice(&self.lines.rows[y % 3].set);
        let mut word = 0;
        while let Some(start) = (word..width.div_ceil(64)).find(|word| self.may_hit(y, *word)) {
            let end = (start + 1..width.div_ceil(64)).find(|word| !self.may_hit(y, *word));
            let columns = start * 64..end.map_or(width, |word| word * 64);
            word = end.unwrap_or(usize::MAX);
            if self.hit(y, columns.clone(), view) {
                self.stack_hits(y, columns);
            }
        }
    }

    /// Whether, among these 64 pixels, a set one has a neighbour that is not.
    #[inline(always)]
    fn may_hit(&self, y: usize, word: usize) -> bool {
        let rows = &self.lines.rows;
        let unset =
            |word: usize| rows.iter().fold(0, |any, row| any | row.unset.get(word).copied().unwrap_or(0));
        let here = unset(word);
        if here == 0 && unset(word.wrapping_sub(1)) >> 63 == 0 && unset(word + 1) & 1 == 0 {
            return false;
        }
        let beside = here << 1 | here >> 1 | unset(word.wrapping_sub(1)) >> 63 | unset(word + 1) << 63;
        (here | beside) & !rows[y % 3].unset[word] != 0
    }

    /// Finds the set pixels that are as high as a neighbour that is not set; returns whether there are any.
    #[inline(always)]
    fn hit(&mut self, y: usize, columns: Range<usize>, view: impl Fn(T) -> T + Copy) -> bool {
        let near = self.near(y);
        let SearchLines { high, middle, rows, hits, .. } = &mut *self.lines;
        let wide = columns.start.saturating_sub(1)..(columns.end + 1).min(hits.len());
        let [above, row, below] = [y + 2, y, y + 1].map(|line| &rows[line % 3].set[wide.clone()]);
        let [a, b, c] = near.map(|y| &self.image.row(y)[wide.clone()]);
        let lowered = |(value, flag): (&T, &u8)| if *flag == 0 { view(*value) } else { T::LOWEST };
        let lines = high[wide.start + 1..].iter_mut().zip(&mut middle[wide.start + 1..]);
        let rows_near = a.iter().zip(above).zip(b.iter().zip(row)).zip(c.iter().zip(below));
        for (((a, b), c), (high, middle)) in rows_near.zip(lines) {
            *middle = lowered(b);
            *high = greater(greater(lowered(a), *middle), lowered(c));
        }
        let beside = if self.connectivity == Connectivity::Eight { &*high } else { &*middle };
        let around = around(&high[columns.start..columns.end + 2], &beside[columns.start..columns.end + 2]);
        let row = self.image.row(y)[columns.clone()].iter().zip(&rows[y % 3].set[columns.clone()]);
        let mut any = 0;
        for ((hit, (value, flag)), highest) in hits[columns].iter_mut().zip(row).zip(around) {
            *hit = if highest >= view(*value) { *flag } else { 0 };
            any |= *hit;
        }
        any != 0
    }

    fn stack_hits(&mut self, y: usize, columns: Range<usize>) {
        let row = self.target.row_mut(y - self.rows.start);
        bits::pack(&self.lines.hits[columns.clone()], &mut self.lines.words);
        for (word, start) in self.lines.words.iter().zip(columns.step_by(64)) {
            let mut hits = *word;
            while hits != 0 {
                let x = start + hits.trailing_zeros() as usize;
                row[x] = 0;
                self.stack.push((x as u32, y as u32));
                hits &= hits - 1;
            }
        }
    }
}

/// The highest value around each pixel, from its own column and those beside; there is one more column at both ends.
#[inline(always)]
fn around<T: GreyValue>(high: &[T], beside: &[T]) -> impl Iterator<Item = T> {
    let sides = beside.iter().zip(&beside[2..]);
    sides.zip(&high[1..]).map(|((left, right), high)| greater(greater(*left, *right), *high))
}
