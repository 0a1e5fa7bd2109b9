//! Lakes whose shore floods last.
//!
//! A lake's shore is what lies beside one label, the outer one, and waits from the start. If each step from the outer label
//! to the shore is larger than all steps within the rest and from other labels to it, the shore is settled after the rest:
//! the rest floods as if the shore were wall. Then a pixel of the shore has the outer label beside it. With another one it
//! becomes a line, else it takes the outer one, and what its neighbours in the shore become changes nothing: their order
//! does not matter. (A pixel with another label beside it from the start becomes a line in any case, so that steps to it do
//! not count.) Nor does the order of the rest matter where only one label is beside it and all of it can be reached from
//! there.
//!
//! Most nuclei are such lakes: everything around them is black.

use super::{LINE, QUEUED, is_label};
use crate::View;
use crate::bits::BitFlood;
use crate::cpu::isa::{Isa, versions};

/// Kinds of pixels: rest or shore of the lake, perhaps beside other labels than the outer one; or labelled, with the outer
/// label or another one, perhaps beside the lake; or neither.
const REST: u8 = 1;
const SHORE: u8 = 2;
const BESIDE: u8 = 4;
const OUTER: u8 = 8;
const OTHER: u8 = 16;
const NOTHING: u8 = 32;

/// Rest or shore, before these are distinguished.
const WET: u8 = 64;

/// Memory for the kinds of pixels.
#[derive(Clone, Debug, Default)]
pub(super) struct Shore {
    kinds: Vec<u8>,
    /// The kinds by the pixels alone, without their neighbours.
    alone: Vec<u8>,
    spread: BitFlood,
}

/// The labels around a lake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LakeSurvey {
    /// The outer label, or a value that no pixel has.
    pub(super) outer: u32,
    /// The smallest and the largest of the other labels beside the lake.
    pub(super) lowest: u32,
    pub(super) highest: u32,
}

/// Whether a pixel is of the shore.
#[inline(always)]
pub(super) fn is_shore(kind: u8) -> bool {
    kind & SHORE != 0
}

/// Whether a pixel is of a lake's rest.
#[inline(always)]
pub(super) fn is_rest(kind: u8) -> bool {
    kind & REST != 0
}

/// Whether a pixel of the rest is beside a label.
#[inline(always)]
pub(super) fn is_start(kind: u8) -> bool {
    kind == REST | BESIDE
}

impl Shore {
    /// Finds the kinds of framed labels; pixels that are 0 are the lake.
    pub(super) fn survey(&mut self, isa: Isa, labels: &[u32], stride: usize) -> LakeSurvey {
        let outer = outer_label(labels, stride);
        let (lowest, highest) = find_kinds(isa, labels, stride, outer, &mut self.alone, &mut self.kinds);
        LakeSurvey { outer, lowest, highest }
    }

    /// The kind of each pixel.
    pub(super) fn kinds(&self) -> &[u8] {
        &self.kinds
    }

    /// Whether all of the rest is settled before the shore, by the steps to the right and down.
    pub(super) fn floods_last(&self, isa: Isa, steps: [&[u8]; 2], stride: usize) -> bool {
        let [right, down] = steps;
        let (inside, outside) = extreme_steps(isa, &self.kinds, right, 1);
        let (inside_down, outside_down) = extreme_steps(isa, &self.kinds, down, stride);
        inside.max(inside_down) < outside.min(outside_down)
    }

    /// Whether the labels beside the rest reach all of it.
    pub(super) fn rest_is_reached(&mut self, stride: usize) -> bool {
        let kinds = View::new(&self.kinds, stride, self.kinds.len() / stride);
        kinds.is_some_and(|kinds| self.spread.covers(kinds, is_rest, is_start))
    }

    /// Gives the rest the only label beside it, and then settles the shore; returns whether there is a line.
    pub(super) fn settle(&self, isa: Isa, labels: &mut [u32], stride: usize, survey: &LakeSurvey) -> bool {
        settle_all(isa, &self.kinds, stride, *survey, labels)
    }

