//! Memory that tasks work in.

use crate::runs::Runs;
use crate::{Plane, Scratch};

/// Memory for tasks on masks, to be used again.
#[derive(Clone, Debug, Default)]
pub struct MaskScratch {
    pub(super) one: Plane<u8>,
    pub(super) other: Plane<u8>,
    pub(super) runs: Runs,
    pub(super) rows: Scratch,
}
