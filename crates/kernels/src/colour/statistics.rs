//! Mean and deviation of an image's tissue colours, summed exactly.

use std::f64::consts::{LOG10_2, SQRT_2};

use super::logarithm::{MANTISSA_BITS, log2_parts, nearest};
use super::run::{ColourRun, RUN};
use super::space::{HIGHEST, SQRT_3, SQRT_6, WHITE};
use super::{TARGET_DEVIATION, TARGET_MEAN};
use crate::cpu::isa::versions;
use crate::{Cpu, View};

/// Sums over tissue pixels. They are integers, so that the result depends neither on the order of the blocks, nor on how
/// the image was cut, nor on the thread that adds them.
///
/// They are taken over the sums and differences of logarithms that make l, α and β, but for their factors. A logarithm
/// is off by at most 10⁻⁶.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColourSums {
    pixels: u64,
    sums: [i128; 3],
    squares: [i128; 3],
}

/// Mean and deviation of an image's tissue in lαβ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourStatistics {
    /// Mean of l, α and β.
    pub mean: [f64; 3],
    /// Their population standard deviation.
    pub deviation: [f64; 3],
    /// Number of tissue pixels.
    pub pixels: u64,
}

/// Bits after the binary point of a base-2 logarithm.
const FRACTION: u32 = 20;

/// Pixels of a run are summed in 64 bits: l lies within ±2²⁷, so that 2⁹ squares fit.
const _: () = assert!(RUN <= 1 << 9);

impl ColourSums {
    /// Sums over no pixels.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the tissue pixels of one block.
    pub fn add(&mut self, block: View<'_, [u8; 3]>) {
        self.add_with(Cpu::default(), block);
    }

    /// [`ColourSums::add`] with the given instruction set and threads.
    pub fn add_with(&mut self, cpu: Cpu, block: View<'_, [u8; 3]>) {
        let bands = cpu.over_rows(block.height(), |rows| gather(cpu.isa, block.band(rows)));
        bands.iter().for_each(|band| self.merge(band));
    }

    /// Adds the sums of other blocks.
    pub fn merge(&mut self, other: &Self) {
        self.pixels += other.pixels;
        for channel in 0..3 {
            self.sums[channel] += other.sums[channel];
            self.squares[channel] += other.squares[channel];
        }
    }

    /// Mean and deviation of all blocks. An image without tissue gets those of the target, so that nothing changes.
    pub fn finish(&self) -> ColourStatistics {
        if self.pixels == 0 {
            return ColourStatistics { mean: TARGET_MEAN, deviation: TARGET_DEVIATION, pixels: 0 };
        }
        let factors = [SQRT_3, SQRT_6, SQRT_2].map(|root| LOG10_2 / (f64::from(1u32 << FRACTION) * root));
        let moments = [0, 1, 2].map(|channel| self.moments(channel));
        let mut mean = [0, 1, 2].map(|channel| moments[channel].0 * factors[channel]);
        let deviation = [0, 1, 2].map(|channel| moments[channel].1 * factors[channel]);
        // The sum of three logarithms contains that of white three times; in the differences it cancels.
        mean[0] -= SQRT_3 * libm::log10(WHITE);
        ColourStatistics { mean, deviation, pixels: self.pixels }
    }

    /// Squares are taken about the whole number next to the mean, exactly, so that nothing cancels out.
    fn moments(&self, channel: usize) -> (f64, f64) {
        let (count, sum, squares) = (i128::from(self.pixels), self.sums[channel], self.squares[channel]);
        let middle = sum.div_euclid(count);
        let beside = sum.rem_euclid(count) as f64 / count as f64;
        let about_middle = squares - 2 * middle * sum + count * middle * middle;
        let variance = about_middle as f64 / count as f64 - beside * beside;
        (middle as f64 + beside, libm::sqrt(variance.max(0.0)))
    }
}

versions! {
    /// The sums of one block.
    fn gather(block: View<'_, [u8; 3]>) -> ColourSums {
        let mut sums = ColourSums::new();
        let mut run = ColourRun::new();
        for y in 0..block.height() {
            for pixels in block.row(y).chunks(RUN) {
                let tissue = run.look(pixels, logarithms);
                if tissue > 0 {
                    sums.pixels += u64::from(tissue);
                    add_run(&mut sums, &run, pixels.len());
                }
            }
        }
        sums
    }
}

/// Adds the tissue of a run.
#[inline(always)]
fn add_run(to: &mut ColourSums, run: &ColourRun<i32>, len: usize) {
    let (mut sums, mut squares) = ([0i64; 3], [0i64; 3]);
    let [long, middle, short] = &run.cones;
    for (((tissue, long), middle), short) in run.tissue[..len].iter().zip(long).zip(middle).zip(short) {
        let terms = [long + middle + short, long + middle - 2 * short, long - middle];
        for channel in 0..3 {
            let term = i64::from(terms[channel] & tissue);
            sums[channel] += term;
            squares[channel] += term * term;
        }
    }
    for channel in 0..3 {
        to.sums[channel] += i128::from(sums[channel]);
        to.squares[channel] += i128::from(squares[channel]);
    }
}

/// Base-2 logarithms in fixed point; undefined for black, which is not tissue.
#[inline(always)]
fn logarithms(cones: [f32; 3]) -> [i32; 3] {
    let (whole, rest) = log2_parts::<FRACTION>(cones);
    [fixed(whole[0], rest[0]), fixed(whole[1], rest[1]), fixed(whole[2], rest[2])]
}

#[inline(always)]
fn fixed(whole: i32, rest: f32) -> i32 {
    let unit = (HIGHEST << FRACTION) as i32;
    (whole >> (MANTISSA_BITS - FRACTION)).wrapping_add(nearest(rest)).wrapping_add(unit)
}
