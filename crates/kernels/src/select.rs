//! Reconstruction of masks: components that contain a seed.

use crate::bits::{self, Seeds};
use crate::runs::Runs;
use crate::{Connectivity, Machine, Plane, View, ViewMut};

/// The union of the components of `mask` that contain a pixel of `seeds`; both are of one size. For masks this is the
/// reconstruction by dilation.
pub fn select(mask: View<'_, u8>, seeds: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, mask.width(), mask.height());
    select_into(Machine::default(), mask, seeds, connectivity, result.view_mut(), &mut Runs::default());
    result
}

/// [`select`] into memory that exists.
pub fn select_into(
    machine: Machine,
    mask: View<'_, u8>,
    seeds: View<'_, u8>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut Runs,
) {
    scratch.spread().write(machine, connectivity, &Chosen { mask, seeds }, target);
}

struct Chosen<'a> {
    mask: View<'a, u8>,
    seeds: View<'a, u8>,
}

impl Seeds for Chosen<'_> {
    const INSIDE: bool = true;

    #[inline(always)]
    fn open(&self, y: usize, words: &mut [u64]) {
        bits::pack_into(self.mask.row(y), words);
    }

    #[inline(always)]
    fn seed(&self, y: usize, words: &mut [u64]) {
        bits::pack_into(self.seeds.row(y), words);
    }
}
