//! Reconstruction of masks: components that contain a seed.

use crate::bits;
use crate::runs::Runs;
use crate::{Connectivity, ON, Plane, View, ViewMut};

/// The union of the components of `mask` that contain a pixel of `seeds`; both are of one size. For masks this is the
/// reconstruction by dilation.
pub fn select(mask: View<'_, u8>, seeds: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, mask.width(), mask.height());
    select_into(mask, seeds, connectivity, result.view_mut(), &mut Runs::default());
    result
}

/// [`select`] into memory that exists.
pub fn select_into(
    mask: View<'_, u8>,
    seeds: View<'_, u8>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut Runs,
) {
    scratch.find_foreground(mask, connectivity);
    scratch.sum_by_row(
        |y, words| bits::pack(seeds.row(y), words),
        |words, run| u64::from(bits::any_set(words, run.start, run.end)),
    );
    scratch.paint(target, |seeds| seeds > 0, ON);
}
