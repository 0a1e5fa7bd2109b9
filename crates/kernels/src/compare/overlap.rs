//! Which objects of two results lie on each other, and which of them are partners.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use super::labelled::{LabelHasher, LabelledRun, LabelledRuns};
use super::{ComparisonCounts, ExactSum};
use crate::Window;

/// How many pixels an object of the result and an object of the reference have in common.
#[derive(Clone, Copy)]
struct Overlap {
    result: u32,
    reference: u32,
    pixels: u64,
    /// Those of them that lie in the core.
    within: u64,
}

pub(super) fn count(result: &LabelledRuns, core: Window) -> ComparisonCounts {
    ComparisonCounts {
        parts: 1,
        pixels: core.len() as u64,
        foreground: result.pixels_within(core),
        objects: result.owned(core),
        ..ComparisonCounts::default()
    }
}

pub(super) fn compare(result: &LabelledRuns, reference: &LabelledRuns, core: Window) -> ComparisonCounts {
    let overlaps = overlaps(result, reference, core);
    let mut counts = ComparisonCounts {
        compared: 1,
        reference_foreground: reference.pixels_within(core),
        reference_objects: reference.owned(core),
        common: overlaps.iter().map(|overlap| overlap.within).sum(),
        ..count(result, core)
    };
    for (object, overlap) in partners(&overlaps, result, reference) {
        if result.object(object).belongs_to(core) {
            counts.matched += 1;
            counts.matched_overlap += overlap;
        }
    }
    counts
}

/// The overlap of each two objects that share at least half of their pixels, each object once, with the object of the
/// result; overlaps come in order of both numbers.
fn partners(overlaps: &[Overlap], result: &LabelledRuns, reference: &LabelledRuns) -> Vec<(u32, ExactSum)> {
    let (mut taken, mut taken_reference) = (vec![false; result.objects()], vec![false; reference.objects()]);
    let mut partners = Vec::new();
    for overlap in overlaps {
        let (object, other) = (overlap.result, overlap.reference);
        let either = result.object(object).area + reference.object(other).area - overlap.pixels;
        let free = !taken[object as usize] && !taken_reference[other as usize];
        if free && 2 * overlap.pixels >= either {
            taken[object as usize] = true;
            taken_reference[other as usize] = true;
            partners.push((object, ExactSum::from_ratio(overlap.pixels, either)));
        }
    }
    partners
}

/// Each pair of objects that lie on each other, once, in order.
fn overlaps(result: &LabelledRuns, reference: &LabelledRuns, core: Window) -> Vec<Overlap> {
    let mut pairs = Pairs { latest: vec![usize::MAX; result.objects()], ..Pairs::default() };
    for y in 0..result.size().1 {
        pairs.collect(result.row(y), reference.row(y), &core.columns_of(y));
    }
    pairs.met.sort_unstable_by_key(|overlap| (overlap.result, overlap.reference));
    pairs.met
}

/// Overlaps of pairs of objects.
#[derive(Default)]
struct Pairs {
    /// Index of each pair in the list.
    places: HashMap<u64, usize, BuildHasherDefault<LabelHasher>>,
    met: Vec<Overlap>,
    /// For each object of the result its most recent pair: most often the next row has the same.
    latest: Vec<usize>,
}

impl Pairs {
    /// Adds the overlaps of the runs of a row; `inside` are the columns of the core.
    fn collect(&mut self, result: &[LabelledRun], reference: &[LabelledRun], inside: &Range<usize>) {
        let mut first = 0;
        for run in result {
            while reference.get(first).is_some_and(|other| other.end <= run.start) {
                first += 1;
            }
            for other in reference[first..].iter().take_while(|other| other.start < run.end) {
                let (start, end) = (run.start.max(other.start), run.end.min(other.end));
                self.add(LabelledRun { start, end, ..*run }, other.object, inside);
            }
        }
    }

    fn add(&mut self, common: LabelledRun, reference: u32, inside: &Range<usize>) {
        let latest = self.latest[common.object as usize];
        let place = match self.met.get(latest) {
            Some(overlap) if overlap.reference == reference => latest,
            _ => self.place(common.object, reference),
        };
        self.met[place].pixels += u64::from(common.end - common.start);
        self.met[place].within += common.within(inside);
    }

    fn place(&mut self, result: u32, reference: u32) -> usize {
        let next = self.met.len();
        let place = *self.places.entry(u64::from(result) << 32 | u64::from(reference)).or_insert(next);
        if place == next {
            self.met.push(Overlap { result, reference, pixels: 0, within: 0 });
        }
        self.latest[result as usize] = place;
        place
    }
}
