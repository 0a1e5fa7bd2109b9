//! Memory of tasks on masks.

use crate::Plane;
use crate::Runs;
use crate::bits::Bits;

/// Reusable memory for tasks on masks.
#[derive(Clone, Debug, Default)]
pub struct MaskScratch {
    pub(super) one: Plane<u8>,
    pub(super) other: Plane<u8>,
    pub(super) runs: Runs,
    /// The intermediate mask.
    pub(super) bits: Bits,
    /// The result.
    pub(super) result: Bits,
}

impl MaskScratch {
    /// The mask that [`super::grow_bits`], [`super::clumps_bits`] or [`super::finish_bits`] made last.
    pub fn into_result(self) -> Bits {
        self.result
    }
}
