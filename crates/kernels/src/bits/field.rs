//! Two masks of one size as bits: where something may spread, and where it has been.

use crate::machine::Cut;
use crate::{Connectivity, bits};

/// Rows of both masks, `across` words each.
pub(super) struct Field<'a> {
    /// Where it may spread.
    pub(super) open: &'a mut [u64],
    /// Where it has been: a part of `open`.
    pub(super) reached: &'a mut [u64],
    pub(super) across: usize,
    pub(super) height: usize,
}

/// A word of a field: its row and its place there.
pub(super) type Place = (u32, u32);

impl Cut for Field<'_> {
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

impl Field<'_> {
    /// Spreads as far as it goes from what is reached: once down and once up, which is all that most images need, then
    /// word by word from those that reach something still. What is found there adds a pixel at least, so that the time is
    /// linear in the number of pixels.
    #[inline(always)]
    pub(super) fn settle(&mut self, connectivity: Connectivity, waiting: &mut Vec<Place>) {
        for y in 0..self.height {
            self.enter(y, y.checked_sub(1), connectivity);
        }
        for y in (0..self.height.saturating_sub(1)).rev() {
            self.enter(y, Some(y + 1), connectivity);
            self.notice(y, y + 1, connectivity, waiting);
        }
        self.follow(connectivity, waiting);
    }

    /// Adds what a row's neighbour reaches in it, and what that reaches along the row.
    #[inline(always)]
    fn enter(&mut self, y: usize, neighbour: Option<usize>, connectivity: Connectivity) {
        let across = self.across;
        let row = y * across;
        let mut carry = 0;
        for at in 0..across {
            let from =
                neighbour.map_or(0, |n| beside(&self.reached[n * across..][..across], at, connectivity));
            let open = self.open[row + at];
            let seeds = (self.reached[row + at] | from | carry) & open;
            let found = fill_right(seeds, open);
            self.reached[row + at] = found;
            carry = found >> 63;
        }
        let mut carry = 0;
        for at in (0..across).rev() {
            let open = self.open[row + at];
            let found = fill_left(self.reached[row + at] | (carry & open), open);
            self.reached[row + at] = found;
            carry = found << 63;
        }
    }

    /// Reaches from row `y` into another one beside it, where that is news; those words wait.
    #[inline(always)]
    pub(super) fn notice(
        &mut self,
        y: usize,
        other: usize,
        connectivity: Connectivity,
        waiting: &mut Vec<Place>,
    ) {
        let across = self.across;
        for at in 0..across {
            let from = beside(&self.reached[y * across..][..across], at, connectivity);
            self.reach(other, at, from, waiting);
        }
    }

    /// Follows what waits until nothing does.
    #[inline(always)]
    pub(super) fn follow(&mut self, connectivity: Connectivity, waiting: &mut Vec<Place>) {
        while let Some((y, at)) = waiting.pop() {
            let (y, at) = (y as usize, at as usize);
            let place = y * self.across + at;
            let open = self.open[place];
            let found = fill_left(fill_right(self.reached[place], open), open);
            self.reached[place] = found;
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
        waiting: &mut Vec<Place>,
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

    /// Reaches some pixels of a word, if they are open; if that is news the word waits.
    #[inline(always)]
    fn reach(&mut self, y: usize, at: usize, pixels: u64, waiting: &mut Vec<Place>) {
        let place = y * self.across + at;
        let news = pixels & self.open[place] & !self.reached[place];
        if news != 0 {
            self.reached[place] |= news;
            waiting.push((y as u32, at as u32));
        }
    }

    /// Packs a row of a mask into `open`, or what it leaves out.
    pub(super) fn open_row(&mut self, y: usize, row: &[u8], inside: bool) {
        let open = &mut self.open[y * self.across..][..self.across];
        bits::pack_into(row, open);
        if !inside {
            bits::invert(open, row.len());
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

/// The seeds and what of their runs lies after them: the sum carries through a run from a seed on.
#[inline(always)]
pub(crate) fn fill_right(seeds: u64, open: u64) -> u64 {
    ((open ^ open.wrapping_add(seeds)) & open) | seeds
}

/// The seeds and what of their runs lies before them, in steps that double; most often there is nothing left.
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
