//! Colour statistics do not depend on how an image is cut, and transfers stay finite.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod naive;
mod pictures;

use onceflow_kernels::colour::{ColourStatistics, ColourSums, transfer};
use onceflow_kernels::{Plane, View};
use proptest::prelude::*;

fn statistics<'a>(blocks: impl IntoIterator<Item = View<'a, [u8; 3]>>) -> ColourStatistics {
    let mut statistics = ColourSums::new();
    blocks.into_iter().for_each(|block| statistics.add(block));
    statistics.finish()
}

#[test]
fn tissue_gets_the_targets_mean_and_deviation() {
    let image = pictures::colour(&pictures::own().join("sparse/input.png"));
    let before = statistics([image.view()]);
    let after = statistics([transfer(image.view(), &before).view()]);
    assert!((before.mean[0] + 0.632356).abs() > 0.02, "the image was normalized before: {before:?}");
    assert!((after.mean[0] + 0.632356).abs() < 0.01, "{after:?}");
    assert!((after.deviation[0] - 0.26235).abs() < 0.01, "{after:?}");
}

#[test]
fn one_colour_becomes_the_targets_mean() {
    let image = Plane::filled([200, 120, 180], 9, 7);
    let found = statistics([image.view()]);
    assert_eq!((found.deviation, found.pixels), ([0.0; 3], 63));
    let normalized = transfer(image.view(), &found);
    let other = Plane::filled([190, 110, 185], 4, 4);
    assert_eq!(normalized.pixels()[0], transfer(other.view(), &statistics([other.view()])).pixels()[0]);
    assert!(normalized.pixels().iter().all(|pixel| *pixel == normalized.pixels()[0]));
}

#[test]
fn without_tissue_nothing_changes() {
    let image = naive::plane(8, 2, |x, y| if y == 0 { [255 - x as u8; 3] } else { [0; 3] });
    let found = statistics([image.view()]);
    assert_eq!(found.pixels, 0);
    let normalized = transfer(image.view(), &found);
    for (before, after) in image.pixels().as_flattened().iter().zip(normalized.pixels().as_flattened()) {
        assert!(before.abs_diff(*after) <= 1);
    }
    assert_eq!(found, statistics([]));
}

/// Mean and deviation by the textbook, in floating point. Logarithms are rounded to a millionth.
#[test]
fn exact_sums_agree_with_the_textbook() {
    let image = pictures::colour(&pictures::own().join("dense/normalized.png"));
    let found = statistics([image.view()]);
    let values: Vec<f64> = image.pixels().iter().filter(|pixel| tissue(pixel)).map(lightness).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    assert_eq!(found.pixels, values.len() as u64);
    assert!((found.mean[0] - mean).abs() < 3e-7);
    assert!((found.deviation[0] - (squares / values.len() as f64).sqrt()).abs() < 3e-7);
}

fn tissue(pixel: &[u8; 3]) -> bool {
    let [r, g, b] = pixel.map(f64::from);
    -0.154 * r + 0.035 * g + 0.549 * b - 45.718 < -0.057 * r - 0.817 * g + 1.170 * b - 49.887
}

fn lightness(pixel: &[u8; 3]) -> f64 {
    let [r, g, b] = pixel.map(|value| f64::from(value) / 255.0);
    let rows = [[0.3811, 0.5783, 0.0402], [0.1967, 0.7244, 0.0782], [0.0241, 0.1288, 0.8444]];
    rows.iter().map(|row| (row[0] * r + row[1] * g + row[2] * b).log10()).sum::<f64>() / 3f64.sqrt()
}

/// Every colour of a lattice through the published formulas, in double precision.
#[test]
fn transfers_are_within_a_grey_level_of_the_formulas() {
    let image = naive::plane(64, 64 * 64, |x, y| [x, y % 64, y / 64].map(|value| (value * 255 / 63) as u8));
    let found = ColourStatistics { mean: [-0.7, -0.02, 0.03], deviation: [0.21, 0.06, 0.009], pixels: 1 };
    let changed = transfer(image.view(), &found);
    let mut off = 0;
    for (pixel, changed) in image.pixels().iter().zip(changed.pixels()) {
        let expected = by_the_formulas(*pixel, &found);
        for channel in 0..3 {
            let difference = expected[channel].abs_diff(changed[channel]);
            assert!(difference <= 1, "{pixel:?} became {changed:?}, not {expected:?}");
            off += usize::from(difference);
        }
    }
    assert!(off * 1000 < image.view().len() * 3, "{off} values are off");
}

fn by_the_formulas(pixel: [u8; 3], found: &ColourStatistics) -> [u8; 3] {
    let [r, g, b] = pixel.map(|value| f64::from(value) / 255.0);
    let to = [[0.3811, 0.5783, 0.0402], [0.1967, 0.7244, 0.0782], [0.0241, 0.1288, 0.8444]];
    let [l, m, s] = to.map(|row| (row[0] * r + row[1] * g + row[2] * b).log10());
    let lab = [(l + m + s) / 3f64.sqrt(), (l + m - 2.0 * s) / 6f64.sqrt(), (l - m) / 2f64.sqrt()];
    let (mean, deviation) = ([-0.632356, -0.0516004, 0.0376543], [0.26235, 0.0514831, 0.0114217]);
    let moved = |c: usize| (lab[c] - found.mean[c]) * (deviation[c] / found.deviation[c]) + mean[c];
    let [l, a, b] = if tissue(&pixel) { [0, 1, 2].map(moved) } else { lab };
    let (l, a, b) = (l / 3f64.sqrt(), a / 6f64.sqrt(), b / 2f64.sqrt());
    let cones = [l + a + b, l + a - b, l - 2.0 * a].map(|x| 10f64.powf(x));
    let back = [[4.4687, -3.5887, 0.1196], [-1.2197, 2.3831, -0.1626], [0.0585, -0.2611, 1.2057]];
    back.map(|row| (row[0] * cones[0] + row[1] * cones[1] + row[2] * cones[2]) * 255.0)
        .map(|value| (value.clamp(0.0, 255.0) + 0.5).floor() as u8)
}

proptest! {
    #[test]
    fn however_an_image_is_cut(image in naive::images::strided(any::<[u8; 3]>()), x in 0..24usize, y in 0..24usize) {
        let whole = image.view().to_plane();
        let (width, height) = (whole.width(), whole.height());
        let (x, y) = (x.min(width), y.min(height));
        let cut = |left: usize, top: usize, right: usize, bottom: usize| {
            naive::plane(right - left, bottom - top, |x, y| whole.view().at(left + x, top + y))
        };
        let parts = [cut(x, y, width, height), cut(0, 0, x, y), cut(0, y, x, height), cut(x, 0, width, y)];
        let together = statistics(parts.iter().map(Plane::view));
        prop_assert_eq!(together, statistics([image.view()]));
        let mut merged = ColourSums::new();
        for part in &parts {
            let mut alone = ColourSums::new();
            alone.add(part.view());
            merged.merge(&alone);
        }
        prop_assert_eq!(merged.finish(), together);
    }
}
