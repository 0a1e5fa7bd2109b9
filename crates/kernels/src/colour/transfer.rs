//! Tissue takes on the target's colours.

use std::f64::consts::LOG2_10;

use super::logarithm::{exp2, log2_parts, nearest};
use super::space::{CONE_UNIT, cones, from_cones, from_lab, is_tissue, lab, logarithms, to_lab};
use super::{ColourStatistics, TARGET_DEVIATION, TARGET_MEAN};
use crate::isa::versions;
use crate::{Machine, Plane, View, ViewMut};

/// Shifts and stretches tissue colours from the image's statistics to the target's; other pixels keep theirs. A channel
/// whose deviation is 0 has one value only, which becomes the target's mean.
pub fn transfer(image: View<'_, [u8; 3]>, statistics: &ColourStatistics) -> Plane<[u8; 3]> {
    let mut result = Plane::filled([0; 3], image.width(), image.height());
    transfer_into(Machine::default(), image, statistics, result.view_mut());
    result
}

/// The same into an image of the same size.
pub fn transfer_into(
    machine: Machine,
    image: View<'_, [u8; 3]>,
    statistics: &ColourStatistics,
    target: ViewMut<'_, [u8; 3]>,
) {
    let change = Change::new(statistics);
    machine.write(target, &mut Vec::new(), |rows, band, (): &mut ()| {
        change_rows(machine.isa, image.band(rows), &change, band);
    });
}

/// What happens to a tissue colour. Taking logarithms, going to lαβ, stretching and going back is one linear function of
/// the logarithms.
struct Change {
    mean: [f64; 3],
    stretch: [f64; 3],
    matrix: [[f32; 3]; 3],
    shift: [f32; 3],
}

/// Logarithms are taken of cones in units of two to this power, which keeps those of bright colours small and exact.
const HIGHEST: i32 = 21;

/// Powers of two beyond this are left to wider numbers.
const WIDEST: f32 = 100.0;

impl Change {
    fn new(statistics: &ColourStatistics) -> Self {
        let mean = statistics.mean;
        let stretch =
            [0, 1, 2].map(|channel| stretch(statistics.deviation[channel], TARGET_DEVIATION[channel]));
        let mut change = Self { mean, stretch, matrix: [[0.0; 3]; 3], shift: [0.0; 3] };
        let unit = f64::from(HIGHEST) / LOG2_10 - libm::log10(CONE_UNIT);
        let at_unit = change.of_logarithms([unit; 3]);
        for cone in 0..3 {
            let mut beside = [unit; 3];
            beside[cone] += 1.0;
            let moved = change.of_logarithms(beside);
            (0..3).for_each(|row| change.matrix[row][cone] = (moved[row] - at_unit[row]) as f32);
        }
        change.shift = at_unit.map(|x| (x * LOG2_10 + libm::log2(255.0)) as f32);
        change
    }

    /// What becomes of the decimal logarithms of what the cones see.
    fn of_logarithms(&self, seen: [f64; 3]) -> [f64; 3] {
        logarithms(self.of_lab(lab(seen)))
    }

    fn of_lab(&self, lab: [f64; 3]) -> [f64; 3] {
        [0, 1, 2]
            .map(|channel| (lab[channel] - self.mean[channel]) * self.stretch[channel] + TARGET_MEAN[channel])
    }

    /// One pixel, with the best logarithms and powers there are. Black stays black.
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
    /// Changes rows; where a row holds a colour beyond single precision, pixel by pixel in double.
    fn change_rows(image: View<'_, [u8; 3]>, change: &Change, target: ViewMut<'_, [u8; 3]>) {
        let mut target = target;
        for y in 0..image.height() {
            if change_row(image.row(y), change, target.row_mut(y)) {
                change_wide(image.row(y), change, target.row_mut(y));
            }
        }
    }
}

/// Changes a row, and says whether it holds a colour that single precision cannot express.
#[inline(always)]
fn change_row(row: &[[u8; 3]], change: &Change, target: &mut [[u8; 3]]) -> bool {
    let (matrix, shift) = (change.matrix, change.shift);
    let mut wide = 0;
    for (pixel, target) in row.iter().zip(target) {
        let colour = [f32::from(pixel[0]), f32::from(pixel[1]), f32::from(pixel[2])];
        let seen = cones(colour);
        let moved = linear(&matrix, &shift, seen);
        let tissue = is_tissue(colour);
        wide |= u32::from(tissue) & u32::from(!is_narrow(moved));
        let changed = [
            if tissue { power(moved[0]) } else { seen[0] / 10_000.0 },
            if tissue { power(moved[1]) } else { seen[1] / 10_000.0 },
            if tissue { power(moved[2]) } else { seen[2] / 10_000.0 },
        ];
        let [red, green, blue] = from_cones(changed);
        *target = [to_level(red), to_level(green), to_level(blue)];
    }
    wide != 0
}

#[inline(always)]
fn linear(matrix: &[[f32; 3]; 3], shift: &[f32; 3], seen: [f32; 3]) -> [f32; 3] {
    let [l, m, s] = [logarithm(seen[0]), logarithm(seen[1]), logarithm(seen[2])];
    let row = |row: usize| matrix[row][0] * l + matrix[row][1] * m + matrix[row][2] * s + shift[row];
    [row(0), row(1), row(2)]
}

#[inline(always)]
fn logarithm(cone: f32) -> f32 {
    let (whole, rest) = log2_parts(cone);
    (whole - HIGHEST) as f32 + rest
}

/// Whether single precision can express the powers; not when one is no number.
#[inline(always)]
fn is_narrow([x, y, z]: [f32; 3]) -> bool {
    (x < WIDEST) & (y < WIDEST) & (z < WIDEST)
}

#[inline(always)]
fn power(x: f32) -> f32 {
    exp2(if x > -WIDEST { x } else { -WIDEST })
}

#[inline(always)]
fn to_level(value: f32) -> u8 {
    let positive = if value > 0.0 { value } else { 0.0 };
    nearest(if positive < 255.0 { positive } else { 255.0 }) as u8
}

/// Replaces the tissue colours of a row that single precision cannot express.
#[cold]
fn change_wide(row: &[[u8; 3]], change: &Change, target: &mut [[u8; 3]]) {
    for (pixel, target) in row.iter().zip(target) {
        let colour = pixel.map(f32::from);
        if is_tissue(colour) && !is_narrow(linear(&change.matrix, &change.shift, cones(colour))) {
            *target = change.of_pixel(*pixel);
        }
    }
}
