//! Regional maxima and minima: plateaus without a higher, or a lower, neighbour.
//!
//! Rows are compared with their neighbours first; then the plateaus of pixels that are not extrema are cleared. Bands of
//! rows do so on their own; plateaus that continue from one band to another are followed last.

mod compare;
mod spread;

use std::num::NonZeroUsize;

use crate::{Connectivity, Cpu, GreyValue, Isa, ON, Plane, View, ViewMut};
pub(crate) use compare::ExtremaSearch;
use compare::SearchLines;
use spread::{Beyond, PlateauClearing};

/// Reusable memory for finding plateaus.
#[derive(Clone, Debug, Default)]
pub struct PlateauScratch<T> {
    bands: Vec<PlateauBand<T>>,
}

/// The memory of one band of rows.
#[derive(Clone, Debug, Default)]
struct PlateauBand<T> {
    lines: SearchLines<T>,
    /// Cleared pixels whose neighbours have not been examined yet.
    stack: Vec<(u32, u32)>,
    /// Where cleared plateaus may continue in other bands.
    beyond: Vec<Beyond<T>>,
    /// Whether a pixel is at least as high as its neighbours.
    any_set: bool,
}

/// The pixels of plateaus without a higher neighbour; under the same connectivity each plateau is one component.
pub fn regional_maxima<T: GreyValue>(image: View<'_, T>, connectivity: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, image.width(), image.height());
    regional_maxima_into(Isa::best(), image, connectivity, result.view_mut(), &mut PlateauScratch::default());
    result
}

/// [`regional_maxima`] into existing memory. The time grows with the size of the plateaus that are not maxima.
pub fn regional_maxima_into<T: GreyValue>(
    isa: Isa,
    image: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut PlateauScratch<T>,
) {
    regional_maxima_on(Cpu { isa, threads: NonZeroUsize::MIN }, image, connectivity, target, scratch);
}

/// [`regional_maxima_into`] by several threads. Each has a part of the rows; plateaus that are not maxima and continue from
/// one part to another are cleared by the caller's thread alone.
pub fn regional_maxima_on<T: GreyValue>(
    cpu: Cpu,
    image: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut PlateauScratch<T>,
) {
    Extrema { image, connectivity, mirrored: false }.find(cpu, target, scratch);
}

/// The pixels of plateaus without a lower neighbour; under the same connectivity each plateau is one component.
pub fn regional_minima<T: GreyValue>(image: View<'_, T>, connectivity: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, image.width(), image.height());
    regional_minima_into(Isa::best(), image, connectivity, result.view_mut(), &mut PlateauScratch::default());
    result
}

/// [`regional_minima`] into existing memory. The time grows with the size of the plateaus that are not minima.
pub fn regional_minima_into<T: GreyValue>(
    isa: Isa,
    image: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut PlateauScratch<T>,
) {
    regional_minima_on(Cpu { isa, threads: NonZeroUsize::MIN }, image, connectivity, target, scratch);
}

/// [`regional_minima_into`] by several threads, as [`regional_maxima_on`].
pub fn regional_minima_on<T: GreyValue>(
    cpu: Cpu,
    image: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut PlateauScratch<T>,
) {
    Extrema { image, connectivity, mirrored: true }.find(cpu, target, scratch);
}

/// What is searched: maxima, or minima, with their image and connectivity.
#[derive(Clone, Copy, Debug)]
struct Extrema<'a, T> {
    image: View<'a, T>,
    connectivity: Connectivity,
    /// Whether minima are searched, as maxima of the mirrored image.
    mirrored: bool,
}

impl<T: GreyValue> Extrema<'_, T> {
    fn find(self, cpu: Cpu, mut target: ViewMut<'_, u8>, scratch: &mut PlateauScratch<T>) {
        if self.image.is_empty() {
            return;
        }
        cpu.write(target.reborrow(), &mut scratch.bands, |rows, mut target, band| {
            T::search(cpu.isa, &mut ExtremaSearch::new(self, rows.clone(), target.reborrow(), band));
            PlateauClearing::new(self, rows, target, &mut band.stack, &mut band.beyond).run();
        });
        // Bands without rows do not count.
        let any_set =
            scratch.bands.iter_mut().fold(false, |any, band| any | std::mem::take(&mut band.any_set));
        if any_set {
            self.follow(target, scratch);
        } else {
            // No pixel is set only when all have the lowest value: the image is one plateau.
            (0..target.height()).for_each(|y| target.row_mut(y).fill(ON));
        }
    }

    /// Continues plateaus across bands.
    fn follow(self, target: ViewMut<'_, u8>, scratch: &mut PlateauScratch<T>) {
        let beyond: Vec<_> = scratch.bands.iter_mut().flat_map(|band| band.beyond.drain(..)).collect();
        if let Some(PlateauBand { stack, beyond: none, .. }) = scratch.bands.first_mut() {
            let mut spread = PlateauClearing::new(self, 0..self.image.height(), target, stack, none);
            beyond.into_iter().for_each(|runs| spread.stack_runs(runs));
            spread.run();
        }
    }
}
