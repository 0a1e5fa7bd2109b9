//! Regional maxima and minima: plateaus without a higher, or a lower, neighbour.
//!
//! Rows are compared with their neighbours first; what turns out to be no extremum then takes the rest of its plateau with
//! it. Bands of rows do so on their own, and last of all what goes on from one band to another is followed.

mod compare;
mod spread;

use std::num::NonZeroUsize;

use crate::{Connectivity, Isa, Level, Machine, ON, Plane, View, ViewMut};
use compare::Lines;
pub(crate) use compare::Search;
use spread::{Beyond, Spread};

/// Memory to find plateaus with; it may be used again for another image.
#[derive(Clone, Debug, Default)]
pub struct PlateauScratch<T> {
    bands: Vec<Band<T>>,
}

/// The memory of one band of rows.
#[derive(Clone, Debug, Default)]
struct Band<T> {
    lines: Lines<T>,
    /// Pixels that are no extremum and have not told their neighbours yet.
    stack: Vec<(u32, u32)>,
    /// Where plateaus that are no extrema may go on in other bands.
    beyond: Vec<Beyond<T>>,
    /// Whether a pixel is at least as high as its neighbours.
    any_set: bool,
}

/// The pixels of plateaus without a higher neighbour; under the same connectivity each plateau is one component.
pub fn regional_maxima<T: Level>(image: View<'_, T>, connectivity: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, image.width(), image.height());
    regional_maxima_into(Isa::best(), image, connectivity, result.view_mut(), &mut PlateauScratch::default());
    result
}

/// [`regional_maxima`] into memory that exists. The time grows with the size of the plateaus that are no maxima.
pub fn regional_maxima_into<T: Level>(
    isa: Isa,
    image: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut PlateauScratch<T>,
) {
    regional_maxima_on(Machine { isa, threads: NonZeroUsize::MIN }, image, connectivity, target, scratch);
}

/// [`regional_maxima_into`] by several threads. Each has a part of the rows; plateaus that are no maxima and go on from one
/// part to another are followed by the caller's thread alone.
pub fn regional_maxima_on<T: Level>(
    machine: Machine,
    image: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut PlateauScratch<T>,
) {
    Extrema { image, connectivity, mirrored: false }.find(machine, target, scratch);
}

/// The pixels of plateaus without a lower neighbour; under the same connectivity each plateau is one component.
pub fn regional_minima<T: Level>(image: View<'_, T>, connectivity: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, image.width(), image.height());
    regional_minima_into(Isa::best(), image, connectivity, result.view_mut(), &mut PlateauScratch::default());
    result
}

/// [`regional_minima`] into memory that exists. The time grows with the size of the plateaus that are no minima.
pub fn regional_minima_into<T: Level>(
    isa: Isa,
    image: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut PlateauScratch<T>,
) {
    regional_minima_on(Machine { isa, threads: NonZeroUsize::MIN }, image, connectivity, target, scratch);
}

/// [`regional_minima_into`] by several threads, as [`regional_maxima_on`].
pub fn regional_minima_on<T: Level>(
    machine: Machine,
    image: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut PlateauScratch<T>,
) {
    Extrema { image, connectivity, mirrored: true }.find(machine, target, scratch);
}

/// What is sought.
#[derive(Clone, Copy, Debug)]
struct Extrema<'a, T> {
    image: View<'a, T>,
    connectivity: Connectivity,
    /// Whether minima are sought: then the image is looked at upside down.
    mirrored: bool,
}

impl<T: Level> Extrema<'_, T> {
    fn find(self, machine: Machine, mut target: ViewMut<'_, u8>, scratch: &mut PlateauScratch<T>) {
        if self.image.is_empty() {
            return;
        }
        machine.write(target.reborrow(), &mut scratch.bands, |rows, mut target, band| {
            T::search(machine.isa, &mut Search::new(self, rows.clone(), target.reborrow(), band));
            Spread::new(self, rows, target, &mut band.stack, &mut band.beyond).run();
        });
        // Bands that had no rows this time have nothing to say.
        let any_set =
            scratch.bands.iter_mut().fold(false, |any, band| any | std::mem::take(&mut band.any_set));
        if any_set {
            self.follow(target, scratch);
        } else {
            // Only the lowest value is nowhere set: there is no other one, and the image is one plateau.
            (0..target.height()).for_each(|y| target.row_mut(y).fill(ON));
        }
    }

    /// Goes on where bands had to stop.
    fn follow(self, target: ViewMut<'_, u8>, scratch: &mut PlateauScratch<T>) {
        let beyond: Vec<_> = scratch.bands.iter_mut().flat_map(|band| band.beyond.drain(..)).collect();
        if let Some(Band { stack, beyond: none, .. }) = scratch.bands.first_mut() {
            let mut spread = Spread::new(self, 0..self.image.height(), target, stack, none);
            beyond.into_iter().for_each(|runs| spread.stack_runs(runs));
            spread.run();
        }
    }
}
