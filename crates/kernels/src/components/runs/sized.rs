//! Components with their sizes, found once for any number of size thresholds.

use super::band::keep_runs;
use super::{MaskSide, Runs};
use crate::cpu::isa::{Isa, versions};
use crate::{Bits, Connectivity, Cpu, Mask, ObjectHash};

/// The components of a mask, and the number of pixels of each: a filter by size needs no pixels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SizedRuns {
    width: usize,
    across: usize,
    /// One bit for each pixel, `across` words a row.
    words: Vec<u64>,
    /// Where each row's runs begin, and where the last row's end.
    rows: Vec<usize>,
    /// The component of each run.
    components: Vec<u32>,
    areas: Vec<u64>,
}

impl SizedRuns {
    /// The components of the pixels that are not 0.
    pub fn of<'a>(mask: impl Into<Mask<'a>>, connectivity: Connectivity) -> Self {
        let (mask, mut runs, mut areas) = (mask.into(), Runs::default(), Vec::new());
        runs.find(Cpu::default(), mask, connectivity, MaskSide::Foreground, &mut areas);
        let Runs { bands, used, .. } = runs;
        let (width, across) = (mask.width(), mask.width().div_ceil(64));
        let mut found = Self { width, across, rows: vec![0], areas, ..Self::default() };
        for band in bands.into_iter().take(used) {
            found.rows.append(&mut band.move_to(&mut found.words, &mut found.components));
        }
        found.areas.shrink_to_fit();
        found
    }

    /// How many components there are.
    pub fn objects(&self) -> usize {
        self.areas.len()
    }

    /// Number of pixels in them.
    pub fn pixels(&self) -> u64 {
        self.areas.iter().sum()
    }

    /// Bytes of memory it takes.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
            + self.rows.capacity() * size_of::<usize>()
            + self.components.capacity() * size_of::<u32>()
            + self.areas.capacity() * size_of::<u64>()
            + size_of::<Self>()
    }

    /// Whether a component has `lowest <= pixels < end`.
    pub fn any(&self, lowest: i64, end: Option<i64>) -> bool {
        self.areas.iter().any(|area| is_within(*area, lowest, end))
    }

    /// A mask of the components with `lowest <= pixels < end`, as [`crate::filter_area`] makes it.
    pub fn filter(&self, lowest: i64, end: Option<i64>) -> Bits {
        let mut mask = Bits::with_capacity(self.width, self.height());
        add_kept(Isa::best(), self, &self.kept(lowest, end), &mut mask);
        mask
    }

    /// A hash of the set of components with `lowest <= pixels < end`: thresholds that select the same components have the
    /// same hash.
    pub fn choice(&self, lowest: i64, end: Option<i64>) -> ObjectHash {
        let kept = self.kept(lowest, end);
        let word = |some: &[u32]| some.iter().fold(0, |word, kept| word << 1 | u64::from(*kept));
        let words: Vec<u64> = kept.chunks(64).map(word).collect();
        ObjectHash::default().and(&words)
    }

    fn height(&self) -> usize {
        self.rows.len() - 1
    }

    /// For each component 1 if it stays, else 0.
    fn kept(&self, lowest: i64, end: Option<i64>) -> Vec<u32> {
        self.areas.iter().map(|area| u32::from(is_within(*area, lowest, end))).collect()
    }

    /// The bits of a row that stay; none beyond the last row.
    #[inline(always)]
    fn keep_row(&self, y: usize, kept: &[u32], words: &mut [u64]) {
        match self.rows.get(y..y + 2) {
            Some(&[start, end]) if start < end => {
                words.copy_from_slice(&self.words[y * self.across..][..self.across]);
                keep_runs(words, &self.components[start..end], kept);
            }
            _ => words.fill(0),
        }
    }
}

/// Whether `lowest <= area < end`.
pub(crate) fn is_within(area: u64, lowest: i64, end: Option<i64>) -> bool {
    lowest <= area as i64 && end.is_none_or(|end| (area as i64) < end)
}

versions! {
    /// Adds the rows of the kept components.
    fn add_kept(runs: &SizedRuns, kept: &[u32], mask: &mut Bits) {
        let mut words = vec![0; runs.across];
        for y in 0..runs.height() {
            runs.keep_row(y, kept, &mut words);
            mask.push(&words);
        }
    }
}
