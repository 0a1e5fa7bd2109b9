//! What is counted, and how parts add up.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use super::{Boundary, ExactSum};

/// Pixels and objects of a result, and of the reference it was compared with; over several parts the sums of theirs.
///
/// Adding is exact: neither order nor grouping of the parts changes a sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComparisonCounts {
    /// Parts that were counted.
    pub parts: u64,
    /// Parts that were compared with a reference.
    pub compared: u64,
    /// Pixels, foreground and background.
    pub pixels: u64,
    /// Pixels in objects of the result.
    pub foreground: u64,
    /// Pixels in objects of the reference.
    pub reference_foreground: u64,
    /// Pixels in objects of both.
    pub common: u64,
    /// Objects of the result.
    pub objects: u64,
    /// Objects of the reference.
    pub reference_objects: u64,
    /// Objects of the result with a partner in the reference: the two share at least half of the pixels that either has.
    ///
    /// Partners are one to one. Where more than half is shared nothing else could be a partner; where it is exactly half,
    /// an object may consist of two equal halves that both could, and then one of them is (which one changes no count).
    pub matched: u64,
    /// Shared pixels over pixels of either, summed over partners.
    pub matched_overlap: ExactSum,
    /// Distances between boundaries, where they were asked for.
    pub boundary: Boundary,
}

impl ComparisonCounts {
    /// What is counted of the result alone.
    #[must_use]
    pub fn alone(&self) -> Self {
        let Self { parts, pixels, foreground, objects, .. } = *self;
        Self { parts, pixels, foreground, objects, ..Self::default() }
    }

    /// Pixels where one has an object and the other has none.
    pub fn different(&self) -> u64 {
        self.either().saturating_sub(self.common)
    }

    /// Pixels in objects of the result or of the reference.
    pub fn either(&self) -> u64 {
        self.both_foregrounds().saturating_sub(self.common)
    }

    /// Pixels of the result and pixels of the reference, those of both twice.
    pub(super) fn both_foregrounds(&self) -> u64 {
        self.foreground.saturating_add(self.reference_foreground)
    }

    /// Objects of the result and objects of the reference.
    pub(super) fn all_objects(&self) -> u64 {
        self.objects.saturating_add(self.reference_objects)
    }
}

impl AddAssign for ComparisonCounts {
    fn add_assign(&mut self, other: Self) {
        let sums = [
            (&mut self.parts, other.parts),
            (&mut self.compared, other.compared),
            (&mut self.pixels, other.pixels),
            (&mut self.foreground, other.foreground),
            (&mut self.reference_foreground, other.reference_foreground),
            (&mut self.common, other.common),
            (&mut self.objects, other.objects),
            (&mut self.reference_objects, other.reference_objects),
            (&mut self.matched, other.matched),
        ];
        sums.into_iter().for_each(|(sum, more)| *sum = sum.saturating_add(more));
        self.matched_overlap += other.matched_overlap;
        self.boundary += other.boundary;
    }
}

impl Add for ComparisonCounts {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for ComparisonCounts {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}
