//! Which objects of two results lie on each other, and which of them are partners.

use std::collections::{HashMap, HashSet};

use super::{Counts, ExactSum};
use crate::{View, Window};

/// How many pixels carry a label of the result and a label of the reference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Overlap {
    result: u32,
    reference: u32,
    pixels: u64,
    /// Those of them that lie in the core.
    within: u64,
}

impl Overlap {
    /// Whether both labels are those of objects.
    fn is_common(&self) -> bool {
        self.result != 0 && self.reference != 0
    }
}

pub(super) fn count(result: View<'_, u32>, core: Window) -> Counts {
    let overlaps =
        overlaps(result.rows().map(|row| row.iter().map(|&label| (label, 0))), result.width(), core);
    Counts {
        parts: 1,
        pixels: core.len() as u64,
        foreground: foreground(&overlaps, |overlap| overlap.result != 0),
        objects: Owned::new(result, core).of(&areas(&overlaps, |overlap| overlap.result)),
        ..Counts::default()
    }
}

pub(super) fn compare(result: View<'_, u32>, reference: View<'_, u32>, core: Window) -> Counts {
    let rows = result.rows().zip(reference.rows());
    let rows = rows.map(|(a, b)| a.iter().copied().zip(b.iter().copied()));
    let overlaps = overlaps(rows, result.width(), core);
    let areas = (areas(&overlaps, |overlap| overlap.result), areas(&overlaps, |overlap| overlap.reference));
    let owned = Owned::new(result, core);
    let mut counts = Counts {
        parts: 1,
        compared: 1,
        pixels: core.len() as u64,
        foreground: foreground(&overlaps, |overlap| overlap.result != 0),
        reference_foreground: foreground(&overlaps, |overlap| overlap.reference != 0),
        common: foreground(&overlaps, Overlap::is_common),
        objects: owned.of(&areas.0),
        reference_objects: Owned::new(reference, core).of(&areas.1),
        ..Counts::default()
    };
    for (object, overlap) in partners(&overlaps, &areas.0, &areas.1) {
        if owned.has(object) {
            counts.matched += 1;
            counts.matched_overlap += overlap;
        }
    }
    counts
}

/// Pixels of the core in such overlaps.
fn foreground(overlaps: &[Overlap], is_meant: impl Fn(&Overlap) -> bool) -> u64 {
    overlaps.iter().filter(|overlap| is_meant(overlap)).map(|overlap| overlap.within).sum()
}

/// The objects that belong to a core: those whose first pixel, in reading order, lies in it.
enum Owned {
    All,
    Those(HashSet<u32>),
}

impl Owned {
    fn new(labels: View<'_, u32>, core: Window) -> Self {
        if core.is_whole(labels) { Self::All } else { Self::Those(first_in(labels, core)) }
    }

    fn has(&self, label: u32) -> bool {
        match self {
            Self::All => true,
            Self::Those(labels) => labels.contains(&label),
        }
    }

    fn of(&self, areas: &Areas) -> u64 {
        match self {
            Self::All => areas.len() as u64,
            Self::Those(labels) => labels.len() as u64,
        }
    }
}

fn first_in(labels: View<'_, u32>, core: Window) -> HashSet<u32> {
    let (mut met, mut owned) = (HashSet::new(), HashSet::new());
    for (y, row) in labels.rows().enumerate() {
        let columns = core.columns_of(y);
        let mut last = 0;
        for (x, &label) in row.iter().enumerate() {
            // Only where labels change: most pixels continue what is left of them.
            if label != last && label != 0 && met.insert(label) && columns.contains(&x) {
                owned.insert(label);
            }
            last = label;
        }
    }
    owned
}

/// The pixels of each object.
type Areas = HashMap<u32, u64>;

/// The overlap of each two objects that share at least half of their pixels, each object once, with the object of the
/// result.
fn partners(overlaps: &[Overlap], of_result: &Areas, of_reference: &Areas) -> Vec<(u32, ExactSum)> {
    let (mut taken, mut taken_reference) = (HashSet::new(), HashSet::new());
    let mut partners = Vec::new();
    for overlap in overlaps.iter().filter(|overlap| overlap.is_common()) {
        let either = of_result[&overlap.result] + of_reference[&overlap.reference] - overlap.pixels;
        let free = !taken.contains(&overlap.result) && !taken_reference.contains(&overlap.reference);
        if free && 2 * overlap.pixels >= either {
            taken.insert(overlap.result);
            taken_reference.insert(overlap.reference);
            partners.push((overlap.result, ExactSum::from_ratio(overlap.pixels, either)));
        }
    }
    partners
}

/// Each pair of labels once, in order; runs of equal pairs are collected first, so that few pairs are sorted.
fn overlaps<R: Iterator<Item = (u32, u32)>>(
    rows: impl Iterator<Item = R>,
    width: usize,
    core: Window,
) -> Vec<Overlap> {
    let mut runs: Vec<Overlap> = Vec::new();
    for (y, mut row) in rows.enumerate() {
        let inside = core.columns_of(y);
        let stretches =
            [(inside.start, false), (inside.len(), true), (width.saturating_sub(inside.end), false)];
        for (columns, within) in stretches {
            collect(&mut runs, row.by_ref().take(columns), within);
        }
    }
    runs.sort_unstable();
    runs.dedup_by(|run, kept| {
        let same = (run.result, run.reference) == (kept.result, kept.reference);
        if same {
            kept.pixels += run.pixels;
            kept.within += run.within;
        }
        same
    });
    runs
}

/// Adds the runs of some columns of a row, all of them in the core or all outside.
fn collect(runs: &mut Vec<Overlap>, columns: impl Iterator<Item = (u32, u32)>, within: bool) {
    let mut run: Option<Overlap> = None;
    let mut end = |run: Option<Overlap>| {
        runs.extend(run.map(|run| Overlap { within: if within { run.pixels } else { 0 }, ..run }));
    };
    for (result, reference) in columns {
        match &mut run {
            Some(run) if (run.result, run.reference) == (result, reference) => run.pixels += 1,
            _ => end(run.replace(Overlap { result, reference, pixels: 1, within: 0 })),
        }
    }
    end(run);
}

fn areas(overlaps: &[Overlap], label: impl Fn(&Overlap) -> u32) -> Areas {
    let mut areas = HashMap::new();
    for overlap in overlaps.iter().filter(|overlap| label(overlap) != 0) {
        *areas.entry(label(overlap)).or_default() += overlap.pixels;
    }
    areas
}
