//! Operations on single pixels: thresholds, differences, masks, counts.

use crate::cpu::isa::versions;
use crate::{Cpu, ON, Plane, View, ViewMut};

/// [`crate::ON`] where a pixel is above the threshold, which may lie outside 0 to 255.
pub fn above(image: View<'_, u8>, threshold: i64) -> Plane<u8> {
    let mut result = Plane::filled(0, image.width(), image.height());
    above_into(Cpu::default(), image, threshold, result.view_mut());
    result
}

/// [`above`] into an image of the same size.
pub fn above_into(cpu: Cpu, image: View<'_, u8>, threshold: i64, target: ViewMut<'_, u8>) {
    let least = least_above(threshold);
    cpu.fine().write(target, &mut Vec::new(), |rows, band, (): &mut ()| {
        above_rows(cpu.isa, image.band(rows), least, band);
    });
}

/// How far `one` is above `other` (0 where it is not), and on where that is above the threshold; all are of one size.
pub fn difference_into(
    cpu: Cpu,
    one: View<'_, u8>,
    other: View<'_, u8>,
    threshold: i64,
    difference: ViewMut<'_, u8>,
    mask: ViewMut<'_, u8>,
) {
    let least = least_above(threshold);
    cpu.fine().write((difference, mask), &mut Vec::new(), |rows, band, (): &mut ()| {
        difference_rows(cpu.isa, one.band(rows.clone()), other.band(rows), least, band);
    });
}

/// Clears the pixels of `mask` that are set in `other`, which has the same size.
pub fn remove(cpu: Cpu, mask: ViewMut<'_, u8>, other: View<'_, u8>) {
    cpu.fine().write(mask, &mut Vec::new(), |rows, band, (): &mut ()| {
        remove_rows(cpu.isa, band, other.band(rows));
    });
}

/// 255 less the red of each pixel, into an image of the same size.
pub fn darkness_into(cpu: Cpu, image: View<'_, [u8; 3]>, target: ViewMut<'_, u8>) {
    cpu.fine().write(target, &mut Vec::new(), |rows, band, (): &mut ()| {
        darkness_rows(cpu.isa, image.band(rows), band);
    });
}

/// How many pixels are above the thresholds for red, green and blue.
pub fn count_above(cpu: Cpu, image: View<'_, [u8; 3]>, thresholds: [i64; 3]) -> u64 {
    let least = thresholds.map(least_above);
    cpu.over_rows(image.height(), |rows| count_rows(cpu.isa, image.band(rows), least)).iter().sum()
}

/// How often each value occurs.
pub fn histogram(cpu: Cpu, image: View<'_, u8>) -> [u64; 256] {
    let bands = cpu.over_rows(image.height(), |rows| histogram_rows(image.band(rows)));
    let mut sum = [0; 256];
    bands.iter().for_each(|band| sum.iter_mut().zip(band).for_each(|(sum, count)| *sum += count));
    sum
}

/// The least value above a threshold; 256 when there is none in 8 bits.
pub(crate) fn least_above(threshold: i64) -> u16 {
    threshold.saturating_add(1).clamp(0, 256) as u16
}

versions! {
    /// [`crate::ON`] where a pixel is at least `least`.
    fn above_rows(image: View<'_, u8>, least: u16, target: ViewMut<'_, u8>) {
        let mut target = target;
        for y in 0..image.height() {
            mark_row(image.row(y), least, target.row_mut(y));
        }
    }
}

#[inline(always)]
fn mark_row(row: &[u8], least: u16, target: &mut [u8]) {
    match u8::try_from(least) {
        Ok(least) => {
            for (pixel, target) in row.iter().zip(target) {
                *target = on(*pixel >= least);
            }
        }
        Err(_) => target.fill(0),
    }
}

#[inline(always)]
fn on(member: bool) -> u8 {
    if member { ON } else { 0 }
}

versions! {
    /// Differences, and where they are at least `least`.
    fn difference_rows(
        one: View<'_, u8>,
        other: View<'_, u8>,
        least: u16,
        targets: (ViewMut<'_, u8>, ViewMut<'_, u8>),
    ) {
        let (mut difference, mut mask) = targets;
        for y in 0..one.height() {
            let row = difference.row_mut(y);
            for ((one, other), target) in one.row(y).iter().zip(other.row(y)).zip(&mut *row) {
                *target = one.saturating_sub(*other);
            }
            mark_row(row, least, mask.row_mut(y));
        }
    }
}

versions! {
    /// Rows of a mask without those of another.
    fn remove_rows(mask: ViewMut<'_, u8>, other: View<'_, u8>) {
        let mut mask = mask;
        for y in 0..other.height() {
            for (pixel, other) in mask.row_mut(y).iter_mut().zip(other.row(y)) {
                *pixel &= !other;
            }
        }
    }
}

versions! {
    /// Inverted red.
    fn darkness_rows(image: View<'_, [u8; 3]>, target: ViewMut<'_, u8>) {
        let mut target = target;
        for y in 0..image.height() {
            for (pixel, target) in image.row(y).iter().zip(target.row_mut(y)) {
                *target = u8::MAX - pixel[0];
            }
        }
    }
}

/// Pixels whose count fits a byte.
const RUN: usize = 255;

versions! {
    /// Number of pixels that are at least `least` in each channel.
    fn count_rows(image: View<'_, [u8; 3]>, least: [u16; 3]) -> u64 {
        let [Ok(red), Ok(green), Ok(blue)] = least.map(u8::try_from) else {
            return 0;
        };
        let mut count = 0;
        for y in 0..image.height() {
            for run in image.row(y).chunks(RUN * LANES) {
                count += count_run(run, red, green, blue);
            }
        }
        count
    }
}

/// Counters side by side, so that a byte of each is enough.
const LANES: usize = 64;

#[inline(always)]
fn count_run(run: &[[u8; 3]], red: u8, green: u8, blue: u8) -> u64 {
    let mut counts = [0u8; LANES];
    let (whole, rest) = run.as_chunks::<LANES>();
    for pixels in whole {
        for (pixel, count) in pixels.iter().zip(&mut counts) {
            *count += is_above(pixel, red, green, blue);
        }
    }
    let rest: u64 = rest.iter().map(|pixel| u64::from(is_above(pixel, red, green, blue))).sum();
    counts.iter().map(|count| u64::from(*count)).sum::<u64>() + rest
}

#[inline(always)]
fn is_above(pixel: &[u8; 3], red: u8, green: u8, blue: u8) -> u8 {
    u8::from(pixel[0] >= red) & u8::from(pixel[1] >= green) & u8::from(pixel[2] >= blue)
}

/// Four tables, because counting the same value twice in a row would wait for the first store.
fn histogram_rows(image: View<'_, u8>) -> [u64; 256] {
    let mut tables = [[0u64; 256]; 4];
    for row in image.rows() {
        let (quads, rest) = row.as_chunks::<4>();
        for quad in quads {
            for lane in 0..4 {
                tables[lane][usize::from(quad[lane])] += 1;
            }
        }
        rest.iter().for_each(|pixel| tables[0][usize::from(*pixel)] += 1);
    }
    std::array::from_fn(|value| tables.iter().map(|table| table[value]).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_may_lie_outside_what_a_pixel_holds() {
        let image = Plane::from_vec(vec![0, 7, 255], 3, 1).unwrap();
        let count = |threshold| above(image.view(), threshold).pixels().iter().filter(|p| **p == ON).count();
        assert_eq!([i64::MIN, -1, 0, 6, 7, 254, 255, 256, i64::MAX].map(count), [3, 3, 2, 2, 1, 1, 0, 0, 0]);
    }
}
