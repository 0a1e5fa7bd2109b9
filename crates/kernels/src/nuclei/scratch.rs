//! Memory that tasks work in.

use crate::bits::Bits;
use crate::runs::Runs;
use crate::{Plane, Shape};

/// Memory for tasks on masks, to be used again.
#[derive(Clone, Debug, Default)]
pub struct MaskScratch {
    pub(super) one: Plane<u8>,
    pub(super) other: Plane<u8>,
    pub(super) runs: Runs,
    /// What is on its way to the result.
    pub(super) bits: Bits,
    /// The result.
    pub(super) result: Bits,
}

impl MaskScratch {
    /// A digest of the mask that [`super::grow_into`], [`super::clumps_into`] or [`super::finish_mask_into`] wrote last,
    /// from its bits: there are eight times fewer of them than bytes, and they are in the cache still.
    pub fn digest(&self) -> Shape {
        let mask = self.result.view();
        Shape::default().and(&[mask.width() as u64, mask.height() as u64]).and(self.result.words())
    }

    /// Whether any pixel of that mask is set.
    pub fn is_any(&self) -> bool {
        self.result.words().iter().any(|word| *word != 0)
    }
}
