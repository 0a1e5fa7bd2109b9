//! Classes of sizes, and what tasks of one class cost.

use crate::Record;
use crate::curve::Knot;
use crate::histogram::CostHistogram;
use crate::line::CostPoint;

/// What tasks of about one size cost, each figure per pixel.
#[derive(Clone, Debug)]
pub(crate) struct SizeClass {
    pixels: (u64, u64),
    seconds: CostHistogram,
    output: CostHistogram,
    scratch: CostHistogram,
}

/// With fewer records of a size their spread says nothing.
pub(crate) const FEW: u64 = 4;
/// Tasks that are so many times dearer than three quarters of all, or cheaper, had something else happen to them.
const FAR: f64 = 8.0;
/// The share of tasks that a bound of memory must suffice for.
const BOUND: f64 = 0.95;

/// The class of a size: eight classes for each doubling, so that a class is at most an eighth wide.
pub(crate) fn size_class(pixels: u64) -> u32 {
    const PARTS: u32 = 3;
    match pixels.checked_ilog2() {
        Some(power) if power > PARTS => (power << PARTS) | ((pixels >> (power - PARTS)) as u32 & 7),
        _ => pixels as u32,
    }
}

impl SizeClass {
    pub(crate) fn new(pixels: u64) -> Self {
        let empty = CostHistogram::default;
        Self { pixels: (pixels, pixels), seconds: empty(), output: empty(), scratch: empty() }
    }

    pub(crate) fn add(&mut self, record: &Record) {
        let pixels = record.pixels as f64;
        self.pixels = (self.pixels.0.min(record.pixels), self.pixels.1.max(record.pixels));
        self.seconds.add(record.seconds / pixels);
        self.output.add(record.output_bytes as f64 / pixels);
        if record.scratch_bytes > 0 {
            self.scratch.add(record.scratch_bytes as f64 / pixels);
        }
    }

    /// Takes over what is known of other tasks of the class.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.pixels = (self.pixels.0.min(other.pixels.0), self.pixels.1.max(other.pixels.1));
        self.seconds.merge(&other.seconds);
        self.output.merge(&other.output);
        self.scratch.merge(&other.scratch);
    }

    pub(crate) fn count(&self) -> u64 {
        self.seconds.count()
    }

    /// Mean and quartiles of the seconds. What many tasks take is a sum, which medians foresee badly: where some
    /// parameters make a task dearer, they say too little. One task that waited for a disk counts for nothing.
    pub(crate) fn seconds(&self) -> Knot {
        let (low, high) = (self.seconds.quantile(0.25), self.seconds.quantile(0.75));
        let mean = self.seconds.mean_between(low / FAR, high * FAR);
        let point = self.point(&self.seconds, mean);
        Knot { point, low: (low / mean).min(1.0), high: (high / mean).max(1.0) }
    }

    /// Bytes of outputs that suffice for nearly all tasks.
    pub(crate) fn output(&self) -> Option<Knot> {
        self.bound(&self.output)
    }

    /// Bytes of scratch that suffice for nearly all tasks whose scratch was measured.
    pub(crate) fn scratch(&self) -> Option<Knot> {
        self.bound(&self.scratch)
    }

    fn bound(&self, bytes: &CostHistogram) -> Option<Knot> {
        let point = self.point(bytes, bytes.bound(BOUND));
        (bytes.count() > 0).then_some(Knot { point, low: 1.0, high: 1.0 })
    }

    fn point(&self, of: &CostHistogram, per_pixel: f64) -> CostPoint {
        let (least, most) = self.pixels;
        let pixels = least as f64 + (most - least) as f64 / 2.0;
        CostPoint { pixels, cost: per_pixel * pixels, weight: of.count() as f64 }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn classes_rise_with_size_and_are_narrow(pixels in 1u64.., share in 0.0f64..1.0) {
            let smaller = ((pixels as f64 * share) as u64).clamp(1, pixels);
            prop_assert!(size_class(smaller) <= size_class(pixels));
            if size_class(smaller) == size_class(pixels) {
                prop_assert!(pixels - smaller <= smaller / 8);
            }
        }
    }

    #[test]
    fn small_sizes_have_classes_of_their_own() {
        let classes: Vec<u32> = (1..200).map(size_class).collect();
        assert!(classes.is_sorted() && classes[..15].windows(2).all(|pair| pair[0] < pair[1]), "{classes:?}");
    }
}
