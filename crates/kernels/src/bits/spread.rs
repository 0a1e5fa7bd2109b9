//! What a mask's pixels can be reached from seeds, 64 pixels at a time.

use std::ops::Range;

use super::field::{Field, Place};
use crate::isa::{Isa, versions};
use crate::{Connectivity, Machine, View, ViewMut, bits};

/// How often bands tell each other what they reached before one thread does the rest: tissue needs two or three times,
/// only ways that wind to and fro across a seam need more.
const ROUNDS: usize = 8;

/// Memory for two masks as bits, to be used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spread {
    open: Vec<u64>,
    reached: Vec<u64>,
    waiting: Vec<Vec<Place>>,
}

/// What the rows of an image say: the mask's row, and which of its words are reached from the start.
pub(crate) trait Seeds: Sync {
    /// Whether to spread over the mask's pixels that are not 0, or over the others.
    const INSIDE: bool;

    /// The mask's row.
    fn row(&self, y: usize) -> &[u8];

    /// Sets seeds of the row; what is not open there counts for nothing.
    fn seed(&self, y: usize, words: &mut [u64]);
}

impl Spread {
    /// Finds what can be reached from the seeds of an image of this size.
    pub(crate) fn find<S: Seeds>(
        &mut self,
        machine: Machine,
        (width, height): (usize, usize),
        connectivity: Connectivity,
        seeds: &S,
    ) {
        let across = width.div_ceil(64);
        // What is in the memory from before is written over.
        self.open.resize(across * height, 0);
        self.reached.resize(across * height, 0);
        let Self { open, reached, waiting } = self;
        let field = Field { open, reached, across, height };
        machine.write(field, waiting, |rows, mut field, waiting| {
            begin(&mut field, rows, seeds);
            settle(machine.isa, &mut field, connectivity, waiting);
        });
        self.cross_seams(machine, (across, height), connectivity);
    }

    /// Whether all flags that are open, in 4-connected rows, can be reached from those of them that are seeds.
    #[inline]
    pub(crate) fn covers(
        &mut self,
        isa: Isa,
        flags: View<'_, u8>,
        open: impl Fn(u8) -> bool,
        seed: impl Fn(u8) -> bool,
    ) -> bool {
        let across = flags.width().div_ceil(64);
        self.open.resize(across * flags.height(), 0);
        self.reached.resize(across * flags.height(), 0);
        self.waiting.resize_with(self.waiting.len().max(1), Vec::new);
        for (y, row) in flags.rows().enumerate() {
            bits::pack_where(row, &open, &mut self.open[y * across..][..across]);
            bits::pack_where(row, &seed, &mut self.reached[y * across..][..across]);
        }
        let Self { open, reached, waiting } = self;
        let mut field = Field { open, reached, across, height: flags.height() };
        settle(isa, &mut field, Connectivity::Four, &mut waiting[0]);
        open == reached
    }

    /// What one band reached may reach on in the next.
    fn cross_seams(
        &mut self,
        machine: Machine,
        (across, height): (usize, usize),
        connectivity: Connectivity,
    ) {
        let bands: Vec<Range<usize>> = machine.bands(height).collect();
        for round in 0..ROUNDS {
            let Self { open, reached, waiting } = self;
            let mut field = Field { open, reached, across, height };
            let found = notice_seams(&mut field, &bands, connectivity, waiting);
            match (found, waiting.as_mut_slice()) {
                (false, _) => return,
                (true, [first, others @ ..]) if round + 1 == ROUNDS => {
                    others.iter_mut().for_each(|places| first.append(places));
                    return follow(machine.isa, &mut field, connectivity, first);
                }
                _ => machine.write(field, waiting, |rows, mut field, waiting| {
                    waiting.iter_mut().for_each(|(y, _)| *y -= rows.start as u32);
                    follow(machine.isa, &mut field, connectivity, waiting);
                }),
            }
        }
    }

    /// Writes a mask of what was reached, or of everything else.
    pub(crate) fn write(&mut self, machine: Machine, target: ViewMut<'_, u8>, inside: bool) {
        let (across, height) = (target.width().div_ceil(64), target.height());
        let Self { open, reached, waiting } = self;
        let field = Field { open, reached, across, height };
        machine.write((field, target), waiting, |rows, (field, mut target), _| {
            for (y, words) in (0..rows.len()).zip(field.reached.chunks_exact_mut(across.max(1))) {
                if !inside {
                    words.iter_mut().for_each(|word| *word = !*word);
                }
                bits::expand(words, target.row_mut(y));
            }
        });
    }
}

versions! {
    /// [`Field::settle`].
    fn settle(field: &mut Field<'_>, connectivity: Connectivity, waiting: &mut Vec<Place>) {
        field.settle(connectivity, waiting);
    }
}

versions! {
    /// [`Field::follow`].
    fn follow(field: &mut Field<'_>, connectivity: Connectivity, waiting: &mut Vec<Place>) {
        field.follow(connectivity, waiting);
    }
}

fn begin<S: Seeds>(field: &mut Field<'_>, rows: Range<usize>, seeds: &S) {
    let across = field.across;
    for (y, of_image) in rows.enumerate() {
        field.open_row(y, seeds.row(of_image), S::INSIDE);
        seeds.seed(of_image, &mut field.reached[y * across..][..across]);
    }
}

/// Reaches across the seams between bands, both ways; says whether anything was new.
fn notice_seams(
    field: &mut Field<'_>,
    bands: &[Range<usize>],
    connectivity: Connectivity,
    waiting: &mut [Vec<Place>],
) -> bool {
    let mut found = false;
    for (seam, pair) in bands.windows(2).enumerate() {
        let (above, below) = (pair[1].start - 1, pair[1].start);
        field.notice(above, below, connectivity, &mut waiting[seam + 1]);
        field.notice(below, above, connectivity, &mut waiting[seam]);
        found |= !waiting[seam].is_empty() || !waiting[seam + 1].is_empty();
    }
    found
}
