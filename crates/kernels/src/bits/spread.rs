//! What a mask's pixels can be reached from seeds, 64 pixels at a time.

use std::ops::Range;

use super::field::{Field, Place};
use super::mask::BitsView;
use crate::isa::versions;
use crate::{Connectivity, Machine, View, ViewMut, bits};

/// How often bands tell each other what they reached before one thread does the rest: only ways that wind to and fro
/// across a seam need more.
const ROUNDS: usize = 8;

/// Words for each band that the caller's thread follows across seams by itself: calling others takes as long.
const FEW: usize = 2048;

/// Rows that are written together, from the top: the other way round memory is slow.
const BLOCK: usize = 32;

/// Memory for two masks as bits, to be used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spread {
    open: Vec<u64>,
    reached: Vec<u64>,
    bands: Vec<Band>,
    waiting: Vec<Place>,
}

/// The memory of one band of rows.
#[derive(Clone, Debug, Default)]
struct Band {
    waiting: Vec<Place>,
    /// Whether the result shows all that was reached.
    shown: bool,
}

/// What the rows of an image say: where it may spread, and what is reached from the start.
pub(crate) trait Seeds: Sync {
    /// Whether a result in pixels shows what is reached, or all else.
    const INSIDE: bool;

    /// Sets where it may spread in the row, and nothing else.
    fn open(&self, y: usize, words: &mut [u64]);

    /// Sets seeds of the row; what is not open there counts for nothing.
    fn seed(&self, y: usize, words: &mut [u64]);
}

impl Spread {
    /// Writes a mask of what can be reached from the seeds inside a mask, or of all that cannot be reached outside.
    ///
    /// Rows are packed on the way down and written on the way up; a word that is reached later is written again.
    pub(crate) fn write<S: Seeds>(
        &mut self,
        machine: Machine,
        connectivity: Connectivity,
        seeds: &S,
        target: ViewMut<'_, u8>,
    ) {
        let (width, height) = (target.width(), target.height());
        self.run(machine, connectivity, seeds, (width, height), Some(target));
    }

    /// What can be reached, as bits alone, in an image of this size.
    pub(crate) fn reach<S: Seeds>(
        &mut self,
        machine: Machine,
        connectivity: Connectivity,
        seeds: &S,
        (width, height): (usize, usize),
    ) -> BitsView<'_> {
        self.run(machine, connectivity, seeds, (width, height), None);
        self.reached(width, height)
    }

    /// What was reached last, in an image of this size.
    pub(crate) fn reached(&self, width: usize, height: usize) -> BitsView<'_> {
        BitsView::new(&self.reached, width, height)
    }

    fn run<S: Seeds>(
        &mut self,
        machine: Machine,
        connectivity: Connectivity,
        seeds: &S,
        (width, height): (usize, usize),
        mut target: Option<ViewMut<'_, u8>>,
    ) {
        let across = width.div_ceil(64);
        // What is in the memory from before is written over.
        self.open.resize(across * height, 0);
        self.reached.resize(across * height, 0);
        let Self { open, reached, bands, .. } = self;
        let field = Field { open, reached, across, height };
        let shown = target.as_mut().map(ViewMut::reborrow);
        machine.write((field, shown), bands, |rows, (mut field, target), band| {
            let shown = &mut Shown::new(target, S::INSIDE);
            settle(machine.isa, &mut field, rows, connectivity, seeds, shown, band);
        });
        let shown = Shown::new(target.as_mut().map(ViewMut::reborrow), S::INSIDE);
        let shown = self.cross_seams(machine, connectivity, (across, height), shown);
        let all_shown = shown && self.bands[..machine.bands(height).count()].iter().all(|band| band.shown);
        if let (Some(target), false) = (target, all_shown) {
            self.show_all(machine, target, S::INSIDE);
        }
    }

    /// Whether all flags that are open, in 4-connected rows, can be reached from those of them that are seeds.
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
            Field { open: &mut self.open, reached: &mut self.reached, across, height: flags.height() };
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

    /// What one band reached may reach on in the next; says whether all of it is shown.
    fn cross_seams(
        &mut self,
        machine: Machine,
        connectivity: Connectivity,
        (across, height): (usize, usize),
        mut shown: Shown<'_>,
    ) -> bool {
        let Self { open, reached, bands, waiting } = self;
        let mut field = Field { open, reached, across, height };
        let rows: Vec<Range<usize>> = machine.bands(height).collect();
        notice_seams(&mut field, &rows, connectivity, waiting);
        field.follow(connectivity, waiting, FEW * rows.len(), |y, at, word| shown.show(y, at, word));
        let all_shown = waiting.is_empty();
        for _ in 0..ROUNDS {
            if waiting.is_empty() {
                return all_shown;
            }
            share(&rows, waiting, bands);
            let field_now = Field { open: field.open, reached: field.reached, across, height };
            machine.write(field_now, bands, |_, mut field, band| {
                field.follow(connectivity, &mut band.waiting, usize::MAX, |_, _, _| ());
            });
            notice_seams(&mut field, &rows, connectivity, waiting);
        }
        field.follow(connectivity, waiting, usize::MAX, |_, _, _| ());
        all_shown
    }

    /// Writes every row.
    fn show_all(&mut self, machine: Machine, target: ViewMut<'_, u8>, inside: bool) {
        let (across, height) = (target.width().div_ceil(64), target.height());
        let Self { open, reached, bands, .. } = self;
        let field = Field { open, reached, across, height };
        machine.write((field, target), bands, |_, (field, target), _| {
            let mut shown = Shown::new(Some(target), inside);
            (0..field.height).for_each(|y| shown.show_row(y, &field));
        });
    }
}

