//! Red blood cells, which are removed from the candidates (t1).

use super::MaskScratch;
use crate::cpu::isa::versions;
use crate::{Connectivity, Cpu, ON, Plane, View, ViewMut, select_into};

/// Pixels redder than blue in regions where red outweighs green `t2` times, and somewhere `t1` times.
pub fn red_blood_cells(normalized: View<'_, [u8; 3]>, t1: f64, t2: f64) -> Plane<u8> {
    let mut cells = Plane::filled(0, normalized.width(), normalized.height());
    let scratch = &mut MaskScratch::default();
    red_blood_cells_into(Cpu::default(), normalized, [t1, t2], cells.view_mut(), scratch);
    cells
}

/// [`red_blood_cells`] into a mask of the same size.
pub fn red_blood_cells_into(
    cpu: Cpu,
    normalized: View<'_, [u8; 3]>,
    thresholds: [f64; 2],
    mut target: ViewMut<'_, u8>,
    scratch: &mut MaskScratch,
) {
    let MaskScratch { one: surely, other: perhaps, runs, .. } = scratch;
    let (width, height) = (normalized.width(), normalized.height());
    let both = (surely.fit(width, height), perhaps.fit(width, height));
    if red_over_green_into(cpu, normalized, thresholds.map(|t| t as f32), both) {
        let (perhaps, surely) = (perhaps.view(), surely.view());
        select_into(cpu, perhaps, surely, Connectivity::Eight, target.reborrow(), runs);
        cpu.fine().write(target, &mut Vec::new(), |rows, mut cells, (): &mut ()| {
            rows.enumerate().for_each(|(y, row)| keep_redder(cells.row_mut(y), normalized.row(row)));
        });
    } else {
        (0..height).for_each(|y| target.row_mut(y).fill(0));
    }
}

/// Masks of the pixels where red is more than `t1` and `t2` times green, and whether the first has any.
pub(super) fn redder_than_green(
    normalized: View<'_, [u8; 3]>,
    t1: f64,
    t2: f64,
) -> (Plane<u8>, Plane<u8>, bool) {
    let mut surely = Plane::filled(0, normalized.width(), normalized.height());
    let mut perhaps = surely.clone();
    let thresholds = [t1 as f32, t2 as f32];
    let both = (surely.view_mut(), perhaps.view_mut());
    let any = red_over_green_into(Cpu::default(), normalized, thresholds, both);
    (surely, perhaps, any)
}

/// Keeps the pixels where red is above blue.
pub(super) fn remove_bluish(cells: &mut Plane<u8>, normalized: View<'_, [u8; 3]>) {
    (0..normalized.height()).for_each(|y| keep_redder(cells.view_mut().row_mut(y), normalized.row(y)));
}

/// Writes masks of the pixels where red over green is above the first and above the second threshold; returns whether the
/// first mask has any.
pub fn red_over_green_into(
    cpu: Cpu,
    normalized: View<'_, [u8; 3]>,
    thresholds: [f32; 2],
    targets: (ViewMut<'_, u8>, ViewMut<'_, u8>),
) -> bool {
    let mut sure = Vec::new();
    cpu.fine().write(targets, &mut sure, |rows, band, sure| {
        *sure = ratio_rows(cpu.isa, normalized.band(rows), thresholds, band);
    });
    sure.contains(&true)
}

versions! {
    /// Masks of the pixels above each of two ratios, and whether the first mask has any.
    fn ratio_rows(
        image: View<'_, [u8; 3]>,
        thresholds: [f32; 2],
        targets: (ViewMut<'_, u8>, ViewMut<'_, u8>),
    ) -> bool {
        let (mut surely, mut perhaps) = targets;
        let mut any = 0;
        for y in 0..image.height() {
            any |= ratio_row(image.row(y), thresholds, surely.row_mut(y), perhaps.row_mut(y));
        }
        any != 0
    }
}

#[inline(always)]
fn ratio_row(row: &[[u8; 3]], [high, low]: [f32; 2], surely: &mut [u8], perhaps: &mut [u8]) -> u8 {
    let mut any = 0;
    for ((pixel, surely), perhaps) in row.iter().zip(surely).zip(perhaps) {
        let ratio = f32::from(pixel[0]) / (f32::from(pixel[1]) + f32::EPSILON);
        *surely = if ratio > high { ON } else { 0 };
        *perhaps = if ratio > low { ON } else { 0 };
        any |= *surely;
    }
    any
}

/// Pixels examined together.
const SOME: usize = 64;

/// Where red over blue is above 1, which is where red is above blue. Red blood cells are rare: most pixels are 0.
fn keep_redder(cells: &mut [u8], row: &[[u8; 3]]) {
    for (cells, pixels) in cells.chunks_mut(SOME).zip(row.chunks(SOME)) {
        if cells.iter().fold(0, |any, cell| any | cell) != 0 {
            for (cell, [red, _, blue]) in cells.iter_mut().zip(pixels) {
                *cell = if red > blue { *cell } else { 0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ON;

    #[test]
    fn a_cell_needs_a_sure_pixel_and_more_red_than_blue() {
        let sure = [200, 20, 30];
        let perhaps = [90, 20, 30];
        let violet = [90, 20, 90];
        let white = [255; 3];
        let row = vec![perhaps, white, sure, perhaps, violet, perhaps, white, perhaps];
        let image = Plane::from_vec(row, 8, 1).unwrap();
        assert_eq!(red_blood_cells(image.view(), 5.0, 4.0).pixels(), [0, 0, ON, ON, 0, ON, 0, 0]);
        assert_eq!(red_blood_cells(image.view(), 12.0, 4.0).pixels(), [0; 8]);
    }

    #[test]
    fn red_over_blue_is_above_one_where_red_is_above_blue() {
        for (red, blue) in (0..=255u8).flat_map(|red| (0..=255u8).map(move |blue| (red, blue))) {
            let ratio = f32::from(red) / (f32::from(blue) + f32::EPSILON);
            assert_eq!(ratio > 1.0, red > blue);
        }
    }

    #[test]
    fn thresholds_are_strict_and_corners_connect() {
        let (sure, perhaps, white) = ([200, 20, 30], [90, 20, 30], [255; 3]);
        let image = Plane::from_vec(vec![sure, white, white, perhaps], 2, 2).unwrap();
        assert_eq!(red_blood_cells(image.view(), 9.99, 4.0).pixels(), [ON, 0, 0, ON]);
        assert_eq!(red_blood_cells(image.view(), 9.99, 4.5).pixels(), [ON, 0, 0, 0]);
        assert_eq!(red_blood_cells(image.view(), 10.0, 4.0).pixels(), [0; 4]);
    }

    #[test]
    fn a_sure_pixel_counts_inside_a_region_only() {
        let image = Plane::from_vec(vec![[200, 40, 0]; 3], 3, 1).unwrap();
        assert_eq!(red_blood_cells(image.view(), 4.0, 6.0).pixels(), [0; 3]);
    }
}
