//! Which objects of two results lie on each other, and which of them are partners.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

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
    compare(result, result, core).alone()
}

pub(super) fn compare(result: View<'_, u32>, reference: View<'_, u32>, core: Window) -> Counts {
    let overlaps = overlaps(result, reference, core);
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

/// Each pair of labels of which one at least is that of an object, once, in order.
fn overlaps(result: View<'_, u32>, reference: View<'_, u32>, core: Window) -> Vec<Overlap> {
    let mut pairs = Pairs::default();
    for (y, (result, reference)) in result.rows().zip(reference.rows()).enumerate() {
        let inside = core.columns_of(y);
        let (start, end) = (inside.start.min(result.len()), inside.end.min(result.len()));
        for (columns, within) in [(0..start, false), (start..end, true), (end..result.len(), false)] {
            pairs.collect(&result[columns.clone()], &reference[columns], within);
        }
    }
    pairs.sorted()
}

/// How often pairs of labels were met.
#[derive(Default)]
struct Pairs {
    /// Where each pair stands in the list.
    places: HashMap<u64, usize, BuildHasherDefault<Spread>>,
    met: Vec<Overlap>,
}

impl Pairs {
    /// Adds the runs of equal pairs in some columns of a row, all of them in the core or all outside.
    fn collect(&mut self, result: &[u32], reference: &[u32], within: bool) {
        // Where the run of each goes to: a long one is looked at once, however often the other changes meanwhile.
        let (mut start, mut ends) = (0, (0, 0));
        while start < result.len() {
            let (a, b) = (result[start], reference[start]);
            ends.0 = if ends.0 == start { start + same(&result[start..], a) } else { ends.0 };
            ends.1 = if ends.1 == start { start + same(&reference[start..], b) } else { ends.1 };
            let end = ends.0.min(ends.1);
            if a | b != 0 {
                self.add(a, b, (end - start) as u64, within);
            }
            start = end;
        }
    }

    fn add(&mut self, result: u32, reference: u32, pixels: u64, within: bool) {
        let met = self.met.len();
        let place = *self.places.entry(u64::from(result) << 32 | u64::from(reference)).or_insert(met);
        if place == met {
            self.met.push(Overlap { result, reference, pixels: 0, within: 0 });
        }
        self.met[place].pixels += pixels;
        self.met[place].within += if within { pixels } else { 0 };
    }

    fn sorted(mut self) -> Vec<Overlap> {
        self.met.sort_unstable();
        self.met
    }
}

/// How many of the first labels are this one, at least one. Sixteen are looked at in one step.
fn same(labels: &[u32], label: u32) -> usize {
    const STEP: usize = 16;
    let all_same =
        |chunk: &[u32]| chunk.iter().fold(0, |differences, other| differences | (other ^ label)) == 0;
    let whole = labels.chunks_exact(STEP).take_while(|chunk| all_same(chunk)).count() * STEP;
    whole + labels[whole..].iter().take_while(|other| **other == label).count()
}

/// Spreads pairs of labels over a table; labels are small numbers, and whoever makes them up only slows himself down.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, pair: u64) {
        let mixed = (self.0 ^ pair).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = (mixed ^ mixed >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

fn areas(overlaps: &[Overlap], label: impl Fn(&Overlap) -> u32) -> Areas {
    let mut areas = HashMap::new();
    for overlap in overlaps.iter().filter(|overlap| label(overlap) != 0) {
        *areas.entry(label(overlap)).or_default() += overlap.pixels;
    }
    areas
}
