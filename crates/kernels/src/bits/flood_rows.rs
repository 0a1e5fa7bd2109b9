//! Two masks of one size as bits: the pixels that a flood may reach, and those it has reached.

use std::ops::Range;

use crate::Connectivity;
use crate::cpu::threads::SplitRows;

/// Rows of both masks, `across` words each.
pub(super) struct FloodRows<'a> {
    /// Pixels that may be reached.
    pub(super) open: &'a mut [u64],
    /// Pixels that have been reached: a subset of `open`.
    pub(super) reached: &'a mut [u64],
    pub(super) across: usize,
    pub(super) height: usize,
}

/// Words examined together.
const SOME: usize = 16;

/// A word of [`FloodRows`]: its row, and its index in that row.
pub(super) type WordPosition = (u32, u32);

impl SplitRows for FloodRows<'_> {
    fn height(&self) -> usize {
        self.height
    }

    fn cut(self, y: usize) -> (Self, Self) {
        let Self { open, reached, across, height } = self;
        let (open, open_below) = open.split_at_mut(y * across);
        let (reached, reached_below) = reached.split_at_mut(y * across);
        let above = Self { open, reached, across, height: y };
        (above, Self { open: open_below, reached: reached_below, across, height: height - y })
    }
}

impl FloodRows<'_> {
    /// Reaches from the row above into row `y`, and from those pixels and the seeds along the row.
    #[inline(always)]
    pub(super) fn enter(&mut self, y: usize, connectivity: Connectivity) {
        let row = y * self.across..(y + 1) * self.across;
        let (rows_above, from_here) = self.reached.split_at_mut(row.start);
        let above = &rows_above[row.start.saturating_sub(self.across)..];
        let (open, reached) = (&self.open[row], &mut from_here[..self.across]);
        let mut carry = false;
        for (at, (reached, open)) in reached.iter_mut().zip(open).enumerate() {
            let from = if above.is_empty() { 0 } else { beside(above, at, connectivity) };
            let seeds = (*reached | from) & open;
            // The sum carries through a run from a seed on, and on into the next word.
            let (sum, over) = open.overflowing_add(seeds);
            let (sum, over_now) = sum.overflowing_add(u64::from(carry));
            carry = over | over_now;
            *reached = ((open ^ sum) & open) | seeds;
        }
        let mut next = 0;
        for (reached, open) in reached.iter_mut().zip(open).rev() {
            if ((*reached >> 1) | next) & open & !*reached != 0 {
                *reached = fill_left(*reached | (next & open), *open);
            }
            next = *reached << 63;
        }
    }

    /// Reaches from the row below into row `y`, in which each run is reached entirely or not at all; words from which the
    /// flood can go down again are queued.
    #[inline(always)]
    pub(super) fn rise(&mut self, y: usize, connectivity: Connectivity, waiting: &mut Vec<WordPosition>) {
        for start in (0..self.across).step_by(SOME) {
            let words = start..(start + SOME).min(self.across);
            if self.any_unreached(y, words.clone()) {
                words.for_each(|at| self.rise_word(y, at, connectivity, waiting));
            }
        }
    }

    /// Whether some of these words have unreached pixels: seldom, and many words are examined in one step.
    #[inline(always)]
    fn any_unreached(&self, y: usize, words: Range<usize>) -> bool {
        let row = y * self.across;
        let (open, reached) = (&self.open[row..][words.clone()], &self.reached[row..][words]);
        open.iter().zip(reached).fold(0, |any, (open, reached)| any | (open & !reached)) != 0
    }

    #[inline(always)]
    fn rise_word(
        &mut self,
        y: usize,
        at: usize,
        connectivity: Connectivity,
        waiting: &mut Vec<WordPosition>,
    ) {
        let from = beside(&self.reached[(y + 1) * self.across..][..self.across], at, connectivity);
        if from & self.unreached(y * self.across + at) != 0 {
            self.extend(y, at, from, connectivity, waiting);
        }
    }

    /// Reaches some pixels of a word and their runs, as far as these go.
    #[inline(always)]
    fn extend(
        &mut self,
        y: usize,
        at: usize,
        pixels: u64,
        connectivity: Connectivity,
        waiting: &mut Vec<WordPosition>,
    ) {
        let row = y * self.across;
        self.join(y, at, pixels, connectivity, waiting);
        let (mut left, mut right) = (at, at);
        while right + 1 < self.across
            && self.reached[row + right] >> 63 & self.unreached(row + right + 1) == 1
        {
            right += 1;
            self.join(y, right, 1, connectivity, waiting);
        }
        while left > 0 && self.reached[row + left] & self.unreached(row + left - 1) >> 63 == 1 {
            left -= 1;
            self.join(y, left, 1 << 63, connectivity, waiting);
        }
    }

    /// The pixels of a word that may be reached and have not been.
    #[inline(always)]
    fn unreached(&self, place: usize) -> u64 {
        self.open[place] & !self.reached[place]
    }

    /// Reaches some pixels of a word and, inside it, their runs.
    #[inline(always)]
    fn join(
        &mut self,
        y: usize,
        at: usize,
        pixels: u64,
        connectivity: Connectivity,
        waiting: &mut Vec<WordPosition>,
    ) {
        let place = y * self.across + at;
        let open = self.open[place];
        let found = fill_left(fill_right((self.reached[place] | pixels) & open, open), open);
        self.reached[place] = found;
        self.reach_row(y + 1, at, found, connectivity, waiting);
    }

    /// Reaches from row `y` into a neighbouring row; words with newly reached pixels are queued.
    #[inline(always)]
    pub(super) fn notice(
        &mut self,
        y: usize,
        other: usize,
        connectivity: Connectivity,
        waiting: &mut Vec<WordPosition>,
    ) {
        let across = self.across;
        for at in 0..across {
            let from = beside(&self.reached[y * across..][..across], at, connectivity);
            self.reach(other, at, from, waiting);
        }
    }

    /// Works off the queue, at most `most` words, and calls `show` for each of them.
    #[inline(always)]
    pub(super) fn follow(
        &mut self,
        connectivity: Connectivity,
        waiting: &mut Vec<WordPosition>,
        most: usize,
        mut show: impl FnMut(usize, usize, u64),
    ) {
        for _ in 0..most {
            let Some((y, at)) = waiting.pop() else { return };
            let (y, at) = (y as usize, at as usize);
            let place = y * self.across + at;
            let open = self.open[place];
            let found = fill_left(fill_right(self.reached[place], open), open);
            self.reached[place] = found;
            show(y, at, found);
            if at > 0 && found & 1 != 0 {
                self.reach(y, at - 1, 1 << 63, waiting);
            }
            if at + 1 < self.across && found >> 63 != 0 {
                self.reach(y, at + 1, 1, waiting);
            }
            if y > 0 {
                self.reach_row(y - 1, at, found, connectivity, waiting);
            }
            if y + 1 < self.height {
                self.reach_row(y + 1, at, found, connectivity, waiting);
            }
        }
    }

    /// Reaches from a word into the row above or below it.
    #[inline(always)]
    fn reach_row(
        &mut self,
        y: usize,
        at: usize,
        found: u64,
        connectivity: Connectivity,
        waiting: &mut Vec<WordPosition>,
    ) {
        if connectivity == Connectivity::Four {
            return self.reach(y, at, found, waiting);
        }
        self.reach(y, at, found | found << 1 | found >> 1, waiting);
        if at > 0 && found & 1 != 0 {
            self.reach(y, at - 1, 1 << 63, waiting);
        }
        if at + 1 < self.across && found >> 63 != 0 {
            self.reach(y, at + 1, 1, waiting);
        }
    }

    /// Reaches some pixels of a word, if they are open; if one is newly reached the word is queued.
    #[inline(always)]
    fn reach(&mut self, y: usize, at: usize, pixels: u64, waiting: &mut Vec<WordPosition>) {
        let place = y * self.across + at;
        let news = pixels & self.open[place] & !self.reached[place];
        if news != 0 {
            self.reached[place] |= news;
            waiting.push((y as u32, at as u32));
        }
    }
}

/// Which pixels of a word have a neighbour in this row, above or below them.
#[inline(always)]
fn beside(row: &[u64], at: usize, connectivity: Connectivity) -> u64 {
    let word = row[at];
    if connectivity == Connectivity::Four {
        return word;
    }
    let before = if at > 0 { row[at - 1] >> 63 } else { 0 };
    let after = row.get(at + 1).map_or(0, |next| next << 63);
    word | word << 1 | word >> 1 | before | after
}

/// The seeds and the parts of their runs to the right: the sum carries through a run from a seed on.
#[inline(always)]
pub(crate) fn fill_right(seeds: u64, open: u64) -> u64 {
    ((open ^ open.wrapping_add(seeds)) & open) | seeds
}

/// The seeds and the parts of their runs to the left, in steps that double; most often there is nothing to do.
#[inline(always)]
fn fill_left(seeds: u64, open: u64) -> u64 {
    if (seeds >> 1) & open & !seeds == 0 {
        return seeds;
    }
    let (mut found, mut open) = (seeds, open);
    for step in [1, 2, 4, 8, 16, 32] {
        found |= open & (found >> step);
        open &= open >> step;
    }
    found
}
