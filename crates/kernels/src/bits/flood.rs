//! Flood fill: the pixels of a mask that can be reached from seeds, 64 pixels at a time.

use std::ops::Range;

use super::flood_rows::{FloodRows, WordPosition};
use super::mask::BitsView;
use crate::cpu::isa::versions;
use crate::{Connectivity, Cpu, View, ViewMut, bits};

/// How often bands exchange what they reached before one thread does the rest: only paths that cross a seam many times need
/// more.
const ROUNDS: usize = 8;

/// Words for each band that the caller's thread follows across seams by itself: starting other threads would take as long.
const FEW: usize = 2048;

/// Rows that are written together, from the top: writing memory backwards is slow.
const BLOCK: usize = 32;

/// Reusable memory for two masks as bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitFlood {
    open: Vec<u64>,
    reached: Vec<u64>,
    bands: Vec<FloodBand>,
    waiting: Vec<WordPosition>,
}

/// The memory of one band of rows.
#[derive(Clone, Debug, Default)]
struct FloodBand {
    waiting: Vec<WordPosition>,
    /// Whether the result contains everything that was reached.
    shown: bool,
}

/// Where a flood may spread in the rows of an image, and where it starts.
pub(crate) trait Seeds: Sync {
    /// Whether a result in pixels shows the reached pixels, or all others.
    const INSIDE: bool;

    /// Writes the pixels of the row that may be reached.
    fn open(&self, y: usize, words: &mut [u64]);

    /// Writes the seeds of the row; seeds that are not open are ignored.
    fn seed(&self, y: usize, words: &mut [u64]);
}

impl BitFlood {
    /// Writes a mask of the pixels that can be reached from the seeds, or of those that cannot.
    ///
    /// Rows are packed on the way down and expanded on the way up; a word that is reached later is expanded again.
    pub(crate) fn write<S: Seeds>(
        &mut self,
        cpu: Cpu,
        connectivity: Connectivity,
        seeds: &S,
        target: ViewMut<'_, u8>,
    ) {
        let (width, height) = (target.width(), target.height());
        self.run(cpu, connectivity, seeds, (width, height), Some(target));
    }

    /// The pixels that can be reached, as bits, in an image of this size.
    pub(crate) fn reach<S: Seeds>(
        &mut self,
        cpu: Cpu,
        connectivity: Connectivity,
        seeds: &S,
        (width, height): (usize, usize),
    ) -> BitsView<'_> {
        self.run(cpu, connectivity, seeds, (width, height), None);
        self.reached(width, height)
    }

    /// The result of the last flood, in an image of this size.
    pub(crate) fn reached(&self, width: usize, height: usize) -> BitsView<'_> {
        BitsView::new(&self.reached, width, height)
    }

    fn run<S: Seeds>(
        &mut self,
        cpu: Cpu,
        connectivity: Connectivity,
        seeds: &S,
        (width, height): (usize, usize),
        mut target: Option<ViewMut<'_, u8>>,
    ) {
        let across = width.div_ceil(64);
        // The old content is overwritten.
        self.open.resize(across * height, 0);
        self.reached.resize(across * height, 0);
        let Self { open, reached, bands, .. } = self;
        let field = FloodRows { open, reached, across, height };
        let shown = target.as_mut().map(ViewMut::reborrow);
        cpu.write((field, shown), bands, |rows, (mut field, target), band| {
            let shown = &mut FloodTarget::new(target, S::INSIDE);
            settle(cpu.isa, &mut field, rows, connectivity, seeds, shown, band);
        });
        let shown = FloodTarget::new(target.as_mut().map(ViewMut::reborrow), S::INSIDE);
        let shown = self.cross_seams(cpu, connectivity, (across, height), shown);
        let all_shown = shown && self.bands[..cpu.bands(height).count()].iter().all(|band| band.shown);
        if let (Some(target), false) = (target, all_shown) {
            self.show_all(cpu, target, S::INSIDE);
        }
    }

    /// Whether all open flags can be reached, with 4-connectivity, from those that are seeds.
    #[inline]
    pub(crate) fn covers(
        &mut self,
        flags: View<'_, u8>,
        open: impl Fn(u8) -> bool,
        seed: impl Fn(u8) -> bool,
    ) -> bool {
        let across = flags.width().div_ceil(64);
        self.open.resize(across * flags.height(), 0);
        self.reached.resize(across * flags.height(), 0);
        let mut field =
            FloodRows { open: &mut self.open, reached: &mut self.reached, across, height: flags.height() };
        for (y, row) in flags.rows().enumerate() {
            bits::pack_where(row, &open, &mut field.open[y * across..][..across]);
            bits::pack_where(row, &seed, &mut field.reached[y * across..][..across]);
            field.enter(y, Connectivity::Four);
        }
        for y in (0..field.height.saturating_sub(1)).rev() {
            field.rise(y, Connectivity::Four, &mut self.waiting);
        }
        field.follow(Connectivity::Four, &mut self.waiting, usize::MAX, |_, _, _| ());
        self.open == self.reached
    }

    /// Continues floods from one band into the next; returns whether the target contains all of the result.
    fn cross_seams(
        &mut self,
        cpu: Cpu,
        connectivity: Connectivity,
        (across, height): (usize, usize),
        mut shown: FloodTarget<'_>,
    ) -> bool {
        let Self { open, reached, bands, waiting } = self;
        let mut field = FloodRows { open, reached, across, height };
        let rows: Vec<Range<usize>> = cpu.bands(height).collect();
        notice_seams(&mut field, &rows, connectivity, waiting);
        field.follow(connectivity, waiting, FEW * rows.len(), |y, at, word| shown.show(y, at, word));
        let all_shown = waiting.is_empty();
        for _ in 0..ROUNDS {
            if waiting.is_empty() {
                return all_shown;
            }
            share(&rows, waiting, bands);
            let field_now = FloodRows { open: field.open, reached: field.reached, across, height };
            cpu.write(field_now, bands, |_, mut field, band| {
                field.follow(connectivity, &mut band.waiting, usize::MAX, |_, _, _| ());
            });
            notice_seams(&mut field, &rows, connectivity, waiting);
        }
        field.follow(connectivity, waiting, usize::MAX, |_, _, _| ());
        all_shown
    }

    /// Writes every row.
    fn show_all(&mut self, cpu: Cpu, target: ViewMut<'_, u8>, inside: bool) {
        let (across, height) = (target.width().div_ceil(64), target.height());
        let Self { open, reached, bands, .. } = self;
        let field = FloodRows { open, reached, across, height };
        cpu.write((field, target), bands, |_, (field, target), _| {
            let mut shown = FloodTarget::new(Some(target), inside);
            (0..field.height).for_each(|y| shown.show_row(y, &field));
        });
    }
}

