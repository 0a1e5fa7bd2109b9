//! Components that are hashed while they are found: each has a hash of its runs before its pixels are needed.
//!
//! The hash is a sum, so that the order of the runs does not matter and they need not be sorted. Each run goes through two
//! mixing functions of 64 bits (Stafford's variants 13 and 1 of the finalizer of MurmurHash3): if they are modelled as
//! random functions, two different objects have the same hash with a probability of 2⁻¹²⁸. No bound is proved; a linear
//! function, for which one could be, would give equal hashes to objects whose runs have the same number, sums and moments.
//! A mask constructed to collide spoils only its author's own run.

use std::ops::Range;

use super::ObjectGroups;
use super::groups::is_sparse;
use crate::components::runs::{MaskSide, RunMeasure, Runs};
use crate::{Bits, Connectivity, Cpu, Mask, ObjectHash, Window};

/// A component: its hash and bounding box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trace {
    digest: RunSum,
    area: u64,
    left: u32,
    right: u32,
    top: u32,
    bottom: u32,
}

impl RunMeasure for Trace {
    const EDGES: bool = true;

    #[inline(always)]
    fn new(y: usize, left: u32, right: u32) -> Self {
        let y = y as u32;
        let digest = mixed(y, left, right);
        Self { digest, area: u64::from(right - left), left, right, top: y, bottom: y + 1 }
    }

    #[inline(always)]
    fn extend(&mut self, y: usize, left: u32, right: u32) {
        self.merge(&Self::new(y, left, right));
    }

    #[inline(always)]
    fn merge(&mut self, other: &Self) {
        self.digest = plus(self.digest, other.digest);
        self.area += other.area;
        self.left = self.left.min(other.left);
        self.right = self.right.max(other.right);
        self.bottom = self.bottom.max(other.bottom);
    }

    fn of(measures: &mut crate::components::runs::RunMeasures) -> &mut Vec<Self> {
        &mut measures.traces
    }
}

impl Trace {
    pub(crate) fn rows(&self) -> Range<usize> {
        self.top as usize..self.bottom as usize
    }

    pub(crate) fn columns(&self) -> Range<u32> {
        self.left..self.right
    }

    /// With one pixel around it, as far as the image goes.
    fn window(&self, width: usize, height: usize) -> Window {
        let (left, top) = ((self.left as usize).saturating_sub(1), (self.top as usize).saturating_sub(1));
        let (right, bottom) = ((self.right as usize + 1).min(width), (self.bottom as usize + 1).min(height));
        Window { left, top, width: right - left, height: bottom - top }
    }
}

/// Two sums of 64 bits.
type RunSum = [u64; 2];

/// Rows and columns with fewer bits fit one word together.
const BITS: u32 = 21;

#[inline(always)]
fn mixed(y: u32, left: u32, right: u32) -> RunSum {
    let [y, left, right] = [y, left, right].map(u64::from);
    let word = if (y | left | right) >> BITS == 0 {
        y << (2 * BITS) | left << BITS | right
    } else {
        VARIANT_13.mix(y << 32 | left).wrapping_add(right)
    };
    [VARIANT_13.mix(word ^ 0x9e37_79b9_7f4a_7c15), VARIANT_1.mix(word ^ 0xd1b5_4a32_d192_ed03)]
}

/// A finalizer: shifts and factors in turn.
struct Mixing {
    shifts: [u32; 3],
    factors: [u64; 2],
}

const VARIANT_13: Mixing =
    Mixing { shifts: [30, 27, 31], factors: [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] };
const VARIANT_1: Mixing =
    Mixing { shifts: [31, 27, 33], factors: [0x7fb5_d329_728e_a185, 0x81da_def4_bc2d_d44d] };

impl Mixing {
    #[inline(always)]
    fn mix(self, word: u64) -> u64 {
        let Self { shifts, factors } = self;
        let word = (word ^ word >> shifts[0]).wrapping_mul(factors[0]);
        let word = (word ^ word >> shifts[1]).wrapping_mul(factors[1]);
        word ^ word >> shifts[2]
    }
}

#[inline(always)]
fn plus(one: RunSum, other: RunSum) -> RunSum {
    [one[0].wrapping_add(other[0]), one[1].wrapping_add(other[1])]
}

