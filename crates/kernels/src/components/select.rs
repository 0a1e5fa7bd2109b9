//! Reconstruction of masks: components that contain a seed.

use crate::bits::{self, Seeds};
use crate::components::runs::Runs;
use crate::{Connectivity, Cpu, Plane, View, ViewMut};

/// The union of the components of `mask` that contain a pixel of `seeds`; both are of one size. For masks this is the
/// reconstruction by dilation.
pub fn select(mask: View<'_, u8>, seeds: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, mask.width(), mask.height());
    select_into(Cpu::default(), mask, seeds, connectivity, result.view_mut(), &mut Runs::default());
    result
}

/// [`select`] into existing memory.
pub fn select_into(
    cpu: Cpu,
    mask: View<'_, u8>,
    seeds: View<'_, u8>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut Runs,
) {
    scratch.spread().write(cpu, connectivity, &SelectionSeeds { mask, seeds }, target);
}

struct SelectionSeeds<'a> {
    mask: View<'a, u8>,
    seeds: View<'a, u8>,
}

impl Seeds for SelectionSeeds<'_> {
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