/// The target of a flood, if there is one: a mask of the reached pixels, or of all others.
struct FloodTarget<'a> {
    target: Option<ViewMut<'a, u8>>,
    /// XOR mask of the words that are written: no bits or all.
    flip: u64,
}

impl<'a> FloodTarget<'a> {
    fn new(target: Option<ViewMut<'a, u8>>, inside: bool) -> Self {
        Self { target, flip: if inside { 0 } else { u64::MAX } }
    }

    #[inline(always)]
    fn show_row(&mut self, y: usize, field: &FloodRows<'_>) {
        if let Some(target) = &mut self.target {
            let words = &field.reached[y * field.across..][..field.across];
            bits::expand_flipped(words, self.flip, target.row_mut(y));
        }
    }

    #[inline(always)]
    fn show(&mut self, y: usize, at: usize, word: u64) {
        if let Some(target) = &mut self.target {
            let row = target.row_mut(y);
            let end = row.len().min(at * 64 + 64);
            bits::expand_flipped(&[word], self.flip, &mut row[at * 64..end]);
        }
    }
}

versions! {
    /// Floods some rows to the end: one pass down and one up, which is all that most images need, then word by word from a
    /// queue. Each queued word adds at least one pixel, so that the time is linear in the number of pixels.
    fn settle<S: Seeds>(
        field: &mut FloodRows<'_>,
        rows: Range<usize>,
        connectivity: Connectivity,
        seeds: &S,
        shown: &mut FloodTarget<'_>,
        band: &mut FloodBand,
    ) {
        let across = field.across;
        for (y, of_image) in rows.enumerate() {
            seeds.open(of_image, &mut field.open[y * across..][..across]);
            seeds.seed(of_image, &mut field.reached[y * across..][..across]);
            field.enter(y, connectivity);
        }
        for start in (0..field.height).step_by(BLOCK).rev() {
            let block = start..(start + BLOCK).min(field.height);
            let above = block.start..block.end.min(field.height - 1);
            above.rev().for_each(|y| field.rise(y, connectivity, &mut band.waiting));
            block.for_each(|y| shown.show_row(y, field));
        }
        // Where very many words are reached later, writing all rows again at the end is cheaper.
        let most = across * field.height / 8 + FEW;
        field.follow(connectivity, &mut band.waiting, most, |y, at, word| shown.show(y, at, word));
        band.shown = band.waiting.is_empty();
        field.follow(connectivity, &mut band.waiting, usize::MAX, |_, _, _| ());
    }
}

/// Reaches across the seams between bands, both ways; words with newly reached pixels are queued.
fn notice_seams(
    field: &mut FloodRows<'_>,
    bands: &[Range<usize>],
    connectivity: Connectivity,
    waiting: &mut Vec<WordPosition>,
) {
    for seam in bands.iter().skip(1).map(|band| band.start) {
        field.notice(seam - 1, seam, connectivity, waiting);
        field.notice(seam, seam - 1, connectivity, waiting);
    }
}

/// Moves each queued word to its band, which counts its own rows.
fn share(rows: &[Range<usize>], waiting: &mut Vec<WordPosition>, bands: &mut [FloodBand]) {
    for (y, at) in waiting.drain(..) {
        let band = rows.partition_point(|rows| rows.end <= y as usize);
        bands[band].waiting.push((y - rows[band].start as u32, at));
    }
}
