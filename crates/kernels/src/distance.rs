//! The exact Euclidean distance to the nearest pixel outside a mask, on integers (Meijster, Roerdink and Hesselink, 2000):
//! first along columns, many at a time, then along rows.
//!
//! Along a row the nearest column is looked for step by step to both sides, a strip of pixels at a time, as long as a
//! step can still help: near the outside, where the pixels of small objects are, that takes a few steps. A row with
//! pixels farther away than [`REACH`] is done by the lower envelope of parabolas, in linear time whatever its distances.

mod envelope;
mod strips;

use std::num::NonZeroUsize;
use std::ops::Range;

use crate::cpu::isa::{Isa, versions};
use crate::{Cpu, Plane, View, ViewMut};
use envelope::{Envelope, Height};
use strips::{PaddedRow, REACH};

/// Reusable memory for [`distance_into`].
#[derive(Clone, Debug, Default)]
pub struct DistanceScratch {
    heights: Vec<u16>,
    bands: Vec<DistanceBand>,
}

/// The memory of one band of rows.
#[derive(Clone, Debug, Default)]
struct DistanceBand {
    rows: Range<usize>,
    strips: PaddedRow,
    envelope: Envelope,
    /// How far the row before the band is, column by column, from the nearest outside pixel above it, and the row after
    /// the band from the nearest below; empty where the image ends.
    above: Vec<u16>,
    below: Vec<u16>,
    /// How far the first row of the band is from the nearest outside pixel of the band.
    first: Vec<u16>,
    /// Rows until every column has had an outside pixel of the band: what is above matters in these alone.
    begun: usize,
}

/// How far each pixel of the mask (nonzero) is from the nearest pixel outside it; 0 outside.
///
/// Every value is the correctly rounded square root of an integer, for images narrower and lower than 2²⁵ pixels. The
/// image's border is not outside: a mask that covers the whole image has nothing outside, and all its distances are
/// infinite.
pub fn distance(mask: View<'_, u8>) -> Plane<f32> {
    let mut result = Plane::filled(0.0, mask.width(), mask.height());
    distance_into(mask, result.view_mut(), &mut DistanceScratch::default());
    result
}

/// [`distance`] into an image of the mask's size.
pub fn distance_into(mask: View<'_, u8>, result: ViewMut<'_, f32>, scratch: &mut DistanceScratch) {
    distance_with(Isa::best(), mask, result, scratch);
}

/// [`distance_into`] with a given instruction set.
pub fn distance_with(isa: Isa, mask: View<'_, u8>, result: ViewMut<'_, f32>, scratch: &mut DistanceScratch) {
    distance_on(Cpu { isa, threads: NonZeroUsize::MIN }, mask, result, scratch);
}

/// [`distance_into`] by several threads, each of which has a part of the rows. Images of 65535 rows or more take one
/// thread.
pub fn distance_on(cpu: Cpu, mask: View<'_, u8>, result: ViewMut<'_, f32>, scratch: &mut DistanceScratch) {
    if mask.height() >= usize::from(u16::NOWHERE) {
        return far(mask, result);
    }
    let DistanceScratch { heights, bands } = scratch;
    // The old content is overwritten.
    heights.resize(mask.len(), u16::NOWHERE);
    let Some(mut heights) = ViewMut::new(heights, mask.width(), mask.height()) else { return };
    if cpu.threads == NonZeroUsize::MIN {
        cpu.write((heights, result), bands, |_, (mut heights, result), band| {
            sweep_down_on(cpu.isa, mask, heights.reborrow());
            [&mut band.above, &mut band.below].into_iter().for_each(Vec::clear);
            near(cpu.isa, mask, heights, result, band);
        });
        return;
    }
    cpu.write(heights.reborrow(), bands, |rows, mut heights, band| {
        let mask = mask.band(rows.clone());
        sweep_down_on(cpu.isa, mask, heights.reborrow());
        band.begun = find_first(cpu.isa, mask, &mut band.first);
        band.rows = rows;
    });
    let with_rows = cpu.threads.get().min(mask.height()).min(bands.len());
    tell_bands(heights.view(), &mut bands[..with_rows]);
    cpu.write((heights, result), bands, |rows, (heights, result), band| {
        near(cpu.isa, mask.band(rows), heights, result, band);
    });
}