    /// Takes the labels of the flooded pixels, and then settles the shore; returns whether there is a line.
    pub(super) fn settle_waiting(
        &self,
        isa: Isa,
        cells: &[u64],
        stride: usize,
        outer: u32,
        labels: &mut [u32],
    ) -> bool {
        settle_queued(isa, cells, stride, outer, labels)
    }
}

/// The label above the first pixel that is 0, or before it; if neither has one, a label that no pixel has.
fn outer_label(labels: &[u32], stride: usize) -> u32 {
    let first = labels.iter().position(|label| *label == 0).unwrap_or(stride);
    let near = [labels[first - stride], labels[first - 1]];
    near.into_iter().find(|label| is_label(*label)).unwrap_or(QUEUED)
}

versions! {
    /// Finds the kind of each pixel; returns the extremes of the other labels beside the lake.
    fn find_kinds(labels: &[u32], stride: usize, outer: u32, alone: &mut Vec<u8>, kinds: &mut Vec<u8>) -> (u32, u32) {
        alone.resize(labels.len(), 0);
        for (kind, label) in alone.iter_mut().zip(labels) {
            let other = if is_label(*label) { OTHER } else { NOTHING };
            let dry = if *label == outer { OUTER } else { other };
            *kind = if *label == 0 { WET } else { dry };
        }
        kinds.clear();
        kinds.extend_from_slice(alone);
        let inner = labels.len() - 2 * stride;
        let here = kinds[stride..][..inner].iter_mut();
        let sides = alone[stride - 1..].iter().zip(&alone[stride + 1..]);
        let rows = alone.iter().zip(&alone[2 * stride..]);
        for ((kind, (left, right)), (above, below)) in here.zip(sides).zip(rows) {
            let near = left | right | above | below;
            let wet = if near & OUTER == 0 { REST } else { SHORE } | if near & OTHER == 0 { 0 } else { BESIDE };
            let dry = if (*kind == OTHER) & (near & WET != 0) { OTHER | BESIDE } else { *kind };
            *kind = if *kind == WET { wet } else { dry };
        }
        let (mut lowest, mut highest) = (u32::MAX, 0);
        for (label, kind) in labels.iter().zip(&*kinds) {
            let counts = *kind == OTHER | BESIDE;
            lowest = lowest.min(if counts { *label } else { u32::MAX });
            highest = highest.max(if counts { *label } else { 0 });
        }
        (lowest, highest)
    }
}

versions! {
    /// The largest step within the rest and from other labels to it, and the smallest from the outer label to the shore.
    fn extreme_steps(kinds: &[u8], steps: &[u8], distance: usize) -> (u8, u8) {
        let (mut inside, mut outside) = (0, u8::MAX);
        for ((one, other), step) in kinds.iter().zip(&kinds[distance..]).zip(steps) {
            let both = one | other;
            let within = both & !(BESIDE | OTHER) == REST;
            inside = inside.max(if within { *step } else { 0 });
            outside = outside.min(if both == SHORE | OUTER { *step } else { u8::MAX });
        }
        (inside, outside)
    }
}

versions! {
    fn settle_all(kinds: &[u8], stride: usize, survey: LakeSurvey, labels: &mut [u32]) -> bool {
        let inner = kinds.len() - 2 * stride;
        let here = labels[stride..][..inner].iter_mut().zip(&kinds[stride..]);
        let sides = kinds[stride - 1..].iter().zip(&kinds[stride + 1..]);
        let rows = kinds.iter().zip(&kinds[2 * stride..]);
        let mut met = false;
        for (((label, kind), (left, right)), (above, below)) in here.zip(sides).zip(rows) {
            let line = ((left | right | above | below) & REST) | (kind & BESIDE) != 0;
            let shore = if line { LINE } else { survey.outer };
            let wet = if is_shore(*kind) { shore } else { survey.lowest };
            *label = if kind & (REST | SHORE) == 0 { *label } else { wet };
            met |= line & is_shore(*kind);
        }
        met
    }
}

