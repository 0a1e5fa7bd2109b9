//! Exchange between bands of rows that were settled on their own.

use std::ops::Range;

use super::GreyScratch;
use crate::{Connectivity, Cpu, GreyValue, View, ViewMut};

/// How often bands exchange values before one thread does the rest: tissue needs two or three times, only paths that cross
/// a seam many times need more.
const ROUNDS: usize = 8;

/// Settles an image whose bands are settled.
pub(super) fn settle<T: GreyValue>(
    cpu: Cpu,
    mask: View<'_, T>,
    connectivity: Connectivity,
    mut image: ViewMut<'_, T>,
    scratch: &mut Vec<GreyScratch<T>>,
) {
    let bands: Vec<Range<usize>> = cpu.bands(mask.height()).collect();
    if bands.len() < 2 || mask.is_empty() {
        return;
    }
    for _ in 0..ROUNDS {
        if !find_takers(&bands, mask, connectivity, image.reborrow(), scratch) {
            return;
        }
        cpu.write(image.reborrow(), scratch, |rows, image, scratch| {
            let height = rows.len();
            scratch.growth(mask.band(rows), connectivity, image).raise_waiting(0..height);
        });
    }
    let edges = bands[1..].iter().map(|band| band.start);
    scratch[0].growth(mask, connectivity, image).settle_edges(edges);
}

/// Raises the rows on both sides of each seam to the other side, and queues the raised pixels in their own bands; returns
/// whether there are any.
fn find_takers<T: GreyValue>(
    bands: &[Range<usize>],
    mask: View<'_, T>,
    connectivity: Connectivity,
    mut image: ViewMut<'_, T>,
    scratch: &mut [GreyScratch<T>],
) -> bool {
    let mut found = 0;
    for (seam, pair) in bands.windows(2).enumerate() {
        let rows = pair[1].start - 1..pair[1].start + 1;
        for (side, last) in [(0, pair[0].len() - 1), (1, 0)] {
            let image = image.reborrow().rows_mut(rows.clone());
            let mut growth = scratch[seam + side].growth(mask.band(rows.clone()), connectivity, image);
            found += growth.find_takers(side, 0..2, last);
        }
    }
    found > 0
}