/// Gives each band the distances of the rows beyond its ends.
fn tell_bands(heights: View<'_, u16>, bands: &mut [DistanceBand]) {
    let mut carried = Vec::new();
    for DistanceBand { rows, above, .. } in bands.iter_mut() {
        above.clone_from(&carried);
        carry(&mut carried, heights.row(rows.end - 1), rows.len());
    }
    carried.clear();
    for DistanceBand { rows, below, first, .. } in bands.iter_mut().rev() {
        below.clone_from(&carried);
        carry(&mut carried, first, rows.len());
    }
}

/// From one side of a band to the other: what is nearest in the band, or what was carried so far.
fn carry(carried: &mut Vec<u16>, nearest: &[u16], rows: usize) {
    // Before the first band nothing was carried.
    carried.resize(nearest.len(), u16::NOWHERE);
    for (carried, nearest) in carried.iter_mut().zip(nearest) {
        *carried = carried.saturating_add(rows as u16).min(*nearest);
    }
}

versions! {
    fn sweep_down_on(mask: View<'_, u8>, heights: ViewMut<'_, u16>) {
        let mut heights = heights;
        for y in 0..mask.height() {
            let (above, mut here) = heights.reborrow().split_at_row(y);
            let above = y.checked_sub(1).map(|y| above.view().row(y));
            height_row(mask.row(y), above, here.row_mut(0));
        }
    }
}

versions! {
    /// How far the first row is from the nearest outside pixel; returns the number of rows needed to find that for all
    /// columns. In tissue these are few.
    fn find_first(mask: View<'_, u8>, first: &mut Vec<u16>) -> usize {
        first.clear();
        first.resize(mask.width(), u16::NOWHERE);
        for y in 0..mask.height() {
            for (first, inside) in first.iter_mut().zip(mask.row(y)) {
                // A nonzero byte keeps the value found above, which is nearer; a selection without a branch.
                *first = (*first).min((y as u16) | u16::from(*inside != 0).wrapping_neg());
            }
            if y % BLOCK == BLOCK - 1 && first.iter().fold(0, |most, first| most.max(*first)) < u16::NOWHERE {
                return y + 1;
            }
        }
        mask.height()
    }
}

versions! {
    /// Heights of 16 bits: the rows of a band from the bottom, each finished while it is in the cache.
    fn near(mask: View<'_, u8>, heights: ViewMut<'_, u16>, result: ViewMut<'_, f32>, band: &mut DistanceBand) {
        let DistanceBand { strips, envelope, above, below, begun, .. } = band;
        let (mut heights, mut result) = (heights, result);
        strips.fit(mask.width());
        // Where one row needed the envelope the next one will, too.
        let mut deep = false;
        for start in (0..mask.height()).step_by(BLOCK).rev() {
            let block = start..(start + BLOCK).min(mask.height());
            for y in block.clone().rev() {
                sweep_up(heights.reborrow(), y, if y < *begun { above } else { &[] }, below);
            }
            for y in block {
                let (here, target) = (heights.view().row(y), result.row_mut(y));
                if deep || !strips.row(here, target) {
                    let largest = envelope_row(mask.row(y), here, envelope, target);
                    deep = largest > (REACH * REACH) as u64;
                }
            }
        }
    }
}

/// Rows that are written together, from the top: writing memory backwards is slow.
const BLOCK: usize = 16;

/// Lowers a row's heights to those possible from the row below, and from above and below the band.
#[inline(always)]
fn sweep_up(heights: ViewMut<'_, u16>, y: usize, above: &[u16], below: &[u16]) {
    let (mut here, next) = heights.split_at_row(y + 1);
    let here = here.row_mut(y);
    lower(here, above, y as u16 + 1);
    let next = next.view();
    lower(here, if next.height() > 0 { next.row(0) } else { below }, 1);
}

/// Lowers heights to the distance through another row, `rows` away, if there is one.
#[inline(always)]
fn lower<H: Height>(heights: &mut [H], other: &[H], rows: H) {
    heights.iter_mut().zip(other).for_each(|(height, other)| *height = (*height).min(other.plus(rows)));
}

/// How far each pixel of a row is from the nearest outside pixel above it in its column.
#[inline(always)]
fn height_row<H: Height>(row: &[u8], above: Option<&[H]>, heights: &mut [H]) {
    let pixels = heights.iter_mut().zip(row);
    match above {
        Some(above) => {
            for ((height, &inside), above) in pixels.zip(above) {
                *height = if inside == 0 { H::default() } else { above.plus(H::ONE) };
            }
        }
        None => {
            for (height, &inside) in pixels {
                *height = if inside == 0 { H::default() } else { H::NOWHERE };
            }
        }
    }
}

