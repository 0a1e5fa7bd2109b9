//! Memory that tasks work in.

use crate::Plane;
use crate::bits::Bits;
use crate::runs::Runs;

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
    /// The mask that [`super::grow_bits`], [`super::clumps_bits`] or [`super::finish_bits`] made last.
    pub fn into_result(self) -> Bits {
        self.result
    }
}