versions! {
    fn settle_queued(cells: &[u64], stride: usize, outer: u32, labels: &mut [u32]) -> bool {
        let inner = labels.len() - 2 * stride;
        let here = labels[stride..][..inner].iter_mut().zip(&cells[stride..]);
        let sides = cells[stride - 1..].iter().zip(&cells[stride + 1..]);
        let rows = cells.iter().zip(&cells[2 * stride..]);
        let mut met = false;
        for (((label, cell), (left, right)), (above, below)) in here.zip(sides).zip(rows) {
            let other = |cell: &u64| is_label(*cell as u32) & (*cell as u32 != outer);
            let line = other(left) | other(right) | other(above) | other(below);
            let waits = *cell as u32 == QUEUED;
            let shore = if line { LINE } else { outer };
            *label = if waits { shore } else { *cell as u32 };
            met |= line & waits;
        }
        met
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watershed::WALL;

    /// Framed labels of a picture: `#` is the outer label, `.` is to be flooded.
    fn framed(rows: &[&str]) -> (Vec<u32>, usize) {
        let stride = rows[0].len() + 2;
        let label = |sign: char| match sign {
            '#' => 1,
            '.' => 0,
            'L' => LINE,
            other => other.to_digit(10).unwrap(),
        };
        let row = |row: &&str| [WALL].into_iter().chain(row.chars().map(label)).chain([WALL]).collect();
        let inner: Vec<Vec<u32>> = rows.iter().map(row).collect();
        let wall = vec![WALL; stride];
        ([wall.clone(), inner.concat(), wall].concat(), stride)
    }

    /// Steps to a pixel so far away: some across the border of the outer label, others elsewhere.
    fn steps(labels: &[u32], distance: usize, border: u8, elsewhere: u8) -> Vec<u8> {
        let pairs = labels.iter().zip(&labels[distance..]);
        pairs.map(|(one, other)| if (*one == 1) != (*other == 1) { border } else { elsewhere }).collect()
    }

    #[test]
    fn a_lake_with_one_middle_needs_no_waiting() {
        let (mut labels, stride) =
            framed(&["#########", "#.......#", "#...3...#", "#.......#", "#.......#", "#########"]);
        let (expected, _) =
            framed(&["#########", "##LLLLL##", "#L33333L#", "#L33333L#", "##LLLLL##", "#########"]);
        for isa in Isa::available() {
            let mut shore = Shore::default();
            let survey = shore.survey(isa, &labels, stride);
            assert_eq!(survey, LakeSurvey { outer: 1, lowest: 3, highest: 3 });
            let last = |border, elsewhere| {
                let [right, down] = [1, stride].map(|distance| steps(&labels, distance, border, elsewhere));
                shore.floods_last(isa, [&right, &down], stride)
            };
            assert!(last(50, 49) && !last(50, 50));
            assert!(shore.rest_is_reached(stride));
            let mut settled = labels.clone();
            assert!(shore.settle(isa, &mut settled, stride, &survey));
            assert_eq!(settled, expected);
        }
        labels.iter_mut().for_each(|label| *label = if *label == 3 { 0 } else { *label });
        assert!(Shore::default().survey(Isa::best(), &labels, stride).lowest == u32::MAX);
    }

    #[test]
    fn what_no_label_reaches_is_noticed() {
        let (labels, stride) = framed(&["#########", "#...#...#", "#.2.#...#", "#...#...#", "#########"]);
        let mut shore = Shore::default();
        shore.survey(Isa::best(), &labels, stride);
        assert_eq!(shore.kinds().iter().filter(|kind| is_rest(**kind)).count(), 1);
        assert!(!shore.rest_is_reached(stride));
    }
}
