//! Tissue takes on the target's colours.

use std::f64::consts::LOG2_10;

use super::logarithm::{MANTISSA_BITS, exp2, level, log2_parts};
use super::run::{ColourRun, RUN};
use super::space::{HIGHEST, WHITE, cones, from_cones, from_lab, is_tissue, lab, logarithms, to_lab};
use super::{ColourStatistics, TARGET_DEVIATION, TARGET_MEAN};
use crate::cpu::isa::versions;
use crate::{Cpu, Plane, View, ViewMut};

/// Shifts and stretches tissue colours from the image's statistics to the target's; other pixels keep theirs. A channel
/// whose deviation is 0 has one value only, which becomes the target's mean.
pub fn transfer(image: View<'_, [u8; 3]>, statistics: &ColourStatistics) -> Plane<[u8; 3]> {
    let mut result = Plane::filled([0; 3], image.width(), image.height());
    transfer_into(Cpu::default(), image, statistics, result.view_mut());
    result
}

/// [`transfer`] into an image of the same size.
pub fn transfer_into(
    cpu: Cpu,
    image: View<'_, [u8; 3]>,
    statistics: &ColourStatistics,
    target: ViewMut<'_, [u8; 3]>,
) {
    let change = LinearTransfer::new(statistics);
    cpu.write(target, &mut Vec::new(), |rows, band, (): &mut ()| {
        change_rows(cpu.isa, image.band(rows), &change, band);
    });
}

/// The change of a tissue colour. Taking logarithms, going to lαβ, stretching and going back is one linear function of the
/// logarithms.
struct LinearTransfer {
    mean: [f64; 3],
    stretch: [f64; 3],
    /// For logarithms in units of [`UNIT`].
    matrix: [[f32; 3]; 3],
    shift: [f32; 3],
    /// Whether a colour may be beyond single precision.
    wide: bool,
}

/// The unit of logarithms: the whole part of one has the position of a float's exponent.
const UNIT: f32 = 1.0 / (1 << MANTISSA_BITS) as f32;

/// Powers of two beyond this are computed in double precision.
const WIDEST: f32 = 100.0;

impl LinearTransfer {
    fn new(statistics: &ColourStatistics) -> Self {
        let mean = statistics.mean;
        let stretch =
            [0, 1, 2].map(|channel| stretch(statistics.deviation[channel], TARGET_DEVIATION[channel]));
        let mut change = Self { mean, stretch, matrix: [[0.0; 3]; 3], shift: [0.0; 3], wide: true };
        let unit = f64::from(HIGHEST) / LOG2_10 - libm::log10(WHITE);
        let at_unit = change.of_logarithms([unit; 3]);
        for cone in 0..3 {
            let mut beside = [unit; 3];
            beside[cone] += 1.0;
            let moved = change.of_logarithms(beside);
            (0..3).for_each(|row| change.matrix[row][cone] = (moved[row] - at_unit[row]) as f32 * UNIT);
        }
        change.shift = at_unit.map(|x| (x * LOG2_10 + libm::log2(255.0)) as f32);
        change.wide = !(0..3).all(|row| change.farthest(row) < WIDEST);
        change
    }

    /// A bound of the resulting logarithms. Logarithms of tissue are at least −14.
    fn farthest(&self, row: usize) -> f32 {
        let longest: f32 = self.matrix[row].iter().map(|factor| factor.abs() * (14.0 / UNIT)).sum();
        longest + self.shift[row].abs() + 1.0
    }

    /// The new decimal logarithms of the cones' responses.
    fn of_logarithms(&self, seen: [f64; 3]) -> [f64; 3] {
        logarithms(self.of_lab(lab(seen)))
    }

    fn of_lab(&self, lab: [f64; 3]) -> [f64; 3] {
        [0, 1, 2]
            .map(|channel| (lab[channel] - self.mean[channel]) * self.stretch[channel] + TARGET_MEAN[channel])
    }

    /// One pixel in double precision. Black stays black.
    fn of_pixel(&self, pixel: [u8; 3]) -> [u8; 3] {
        match to_lab(pixel) {
            Some(lab) if is_tissue(pixel.map(f32::from)) => from_lab(self.of_lab(lab)),
            Some(lab) => from_lab(lab),
            None => pixel,
        }
    }
}

fn stretch(deviation: f64, target: f64) -> f64 {
    if deviation > 0.0 { target / deviation } else { 0.0 }
}

