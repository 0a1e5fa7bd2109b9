//! Peaks and pits of a grey image: how shallow ones are levelled, and where the regional maxima and minima are.

mod plateaus;

pub(crate) use plateaus::ExtremaSearch;
pub use plateaus::{
    PlateauScratch, regional_maxima, regional_maxima_into, regional_maxima_on, regional_minima,
    regional_minima_into, regional_minima_on,
};

use crate::grey::reconstruct::reconstruct_after;
use crate::{
    Connectivity, Cpu, GreyScratch, GreyValue, Isa, Plane, View, ViewMut, reconstruct_by_erosion_into,
    reconstruct_into,
};

/// The components of `mask` (nonzero), each under its distance from the outside, without peaks lower than 1 above their
/// surroundings: the reconstruction by dilation, 8-connected, of `distance` − 1 under `distance`.
///
/// Outside the mask everything is [`f32::MAX`], so that the outside is a peak of its own.
pub fn level_peaks(distance: View<'_, f32>, mask: View<'_, u8>) -> Plane<f32> {
    let mut result = distance.to_plane();
    level_peaks_into(Isa::best(), distance, mask, result.view_mut(), &mut GreyScratch::default());
    result
}

/// [`level_peaks`] into existing memory.
pub fn level_peaks_into(
    isa: Isa,
    distance: View<'_, f32>,
    mask: View<'_, u8>,
    mut target: ViewMut<'_, f32>,
    scratch: &mut GreyScratch<f32>,
) {
    let mut ceiling = std::mem::take(&mut scratch.mask);
    ceiling.clear();
    for (y, (row, inside)) in distance.rows().zip(mask.rows()).enumerate() {
        let high = |(height, inside): (&f32, &u8)| if *inside == 0 { f32::MAX } else { *height };
        ceiling.extend(row.iter().zip(inside).map(high));
        let low = |(height, inside): (&f32, &u8)| if *inside == 0 { f32::MAX } else { *height - 1.0 };
        let pixels = row.iter().zip(inside).map(low);
        target.row_mut(y).iter_mut().zip(pixels).for_each(|(target, low)| *target = low);
    }
    if let Some(ceiling) = View::new(&ceiling, distance.width(), distance.height()) {
        reconstruct_into(isa, ceiling, Connectivity::Eight, target, scratch);
    }
    scratch.mask = ceiling;
}

/// The image without peaks lower than `height` above their surroundings.
pub fn h_maxima<T: GreyValue>(image: View<'_, T>, height: T, connectivity: Connectivity) -> Plane<T> {
    let mut result = image.to_plane();
    h_maxima_into(Isa::best(), image, height, connectivity, result.view_mut(), &mut GreyScratch::default());
    result
}

/// [`h_maxima`] into existing memory.
pub fn h_maxima_into<T: GreyValue>(
    isa: Isa,
    image: View<'_, T>,
    height: T,
    connectivity: Connectivity,
    mut target: ViewMut<'_, T>,
    scratch: &mut GreyScratch<T>,
) {
    copy(image, target.reborrow(), |pixel| pixel.lowered(height));
    reconstruct_into(isa, image, connectivity, target, scratch);
}

/// [`h_maxima_into`] by several threads, as [`crate::reconstruct_on`]; `scratch` grows to one entry for each thread.
pub fn h_maxima_on<T: GreyValue>(
    cpu: Cpu,
    image: View<'_, T>,
    height: T,
    connectivity: Connectivity,
    target: ViewMut<'_, T>,
    scratch: &mut Vec<GreyScratch<T>>,
) {
    let lower = |rows, target: ViewMut<'_, T>| copy(image.band(rows), target, |pixel| pixel.lowered(height));
    reconstruct_after(cpu, lower, image, connectivity, target, scratch);
}

/// The image without pits lower than `height` below their surroundings.
pub fn h_minima<T: GreyValue>(image: View<'_, T>, height: T, connectivity: Connectivity) -> Plane<T> {
    let mut result = image.to_plane();
    h_minima_into(Isa::best(), image, height, connectivity, result.view_mut(), &mut GreyScratch::default());
    result
}

/// [`h_minima`] into existing memory.
pub fn h_minima_into<T: GreyValue>(
    isa: Isa,
    image: View<'_, T>,
    height: T,
    connectivity: Connectivity,
    mut target: ViewMut<'_, T>,
    scratch: &mut GreyScratch<T>,
) {
    // Lowering the mirrored image raises the image.
    copy(image, target.reborrow(), |pixel| pixel.mirrored().lowered(height).mirrored());
    reconstruct_by_erosion_into(isa, image, connectivity, target, scratch);
}

fn copy<T: Copy>(image: View<'_, T>, mut target: ViewMut<'_, T>, change: impl Fn(T) -> T) {
    for (y, row) in image.rows().enumerate() {
        target.row_mut(y).iter_mut().zip(row).for_each(|(target, pixel)| *target = change(*pixel));
    }
}
