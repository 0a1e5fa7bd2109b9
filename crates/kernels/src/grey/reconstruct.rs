//! Grey reconstruction: sweeps settle nearly every pixel, a queue the rest (after Vincent's hybrid algorithm).
//!
//! Sweeps handle whole rows at once; pixels that can still rise then wait in [`RankQueue`], the highest first, so that
//! winding paths take a time proportional to their length. A pixel on such a path costs about fifteen nanoseconds and a
//! swept one less than two: a maze one pixel wide takes two to three times as long as tissue.

mod borders;
mod growth;
mod queue;
mod seams;
mod sweep;
mod value;

use std::ops::Range;

use growth::GreyGrowth;
use queue::RankQueue;
use sweep::SweepRows;
pub use value::GreyValue;
pub(crate) use value::{greater, lesser};

use crate::{Connectivity, Cpu, Isa, Plane, View, ViewMut};

/// Reusable memory for a reconstruction.
#[derive(Clone, Debug, Default)]
pub struct GreyScratch<T> {
    rows: SweepRows<T>,
    waiting: RankQueue,
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
    ) -> GreyGrowth<'a, T> {
        let Self { rows, waiting, raised, .. } = self;
        GreyGrowth { mask, image, connectivity, rows, waiting, raised }
    }
}

/// The largest image reachable from `marker` by repeated elementary dilation clipped under `mask`; both are of one size.
/// A marker above the mask counts as the mask's value there.
pub fn reconstruct<T: GreyValue>(
    marker: View<'_, T>,
    mask: View<'_, T>,
    connectivity: Connectivity,
) -> Plane<T> {
    let mut result = marker.to_plane();
    reconstruct_into(Isa::best(), mask, connectivity, result.view_mut(), &mut GreyScratch::default());
    result
}

/// [`reconstruct`] in place: `image` is the marker before and the reconstruction after.
pub fn reconstruct_into<T: GreyValue>(
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

/// [`reconstruct_into`] by several threads: each settles a band of the rows, and then the values that come from the
/// neighbouring bands, until nothing changes. The result does not depend on the number of threads; `scratch` grows to one
/// entry for each.
pub fn reconstruct_on<T: GreyValue>(
    cpu: Cpu,
    mask: View<'_, T>,
    connectivity: Connectivity,
    image: ViewMut<'_, T>,
    scratch: &mut Vec<GreyScratch<T>>,
) {
    reconstruct_after(cpu, |_, _| (), mask, connectivity, image, scratch);
}

/// [`reconstruct`] by several threads into existing memory, as [`reconstruct_on`]; all three images are of one size.
pub fn reconstruct_from<T: GreyValue>(
    cpu: Cpu,
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
    reconstruct_after(cpu, copy, mask, connectivity, target, scratch);
}

/// [`reconstruct_on`] of a marker that each thread writes into its band of rows to begin with.
pub(crate) fn reconstruct_after<T: GreyValue>(
    cpu: Cpu,
    begin: impl Fn(Range<usize>, ViewMut<'_, T>) + Sync,
    mask: View<'_, T>,
    connectivity: Connectivity,
    mut target: ViewMut<'_, T>,
    scratch: &mut Vec<GreyScratch<T>>,
) {
    cpu.write(target.reborrow(), scratch, |rows, mut target, scratch| {
        begin(rows.clone(), target.reborrow());
        reconstruct_into(cpu.isa, mask.band(rows), connectivity, target, scratch);
    });
    seams::settle(cpu, mask, connectivity, target, scratch);
}

/// The smallest image reachable from `marker` by repeated elementary erosion clipped above `mask`: the reconstruction by
/// dilation of the mirrored images.
pub fn reconstruct_by_erosion<T: GreyValue>(
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
pub fn reconstruct_by_erosion_into<T: GreyValue>(
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

fn mirror<T: GreyValue>(image: &mut ViewMut<'_, T>) {
    for y in 0..image.height() {
        image.row_mut(y).iter_mut().for_each(|pixel| *pixel = pixel.mirrored());
    }
}
