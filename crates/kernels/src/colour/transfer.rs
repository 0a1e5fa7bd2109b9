//! Tissue takes on the target's colours.

use super::space::{from_lab, is_tissue, to_lab};
use super::{ColourStatistics, TARGET_DEVIATION, TARGET_MEAN};
use crate::{Plane, View};

/// Shifts and stretches tissue colours from the image's statistics to the target's; other pixels keep theirs. A channel
/// whose deviation is 0 has one value only, which becomes the target's mean.
pub fn transfer(image: View<'_, [u8; 3]>, statistics: &ColourStatistics) -> Plane<[u8; 3]> {
    let stretch = [0, 1, 2].map(|channel| stretch(statistics.deviation[channel], TARGET_DEVIATION[channel]));
    let mut result = image.to_plane();
    let mut last = ([0; 3], [0; 3]);
    for pixel in result.pixels_mut() {
        // Glass is full of equal neighbours, and logarithms are dear.
        if *pixel != last.0 {
            last = (*pixel, transfer_pixel(*pixel, &statistics.mean, &stretch));
        }
        *pixel = last.1;
    }
    result
}

fn stretch(deviation: f64, target: f64) -> f64 {
    if deviation > 0.0 { target / deviation } else { 0.0 }
}

/// Black has no logarithm and stays black.
fn transfer_pixel(pixel: [u8; 3], mean: &[f64; 3], stretch: &[f64; 3]) -> [u8; 3] {
    let moved = |lab: [f64; 3]| {
        [0, 1, 2].map(|channel| (lab[channel] - mean[channel]) * stretch[channel] + TARGET_MEAN[channel])
    };
    match to_lab(pixel) {
        Some(lab) if is_tissue(pixel) => from_lab(moved(lab)),
        Some(lab) => from_lab(lab),
        None => pixel,
    }
}
