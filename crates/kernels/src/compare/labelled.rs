//! Labelled objects as runs of pixels: the cost grows with the number of runs, not of pixels.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use crate::components::{RunBand, RunRow};
use crate::cpu::isa::versions;
use crate::{Connectivity, Isa, Mask, Runs, View, Window};

/// The objects of a result or of a reference, found once for all comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelledRuns {
    width: usize,
    height: usize,
    /// Where each row's runs begin, and where the last row's end.
    rows: Vec<usize>,
    runs: Vec<LabelledRun>,
    /// In order of their labels.
    objects: Vec<LabelledObject>,
}

/// Neighbouring pixels of one object in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LabelledRun {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Its object's number.
    pub(super) object: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LabelledObject {
    pub(super) area: u64,
    /// Column and row of its first pixel in reading order.
    first: [u32; 2],
}

impl LabelledRuns {
    /// The 8-connected components of the pixels that are not 0.
    pub fn of_mask<'a>(mask: impl Into<Mask<'a>>) -> Self {
        let mask = mask.into();
        let runs = Runs::of_foreground(mask, Connectivity::Eight);
        let mut found = Self::empty(mask.width(), mask.height());
        runs.bands().iter().for_each(|band| take(Isa::best(), &mut found, band));
        found
    }

    /// An object for each label that is not 0.
    pub fn of_labels(labels: View<'_, u32>) -> Self {
        let mut found = Self::empty(labels.width(), labels.height());
        let mut numbers = LabelIndex::default();
        for (y, row) in labels.rows().enumerate() {
            let mut start = 0;
            while start < row.len() {
                let end = start + same(&row[start..], row[start]);
                if row[start] != 0 {
                    found.push(y, start, end, numbers.of(row[start]));
                }
                start = end;
            }
            found.rows.push(found.runs.len());
        }
        found.sort(&numbers.in_order());
        found
    }

    /// How many objects there are.
    pub fn objects(&self) -> usize {
        self.objects.len()
    }

    /// Number of pixels in objects.
    pub fn pixels(&self) -> u64 {
        self.objects.iter().map(|object| object.area).sum()
    }

    /// Bytes of memory it has.
    pub fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<usize>()
            + self.runs.capacity() * size_of::<LabelledRun>()
            + self.objects.capacity() * size_of::<LabelledObject>()
            + size_of::<Self>()
    }

    /// Width and height of the image.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// The runs of a row, from the left.
    pub(super) fn row(&self, y: usize) -> &[LabelledRun] {
        &self.runs[self.rows[y]..self.rows[y + 1]]
    }

    pub(super) fn object(&self, number: u32) -> &LabelledObject {
        &self.objects[number as usize]
    }

    /// Number of pixels in a core.
    pub(super) fn pixels_within(&self, core: Window) -> u64 {
        if self.is_whole(core) {
            return self.pixels();
        }
        let within = |y: usize| {
            let columns = core.columns_of(y);
            self.row(y).iter().map(move |run| run.within(&columns)).sum::<u64>()
        };
        (0..self.height).map(within).sum()
    }

    /// How many objects belong to a core.
    pub(super) fn owned(&self, core: Window) -> u64 {
        if self.is_whole(core) {
            return self.objects.len() as u64;
        }
        self.objects.iter().filter(|object| object.belongs_to(core)).count() as u64
    }

    fn is_whole(&self, core: Window) -> bool {
        core == Window { left: 0, top: 0, width: self.width, height: self.height }
    }

    fn empty(width: usize, height: usize) -> Self {
        Self { width, height, rows: vec![0], ..Self::default() }
    }

    /// Adds a run; a new object has the number after all others.
    #[inline(always)]
    fn push(&mut self, y: usize, start: usize, end: usize, object: u32) {
        if object as usize == self.objects.len() {
            self.objects.push(LabelledObject { area: 0, first: [start as u32, y as u32] });
        }
        self.objects[object as usize].area += (end - start) as u64;
        self.runs.push(LabelledRun { start: start as u32, end: end as u32, object });
    }

    /// Renumbers the objects: the object `order[n]` gets the number `n`.
    fn sort(&mut self, order: &[u32]) {
        let mut numbers = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(object, number)| numbers[*object as usize] = number);
        self.runs.iter_mut().for_each(|run| run.object = numbers[run.object as usize]);
        self.objects = order.iter().map(|object| self.objects[*object as usize]).collect();
    }
}

versions! {
    /// Adds the runs of the next rows.
    fn take(found: &mut LabelledRuns, band: &RunBand) {
        let mut row = RunRow::default();
        for y in band.rows() {
            for run in band.read_row(y, &mut row) {
                found.push(y, run.start, run.end, run.component as u32);
            }
            found.rows.push(found.runs.len());
        }
    }
}

impl LabelledRun {
    /// How many of its pixels lie in some columns.
    pub(super) fn within(&self, columns: &Range<usize>) -> u64 {
        let (start, end) = ((self.start as usize).max(columns.start), (self.end as usize).min(columns.end));
        end.saturating_sub(start) as u64
    }
}

impl LabelledObject {
    /// Whether its first pixel lies in a core.
    pub(super) fn belongs_to(&self, core: Window) -> bool {
        core.holds(self.first[0] as usize, self.first[1] as usize)
    }
}

/// Labels in the order of their first occurrence.
#[derive(Default)]
struct LabelIndex {
    numbers: HashMap<u32, u32, BuildHasherDefault<LabelHasher>>,
    /// The previous label and its number: most runs have the same label.
    last: (u32, u32),
}

impl LabelIndex {
    fn of(&mut self, label: u32) -> u32 {
        if self.last.0 != label {
            let next = self.numbers.len() as u32;
            self.last = (label, *self.numbers.entry(label).or_insert(next));
        }
        self.last.1
    }

    /// The numbers in order of their labels.
    fn in_order(self) -> Vec<u32> {
        let mut labels: Vec<(u32, u32)> = self.numbers.into_iter().collect();
        labels.sort_unstable();
        labels.into_iter().map(|(_, number)| number).collect()
    }
}

/// How many of the first labels are equal to this one, at least one. Sixteen are compared in one step.
fn same(labels: &[u32], label: u32) -> usize {
    const STEP: usize = 16;
    let all_same =
        |chunk: &[u32]| chunk.iter().fold(0, |differences, other| differences | (other ^ label)) == 0;
    let whole = labels.chunks_exact(STEP).take_while(|chunk| all_same(chunk)).count() * STEP;
    whole + labels[whole..].iter().take_while(|other| **other == label).count()
}

/// Hashes labels, which are small numbers. Constructed collisions cost speed only.
#[derive(Default)]
pub(super) struct LabelHasher(u64);

impl Hasher for LabelHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, label: u32) {
        self.write_u64(u64::from(label));
    }

    fn write_u64(&mut self, pair: u64) {
        let mixed = (self.0 ^ pair).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = (mixed ^ mixed >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
