//! Which objects of two results lie on each other, and which of them are partners.

use std::collections::{HashMap, HashSet};

use super::{Counts, ExactSum};
use crate::View;

/// How many pixels carry a label of the result and a label of the reference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Overlap {
    result: u32,
    reference: u32,
    pixels: u64,
}

impl Overlap {
    /// Whether both labels are those of objects.
    fn is_common(&self) -> bool {
        self.result != 0 && self.reference != 0
    }
}

pub(super) fn count(result: View<'_, u32>) -> Counts {
    let overlaps = overlaps(result.rows().map(|row| row.iter().map(|&label| (label, 0))));
    let areas = areas(&overlaps, |overlap| overlap.result);
    let foreground = areas.values().sum();
    let objects = areas.len() as u64;
    Counts { parts: 1, pixels: result.len() as u64, foreground, objects, ..Counts::default() }
}

pub(super) fn compare(result: View<'_, u32>, reference: View<'_, u32>) -> Counts {
    let rows = result.rows().zip(reference.rows());
    let overlaps = overlaps(rows.map(|(a, b)| a.iter().copied().zip(b.iter().copied())));
    let areas = (areas(&overlaps, |overlap| overlap.result), areas(&overlaps, |overlap| overlap.reference));
    let partners = partners(&overlaps, &areas.0, &areas.1);
    let mut matched_overlap = ExactSum::default();
    partners.iter().for_each(|&overlap| matched_overlap += overlap);
    Counts {
        parts: 1,
        compared: 1,
        pixels: result.len() as u64,
        foreground: areas.0.values().sum(),
        reference_foreground: areas.1.values().sum(),
        common: overlaps.iter().filter(|o| o.is_common()).map(|o| o.pixels).sum(),
        objects: areas.0.len() as u64,
        reference_objects: areas.1.len() as u64,
        matched: partners.len() as u64,
        matched_overlap,
        ..Counts::default()
    }
}

/// The pixels of each object.
type Areas = HashMap<u32, u64>;

/// The overlap of each two objects that share at least half of their pixels, each object once.
fn partners(overlaps: &[Overlap], of_result: &Areas, of_reference: &Areas) -> Vec<ExactSum> {
    let (mut taken, mut taken_reference) = (HashSet::new(), HashSet::new());
    let mut partners = Vec::new();
    for overlap in overlaps.iter().filter(|overlap| overlap.is_common()) {
        let either = of_result[&overlap.result] + of_reference[&overlap.reference] - overlap.pixels;
        let free = !taken.contains(&overlap.result) && !taken_reference.contains(&overlap.reference);
        if free && 2 * overlap.pixels >= either {
            taken.insert(overlap.result);
            taken_reference.insert(overlap.reference);
            partners.push(ExactSum::from_ratio(overlap.pixels, either));
        }
    }
    partners
}

/// Each pair of labels once, in order; runs of equal pairs are collected first, so that few pairs are sorted.
fn overlaps<R: Iterator<Item = (u32, u32)>>(rows: impl Iterator<Item = R>) -> Vec<Overlap> {
    let mut runs: Vec<Overlap> = Vec::new();
    for (result, reference) in rows.flatten() {
        match runs.last_mut() {
            Some(run) if (run.result, run.reference) == (result, reference) => run.pixels += 1,
            _ => runs.push(Overlap { result, reference, pixels: 1 }),
        }
    }
    runs.sort_unstable();
    runs.dedup_by(|run, kept| {
        let same = (run.result, run.reference) == (kept.result, kept.reference);
        kept.pixels += if same { run.pixels } else { 0 };
        same
    });
    runs
}

fn areas(overlaps: &[Overlap], label: impl Fn(&Overlap) -> u32) -> Areas {
    let mut areas = HashMap::new();
    for overlap in overlaps.iter().filter(|overlap| label(overlap) != 0) {
        *areas.entry(label(overlap)).or_default() += overlap.pixels;
    }
    areas
}