/// A mask of what was reached, or of all else, if somebody wants to see it.
struct Shown<'a> {
    target: Option<ViewMut<'a, u8>>,
    /// What of a word is shown the other way round: nothing or everything.
    flip: u64,
}

impl<'a> Shown<'a> {
    fn new(target: Option<ViewMut<'a, u8>>, inside: bool) -> Self {
        Self { target, flip: if inside { 0 } else { u64::MAX } }
    }

    #[inline(always)]
    fn show_row(&mut self, y: usize, field: &Field<'_>) {
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
    /// Spreads as far as it goes within some rows: once down and once up, which is all that most images need, then word by
    /// word from those that reach something still. What is found there adds a pixel at least, so that the time is linear
    /// in the number of pixels.
    fn settle<S: Seeds>(
        field: &mut Field<'_>,
        rows: Range<usize>,
        connectivity: Connectivity,
        seeds: &S,
        shown: &mut Shown<'_>,
        band: &mut Band,
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
        // Where very many words are reached later, to write them all again in the end is cheaper.
        let most = across * field.height / 8 + FEW;
        field.follow(connectivity, &mut band.waiting, most, |y, at, word| shown.show(y, at, word));
        band.shown = band.waiting.is_empty();
        field.follow(connectivity, &mut band.waiting, usize::MAX, |_, _, _| ());
    }
}

/// Reaches across the seams between bands, both ways; words where that is news wait.
fn notice_seams(
    field: &mut Field<'_>,
    bands: &[Range<usize>],
    connectivity: Connectivity,
    waiting: &mut Vec<Place>,
) {
    for seam in bands.iter().skip(1).map(|band| band.start) {
        field.notice(seam - 1, seam, connectivity, waiting);
        field.notice(seam, seam - 1, connectivity, waiting);
    }
}

/// Lets each word wait in its band, which counts its own rows.
fn share(rows: &[Range<usize>], waiting: &mut Vec<Place>, bands: &mut [Band]) {
    for (y, at) in waiting.drain(..) {
        let band = rows.partition_point(|rows| rows.end <= y as usize);
        bands[band].waiting.push((y - rows[band].start as u32, at));
    }
}
