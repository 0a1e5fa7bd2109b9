//! Grey reconstruction: sweeps settle nearly every pixel, waiting pixels the rest (after Vincent's hybrid algorithm).
//!
//! Sweeps handle whole rows at once and settle what lies within sight; who could still rise then waits in [`Waiting`],
//! the highest first, so that winding paths take a time proportional to their length. A pixel on such a path costs about
//! fifteen nanoseconds and a swept one less than two: a maze one pixel wide takes two to three times as long as tissue.

mod growth;
mod level;
mod seams;
mod sweep;
mod waiting;

use std::ops::Range;

use growth::Growth;
pub use level::Level;
pub(crate) use level::{greater, lesser};
use sweep::Rows;
use waiting::Waiting;

use crate::{Connectivity, Isa, Machine, Plane, View, ViewMut};

/// Memory that a reconstruction needs; it may be used again for another one.
#[derive(Clone, Debug, Default)]
pub struct GreyScratch<T> {
    rows: Rows<T>,
    waiting: Waiting,
    raised: Vec<(usize, T)>,
    /// The mask of a reconstruction by erosion, mirrored, or of an image whose peaks are levelled.
    pub(crate) mask: Vec<T>,
}

impl<T> GreyScratch<T> {
    fn growth<'a>(
        &'a mut self,
        mask: View<'a, T>,
        connectivity: Connectivity,
        image: ViewMut<'a, T>,
    ) -> Growth<'a, T> {
        let Self { rows, waiting, raised, .. } = self;
        Growth { mask, image, connectivity, rows, waiting, raised }
    }
}

/// The largest image reachable from `marker` by repeated elementary dilation clipped under `mask`; both are of one size.
/// A marker above the mask counts as the mask's value there.
pub fn reconstruct<T: Level>(marker: View<'_, T>, mask: View<'_, T>, connectivity: Connectivity) -> Plane<T> {
    let mut result = marker.to_plane();
    reconstruct_into(Isa::best(), mask, connectivity, result.view_mut(), &mut GreyScratch::default());
    result
}

/// [`reconstruct`] in place: `image` is the marker before and the reconstruction after.
pub fn reconstruct_into<T: Level>(
    isa: Isa,
    mask: View<'_, T>,
    connectivity: Connectivity,
    image: ViewMut<'_, T>,
    scratch: &mut GreyScratch<T>,
) {
    if mask.is_empty() {
        return;
    }
    scratch.waiting.reset(T::RANKS);
    scratch.rows.reset(mask.width());
    T::settle(isa, &mut scratch.growth(mask, connectivity, image));
}

/// [`reconstruct_into`] by several threads: each settles a band of the rows, and then what the bands beside it offer, until
/// they offer nothing. The result does not depend on their number; memory is added where there is not enough for them.
pub fn reconstruct_on<T: Level>(
    machine: Machine,
    mask: View<'_, T>,
    connectivity: Connectivity,
    image: ViewMut<'_, T>,
    scratch: &mut Vec<GreyScratch<T>>,
) {
    reconstruct_after(machine, |_, _| (), mask, connectivity, image, scratch);
}

/// [`reconstruct`] by several threads into memory that exists, as [`reconstruct_on`]; all three images are of one size.
pub fn reconstruct_from<T: Level>(
    machine: Machine,
    marker: View<'_, T>,
    mask: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, T>,
    scratch: &mut Vec<GreyScratch<T>>,
) {
    let copy = |rows, mut target: ViewMut<'_, T>| {
        let rows = marker.band(rows).rows().enumerate();
        rows.for_each(|(y, row)| target.row_mut(y).copy_from_slice(row));
    };
    reconstruct_after(machine, copy, mask, connectivity, target, scratch);
}

/// [`reconstruct_on`] of a marker that each thread writes into its band of rows to begin with.
pub(crate) fn reconstruct_after<T: Level>(
    machine: Machine,
    begin: impl Fn(Range<usize>, ViewMut<'_, T>) + Sync,
    mask: View<'_, T>,
    connectivity: Connectivity,
    mut target: ViewMut<'_, T>,
    scratch: &mut Vec<GreyScratch<T>>,
) {
    machine.write(target.reborrow(), scratch, |rows, mut target, scratch| {
        begin(rows.clone(), target.reborrow());
        reconstruct_into(machine.isa, mask.band(rows), connectivity, target, scratch);
    });
    seams::settle(machine, mask, connectivity, target, scratch);
}

/// The smallest image reachable from `marker` by repeated elementary erosion clipped above `mask`: the reconstruction by
/// dilation upside down.
pub fn reconstruct_by_erosion<T: Level>(
    marker: View<'_, T>,
    mask: View<'_, T>,
    connectivity: Connectivity,
) -> Plane<T> {
    let mut result = marker.to_plane();
    reconstruct_by_erosion_into(
        Isa::best(),
        mask,
        connectivity,
        result.view_mut(),
        &mut GreyScratch::default(),
    );
    result
}

/// [`reconstruct_by_erosion`] in place: `image` is the marker before and the reconstruction after.
pub fn reconstruct_by_erosion_into<T: Level>(
    isa: Isa,
    mask: View<'_, T>,
    connectivity: Connectivity,
    mut image: ViewMut<'_, T>,
    scratch: &mut GreyScratch<T>,
) {
    let mut mirrored = std::mem::take(&mut scratch.mask);
    mirrored.clear();
    mask.rows().for_each(|row| mirrored.extend(row.iter().map(|pixel| pixel.mirrored())));
    mirror(&mut image);
    if let Some(mask) = View::new(&mirrored, mask.width(), mask.height()) {
        reconstruct_into(isa, mask, connectivity, image.reborrow(), scratch);
    }
    mirror(&mut image);
    scratch.mask = mirrored;
}

fn mirror<T: Level>(image: &mut ViewMut<'_, T>) {
    for y in 0..image.height() {
        image.row_mut(y).iter_mut().for_each(|pixel| *pixel = pixel.mirrored());
    }
}