versions! {
    /// Changes rows; runs with a colour beyond single precision are done pixel by pixel in double. Glass keeps its colour.
    fn change_rows(image: View<'_, [u8; 3]>, change: &LinearTransfer, target: ViewMut<'_, [u8; 3]>) {
        let mut target = target;
        let mut run = ColourRun::new();
        for y in 0..image.height() {
            for (pixels, target) in image.row(y).chunks(RUN).zip(target.row_mut(y).chunks_mut(RUN)) {
                change_run(pixels, change, &mut run, target);
            }
        }
    }
}

#[inline(always)]
fn change_run(pixels: &[[u8; 3]], change: &LinearTransfer, run: &mut ColourRun<f32>, target: &mut [[u8; 3]]) {
    if run.look(pixels, base2) == 0 {
        target.copy_from_slice(pixels);
        return;
    }
    move_logarithms(run, change, pixels.len());
    let wide = change.wide && holds_wide(run, pixels.len());
    if change.wide {
        run.each(pixels.len(), |x| if x > -WIDEST { x } else { -WIDEST });
    }
    run.each(pixels.len(), exp2);
    write(run, pixels, target);
    if wide {
        change_wide(pixels, change, target);
    }
}

#[inline(always)]
fn move_logarithms(run: &mut ColourRun<f32>, change: &LinearTransfer, len: usize) {
    let (matrix, shift) = (change.matrix, change.shift);
    let [long, middle, short] = &mut run.cones;
    for ((long, middle), short) in long[..len].iter_mut().zip(middle).zip(short) {
        [*long, *middle, *short] = linear(&matrix, &shift, [*long, *middle, *short]);
    }
}

/// Whether tissue holds a logarithm that single precision cannot express.
#[inline(always)]
fn holds_wide(run: &ColourRun<f32>, len: usize) -> bool {
    let [long, middle, short] = &run.cones;
    let mut wide = 0;
    for (((tissue, long), middle), short) in run.tissue[..len].iter().zip(long).zip(middle).zip(short) {
        wide |= tissue & -i32::from(!is_narrow([*long, *middle, *short]));
    }
    wide != 0
}

/// Writes the colours of tissue from the cones' responses; glass keeps its colour.
#[inline(always)]
fn write(run: &ColourRun<f32>, pixels: &[[u8; 3]], target: &mut [[u8; 3]]) {
    let [long, middle, short] = &run.cones;
    let cones = run.tissue.iter().zip(long).zip(middle).zip(short);
    for ((pixel, target), (((tissue, long), middle), short)) in pixels.iter().zip(target).zip(cones) {
        let colour = from_cones([*long, *middle, *short]);
        let colour = [level(colour[0]), level(colour[1]), level(colour[2])];
        let (changed, kept) = (*tissue as u8, !*tissue as u8);
        *target = [
            (colour[0] & changed) | (pixel[0] & kept),
            (colour[1] & changed) | (pixel[1] & kept),
            (colour[2] & changed) | (pixel[2] & kept),
        ];
    }
}

#[inline(always)]
fn linear(matrix: &[[f32; 3]; 3], shift: &[f32; 3], [l, m, s]: [f32; 3]) -> [f32; 3] {
    let row = |row: usize| matrix[row][0] * l + matrix[row][1] * m + matrix[row][2] * s + shift[row];
    [row(0), row(1), row(2)]
}

/// Base-2 logarithms in units of [`UNIT`].
#[inline(always)]
fn base2(cones: [f32; 3]) -> [f32; 3] {
    let (whole, rest) = log2_parts::<MANTISSA_BITS>(cones);
    [whole[0] as f32 + rest[0], whole[1] as f32 + rest[1], whole[2] as f32 + rest[2]]
}

/// Whether single precision can express the powers; false for NaN.
#[inline(always)]
fn is_narrow([x, y, z]: [f32; 3]) -> bool {
    (x < WIDEST) & (y < WIDEST) & (z < WIDEST)
}

/// Replaces the tissue colours of a row that single precision cannot express.
#[cold]
fn change_wide(row: &[[u8; 3]], change: &LinearTransfer, target: &mut [[u8; 3]]) {
    for (pixel, target) in row.iter().zip(target) {
        let colour = pixel.map(f32::from);
        if is_tissue(colour) && !is_narrow(linear(&change.matrix, &change.shift, base2(cones(colour)))) {
            *target = change.of_pixel(*pixel);
        }
    }
}
