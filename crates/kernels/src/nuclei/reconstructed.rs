//! Dark tissue with everything smaller than a disk levelled (t2).

use crate::{
    Connectivity, Cpu, GreyScratch, MorphologyScratch, Plane, StructuringElement, View, ViewMut,
    darkness_into, open_into, reconstruct_on,
};

/// How dark the red channel is, and the same without nuclei.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconstructed {
    /// 255 − red.
    pub rc: Plane<u8>,
    /// `rc` without the nuclei: their surroundings continued.
    pub rc_recon: Plane<u8>,
}

/// Opens the darkness of the red channel by a disk, and reconstructs it from there.
pub fn reconstruct(normalized: View<'_, [u8; 3]>, connectivity: Connectivity) -> Reconstructed {
    let mut rc = Plane::filled(0, normalized.width(), normalized.height());
    let mut rc_recon = rc.clone();
    let (targets, scratch) = ((rc.view_mut(), rc_recon.view_mut()), &mut ReconstructScratch::default());
    reconstruct_into(Cpu::default(), normalized, connectivity, targets, scratch);
    Reconstructed { rc, rc_recon }
}

/// Reusable memory for [`reconstruct_into`].
#[derive(Clone, Debug, Default)]
pub struct ReconstructScratch {
    rows: MorphologyScratch,
    grey: Vec<GreyScratch<u8>>,
}

/// [`reconstruct`] into two images of the same size.
pub fn reconstruct_into(
    cpu: Cpu,
    normalized: View<'_, [u8; 3]>,
    connectivity: Connectivity,
    (mut rc, mut rc_recon): (ViewMut<'_, u8>, ViewMut<'_, u8>),
    scratch: &mut ReconstructScratch,
) {
    let ReconstructScratch { rows, grey } = scratch;
    darkness_into(cpu, normalized, rc.reborrow());
    open_into(cpu, rc.view(), StructuringElement::Disk19, rc_recon.reborrow(), rows);
    reconstruct_on(cpu, rc.view(), connectivity, rc_recon, grey);
}

/// How dark the red channel is.
pub(super) fn darkness(normalized: View<'_, [u8; 3]>) -> Plane<u8> {
    let mut dark = Plane::filled(0, normalized.width(), normalized.height());
    darkness_into(Cpu::default(), normalized, dark.view_mut());
    dark
}
