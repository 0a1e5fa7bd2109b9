//! Grey reconstruction: sweeps settle nearly every pixel, waiting pixels the rest (after Vincent's hybrid algorithm).
//!
//! Sweeps handle whole rows at once and settle what lies within sight; who could still rise then waits in [`Waiting`],
//! the highest first, so that winding paths take a time proportional to their length. A pixel on such a path costs about
//! fifteen nanoseconds and a swept one less than two: a maze one pixel wide takes two to three times as long as tissue.

mod growth;
mod level;
mod sweep;
mod waiting;

use growth::Growth;
pub use level::Level;
pub(crate) use level::{greater, lesser};
use sweep::Rows;
use waiting::Waiting;

use crate::{Connectivity, Isa, Plane, View, ViewMut};

/// Memory that a reconstruction needs; it may be used again for another one.
#[derive(Clone, Debug, Default)]
pub struct GreyScratch<T> {
    rows: Rows<T>,
    waiting: Waiting,
    raised: Vec<(usize, T)>,
    /// The mask of a reconstruction by erosion, mirrored, or of an image whose peaks are levelled.
    pub(crate) mask: Vec<T>,
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
    let GreyScratch { rows, waiting, raised, .. } = scratch;
    waiting.reset(T::RANKS);
    rows.reset(mask.width());
    T::settle(isa, &mut Growth { mask, image, connectivity, rows, waiting, raised });
}

/// [`reconstruct_into`] by several threads, one for each scratch: each settles a part of the rows, and the first of them
/// what goes on between the parts. The result does not depend on their number.
pub fn reconstruct_threaded<T: Level>(
    isa: Isa,
    mask: View<'_, T>,
    connectivity: Connectivity,
    mut image: ViewMut<'_, T>,
    scratch: &mut [GreyScratch<T>],
) {
    if scratch.len() < 2 {
        let mut own = GreyScratch::default();
        let scratch = scratch.first_mut().unwrap_or(&mut own);
        return reconstruct_into(isa, mask, connectivity, image, scratch);
    }
    let part = mask.height().div_ceil(scratch.len()).max(1);
    std::thread::scope(|scope| {
        let mut rest = image.reborrow();
        for (scratch, start) in scratch.iter_mut().zip((0..mask.height()).step_by(part)) {
            let (rows, others) = rest.split_rows(part);
            rest = others;
            let mask = mask.band(start..start + rows.height());
            scope.spawn(move || reconstruct_into(isa, mask, connectivity, rows, scratch));
        }
    });
    if let Some(GreyScratch { rows, waiting, raised, .. }) = scratch.first_mut().filter(|_| !mask.is_empty())
    {
        Growth { mask, image, connectivity, rows, waiting, raised }.settle_edges(part);
    }
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
