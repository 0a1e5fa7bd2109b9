//! Dark tissue with everything smaller than a disk levelled (t2).

use crate::{Connectivity, Element, Machine, Plane, View, darkness_into, open};

/// How dark the red channel is, and the same without nuclei.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconstructed {
    /// 255 − red.
    pub rc: Plane<u8>,
    /// What `rc` is around the nuclei.
    pub rc_recon: Plane<u8>,
}

/// Opens the darkness of the red channel by a disk, and reconstructs it from there.
pub fn reconstruct(normalized: View<'_, [u8; 3]>, connectivity: Connectivity) -> Reconstructed {
    let rc = darkness(normalized);
    let opened = open(rc.view(), Element::Disk19);
    let rc_recon = crate::reconstruct(opened.view(), rc.view(), connectivity);
    Reconstructed { rc, rc_recon }
}

/// How dark the red channel is.
pub(super) fn darkness(normalized: View<'_, [u8; 3]>) -> Plane<u8> {
    let mut dark = Plane::filled(0, normalized.width(), normalized.height());
    darkness_into(Machine::default(), normalized, dark.view_mut());
    dark
}