/// The row by the envelope of parabolas; returns the largest squared distance.
fn envelope_row<H: Height>(row: &[u8], heights: &[H], envelope: &mut Envelope, target: &mut [f32]) -> u64 {
    let mut largest = 0;
    target.fill(0.0);
    each_of_row(row, heights, envelope, |x, squared| {
        largest = largest.max(squared.unwrap_or(u64::MAX));
        target[x] = squared.map_or(f32::INFINITY, root);
    });
    largest
}

/// Images too high for heights of 16 bits.
fn far(mask: View<'_, u8>, mut result: ViewMut<'_, f32>) {
    let heights = tall_heights(mask);
    let mut envelope = Envelope::default();
    for (y, row) in mask.rows().enumerate() {
        envelope_row(row, &heights[y * row.len()..][..row.len()], &mut envelope, result.row_mut(y));
    }
}

fn tall_heights(mask: View<'_, u8>) -> Vec<u32> {
    let width = mask.width();
    let mut heights = vec![u32::NOWHERE; mask.len()];
    for (y, row) in mask.rows().enumerate() {
        let (above, here) = heights[..(y + 1) * width].split_at_mut(y * width);
        height_row(row, above.len().checked_sub(width).map(|start| &above[start..]), here);
    }
    for y in (0..mask.height()).rev() {
        let (here, below) = heights[y * width..].split_at_mut(width);
        lower(here, below, 1);
    }
    heights
}

/// Below 2⁵¹ the first rounding, to 53 bits, cannot move a value across the middle between two 24-bit ones.
fn root(squared: u64) -> f32 {
    (squared as f64).sqrt() as f32
}

/// Gives each pixel of the mask, by its position in rows without gaps, and its squared distance.
pub(crate) fn each_inside(mask: View<'_, u8>, mut give: impl FnMut(usize, Option<u64>)) {
    let heights = tall_heights(mask);
    let mut envelope = Envelope::default();
    for (y, row) in mask.rows().enumerate() {
        let start = y * row.len();
        let heights = &heights[start..][..row.len()];
        each_of_row(row, heights, &mut envelope, |x, squared| give(start + x, squared));
    }
}