/// A mask's components with their hashes, in the groups of [`ObjectGroups`].
#[derive(Clone, Debug)]
pub struct Traces {
    width: usize,
    height: usize,
    runs: Runs,
    traces: Vec<Trace>,
    alone: Vec<usize>,
    together: Vec<usize>,
}

impl Traces {
    /// The components of the pixels that are not 0.
    pub fn of<'a>(mask: impl Into<Mask<'a>>, connectivity: Connectivity) -> Self {
        let mask = mask.into();
        let (width, height) = (mask.width(), mask.height());
        let (mut runs, mut traces) = (Runs::default(), Vec::new());
        runs.find(Cpu::default(), mask, connectivity, MaskSide::Foreground, &mut traces);
        let sparse = |trace: &Trace| is_sparse(trace.window(width, height), trace.area as usize);
        let (together, alone) = (0..traces.len()).partition(|component| sparse(&traces[*component]));
        Self { width, height, runs, traces, alone, together }
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.alone.len() + usize::from(!self.together.is_empty())
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many pixels a group has.
    pub fn area(&self, group: usize) -> usize {
        self.members(group).iter().map(|component| self.traces[*component].area as usize).sum()
    }

    /// For each group a hash of its runs and their positions, continued from `after`, the hash of the other inputs.
    pub fn shapes(&self, after: ObjectHash) -> Vec<ObjectHash> {
        let of = |sum: [u64; 2], component: &usize| plus(sum, self.traces[*component].digest);
        (0..self.len()).map(|group| ObjectHash(self.members(group).iter().fold(after.words(), of))).collect()
    }

    /// The mask as bits.
    pub fn mask(&self) -> Bits {
        let mut mask = Bits::with_capacity(self.width, self.height);
        for band in self.runs.bands() {
            band.rows().for_each(|y| mask.push(band.words(y)));
        }
        mask
    }

    /// Copies one group into reused memory.
    pub fn take(&self, group: usize, into: &mut ObjectGroups) {
        let is_alone = group < self.alone.len();
        into.start(self.width, self.height);
        for component in self.members(group) {
            let trace = &self.traces[*component];
            let runs =
                |y: usize| self.runs.of_component(y, *component, trace.columns()).map(move |run| (y, run));
            into.add(trace.rows().flat_map(runs), is_alone);
        }
    }

    fn members(&self, group: usize) -> &[usize] {
        self.alone.get(group).map_or(&self.together, std::slice::from_ref)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn sum(runs: &[[u32; 3]]) -> [u64; 2] {
        runs.iter().fold([0; 2], |sum, [y, left, right]| plus(sum, mixed(*y, *left, *right)))
    }

    #[test]
    fn the_order_of_runs_does_not_count_and_their_place_does() {
        let runs = [[3, 5, 9], [4, 5, 10], [4, 12, 13]];
        let mut turned = runs;
        turned.reverse();
        assert_eq!(sum(&runs), sum(&turned));
        assert_ne!(sum(&runs), sum(&[[3, 5, 9], [4, 5, 10], [4, 12, 14]]));
        assert_ne!(sum(&[[0, 1 << 22, 1 << 23]]), sum(&[[0, 1 << 22, (1 << 23) + 1]]));
        assert_ne!(sum(&[[1 << 22, 0, 1]]), sum(&[[0, 1 << 22, 1]]));
    }

    /// Each row may move its ends by one: sums and moments collide many times among so many shapes. 64-bit hashes collide
    /// as often as random numbers (never), and so do 32-bit ones.
    #[test]
    fn shapes_that_are_nearly_alike_have_different_digests() {
        const ROWS: u32 = 9;
        let shape = |mut choice: u32| {
            let mut row = |y| {
                let (left, right) = (20 + choice % 2, 30 + choice / 2 % 2);
                choice /= 4;
                [y, left, right]
            };
            (40..40 + ROWS).map(&mut row).collect::<Vec<_>>()
        };
        let shapes = 1u32 << (2 * ROWS);
        for half in [0, 1] {
            let (mut whole, mut cut) = (HashMap::new(), HashMap::new());
            for choice in 0..shapes {
                let digest = sum(&shape(choice))[half];
                assert_eq!(whole.insert(digest, choice), None);
                *cut.entry(digest as u32).or_insert(0u32) += 1;
            }
            let met = cut.values().map(|many| many - 1).sum::<u32>();
            // Expected: 2^36 / 2 / 2^32 = 8.
            assert!((1..=24).contains(&met), "{met}");
        }
    }
}
