//! Mean and deviation of an image's tissue colours, summed exactly.

use super::space::{is_tissue, to_lab};
use super::{TARGET_DEVIATION, TARGET_MEAN};
use crate::View;

/// Sums over tissue pixels. They are integers, so that they are the same whatever the order of the blocks, however the
/// image was cut, and whoever added them up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pixels: u64,
    sums: [i128; 3],
    squares: [i128; 3],
}

/// What an image's tissue looks like in lαβ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourStatistics {
    /// Mean of l, α and β.
    pub mean: [f64; 3],
    /// Their population standard deviation.
    pub deviation: [f64; 3],
    /// Number of tissue pixels.
    pub pixels: u64,
}

/// Parts of one that values are rounded to. A finite l, α or β lies within ±8, so a square has at most 78 bits, and the
/// sums of 2⁴⁵ pixels fit with room to spare.
const UNIT: f64 = (1u64 << 36) as f64;

impl Statistics {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the tissue pixels of one block.
    pub fn add(&mut self, block: View<'_, [u8; 3]>) {
        let tissue = block.rows().flatten().copied().filter(|pixel| is_tissue(*pixel));
        tissue.filter_map(to_lab).for_each(|lab| self.add_pixel(lab));
    }

    fn add_pixel(&mut self, lab: [f64; 3]) {
        self.pixels += 1;
        for (channel, value) in lab.iter().enumerate() {
            let rounded = i128::from(libm::rint(value * UNIT) as i64);
            self.sums[channel] += rounded;
            self.squares[channel] += rounded * rounded;
        }
    }

    /// Adds what somebody else gathered from other blocks.
    pub fn merge(&mut self, other: &Self) {
        self.pixels += other.pixels;
        for channel in 0..3 {
            self.sums[channel] += other.sums[channel];
            self.squares[channel] += other.squares[channel];
        }
    }

    /// Mean and deviation of all blocks. An image without tissue gets those of the target: nothing needs to change.
    pub fn finish(&self) -> ColourStatistics {
        if self.pixels == 0 {
            return ColourStatistics { mean: TARGET_MEAN, deviation: TARGET_DEVIATION, pixels: 0 };
        }
        let moments = [0, 1, 2].map(|channel| self.moments(channel));
        let (mean, deviation) = (moments.map(|of| of.0), moments.map(|of| of.1));
        ColourStatistics { mean, deviation, pixels: self.pixels }
    }

    /// Squares are taken about the whole number next to the mean, exactly, so that nothing cancels out.
    fn moments(&self, channel: usize) -> (f64, f64) {
        let (count, sum, squares) = (i128::from(self.pixels), self.sums[channel], self.squares[channel]);
        let middle = sum.div_euclid(count);
        let beside = sum.rem_euclid(count) as f64 / count as f64;
        let about_middle = squares - 2 * middle * sum + count * middle * middle;
        let variance = about_middle as f64 / count as f64 - beside * beside;
        ((middle as f64 + beside) / UNIT, libm::sqrt(variance.max(0.0)) / UNIT)
    }
}