/// A run of mask pixels in a row is on its own: columns beyond the outside pixel that ends it are farther away than that
/// pixel.
fn each_of_row<H: Height>(
    row: &[u8],
    heights: &[H],
    envelope: &mut Envelope,
    mut give: impl FnMut(usize, Option<u64>),
) {
    let mut x = 0;
    while let Some(start) = row[x..].iter().position(|&p| p != 0).map(|n| x + n) {
        let end = row[start..].iter().position(|&p| p == 0).map_or(row.len(), |n| start + n);
        envelope.run(heights, start, end, &mut give);
        x = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nearest(mask: View<'_, u8>, x: usize, y: usize) -> Option<u64> {
        let outside = (0..mask.len()).map(|i| (i % mask.width(), i / mask.width()));
        let outside = outside.filter(|&(x, y)| mask.at(x, y) == 0);
        outside.map(|(u, v)| (u.abs_diff(x).pow(2) + v.abs_diff(y).pow(2)) as u64).min()
    }

    fn check(mask: View<'_, u8>) {
        let mut exact = Plane::filled(Some(0), mask.width(), mask.height());
        each_inside(mask, |position, squared| exact.pixels_mut()[position] = squared);
        let rounded = distance(mask);
        for y in 0..mask.height() {
            for x in 0..mask.width() {
                let expected = nearest(mask, x, y);
                assert_eq!(exact.view().at(x, y), expected, "at {x}, {y} of {mask:?}");
                let expected = expected.map_or(f32::INFINITY, |n| (n as f32).sqrt());
                assert_eq!(rounded.view().at(x, y), expected);
            }
        }
    }

    #[test]
    fn without_an_outside_all_is_infinitely_far() {
        let mask = Plane::filled(1u8, 4, 3);
        assert!(distance(mask.view()).pixels().iter().all(|d| *d == f32::INFINITY));
        assert!(distance(Plane::filled(1u8, 0, 3).view()).pixels().is_empty());
    }

    #[test]
    fn roots_are_rounded_once() {
        // Middles between two f32 values, and their neighbours, decide the rounding.
        for root_of in [4097u64, 8191, (1 << 24) + 1, (1 << 24) + 3, (1 << 25) - 1] {
            let square = root_of * root_of;
            assert_eq!(root(square), root_of as f32);
            assert!(root(square - 1) <= root_of as f32 && f64::from(root(square - 1)) <= root_of as f64);
            assert!(f64::from(root(square + 1)) >= root_of as f64);
        }
    }

    /// The same by the envelope alone, and by strips on every machine.
    fn check_against_envelope(mask: View<'_, u8>) {
        let mut expected = Plane::filled(0.0, mask.width(), mask.height());
        each_inside(mask, |at, squared| expected.pixels_mut()[at] = squared.map_or(f32::INFINITY, root));
        let mut scratch = DistanceScratch::default();
        let threads = [1, 2, 3, 8].into_iter().filter_map(NonZeroUsize::new);
        for (isa, threads) in
            threads.flat_map(|threads| Isa::available().into_iter().map(move |isa| (isa, threads)))
        {
            let mut found = Plane::filled(-1.0, mask.width(), mask.height());
            distance_on(Cpu { isa, threads }, mask, found.view_mut(), &mut scratch);
            assert!(found == expected, "{} on {threads} threads differs", isa.word());
        }
    }

    /// The nearest outside pixel may be in any other band.
    #[test]
    fn bands_far_from_the_outside() {
        for (width, height) in [(1, 1), (1, 17), (5, 3), (3, 40), (90, 64)] {
            for hole in [0, width * height / 2, width * height - 1] {
                let mut mask = Plane::filled(1u8, width, height);
                check_against_envelope(mask.view());
                mask.pixels_mut()[hole] = 0;
                check_against_envelope(mask.view());
            }
        }
    }

    #[test]
    fn far_rows_and_near_rows_of_one_image() {
        let (width, height) = (701, 530);
        // Up to 127, 128 and 129 pixels from the outside, and much more.
        for (gap, thick) in [(255, 1), (256, 1), (257, 1), (258, 1), (600, 9), (100_000, 1)] {
            let near =
                |x: usize, y: usize| (x + 200) % gap < thick || (x == 3 && y > 400) || (x + y) % 1300 == 7;
            let mask = (0..width * height).map(|at| if near(at % width, at / width) { 0 } else { 9 });
            check_against_envelope(Plane::from_vec(mask.collect(), width, height).unwrap().view());
        }
    }

    #[test]
    fn columns_too_high_for_small_heights() {
        for height in [65_534, 65_535, 65_536, 70_000] {
            let mut mask = Plane::filled(1, 2, height);
            mask.pixels_mut()[0] = 0;
            let found = distance(mask.view());
            assert_eq!(found.view().at(0, height - 1), (height - 1) as f32);
            assert_eq!(found.view().at(1, height - 1), root((height as u64 - 1).pow(2) + 1));
        }
    }

    proptest! {
        #[test]
        fn every_instruction_set_gives_the_same(
            (width, height) in (1usize..100, 1usize..100),
            holes in prop::collection::vec((0usize..100, 0usize..100), 0..40),
        ) {
            let mut mask = Plane::filled(1u8, width, height);
            holes.iter().for_each(|&(x, y)| mask.view_mut().row_mut(y % height)[x % width] = 0);
            check_against_envelope(mask.view());
        }

        /// In bands of more rows than are looked at together, all columns soon meet the outside.
        #[test]
        fn bands_near_the_outside(
            (width, height) in (1usize..40, 30usize..150),
            sparse in 0u8..250,
            noise in prop::collection::vec(any::<u8>(), 40 * 150),
        ) {
            let noise = noise[..width * height].iter().map(|&n| if n > sparse { 0 } else { 255 });
            check_against_envelope(Plane::from_vec(noise.collect(), width, height).unwrap().view());
        }

        #[test]
        fn every_distance_is_that_of_the_nearest_pixel(
            width in 1usize..24,
            height in 1usize..24,
            sparse in 0u8..250,
            noise in prop::collection::vec(any::<u8>(), 24 * 24),
        ) {
            let noise = noise[..width * height].iter().map(|&n| if n > sparse { 0 } else { 255 });
            check(Plane::from_vec(noise.collect(), width, height).unwrap().view());
        }
    }
}
