//! Candidates for nuclei: regions darker than their surroundings (t3) of a suitable size (t4).

use super::MaskScratch;
use crate::{Connectivity, Cpu, Plane, View, ViewMut, difference_into, fill_holes_into, filter_area};

/// How much darker pixels are than what surrounds them, and where they are much darker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// `rc` − `rc_recon`.
    pub diff: Plane<u8>,
    /// Where `diff` is above G1, holes filled.
    pub bw1: Plane<u8>,
}

/// Compares darkness with its reconstruction, which is nowhere larger; both have the same size.
pub fn candidates(rc: View<'_, u8>, rc_recon: View<'_, u8>, fill: Connectivity, g1: i64) -> Candidates {
    let mut diff = Plane::filled(0, rc.width(), rc.height());
    let mut bw1 = diff.clone();
    let targets = (diff.view_mut(), bw1.view_mut());
    candidates_into(Cpu::default(), [rc, rc_recon], fill, g1, targets, &mut MaskScratch::default());
    Candidates { diff, bw1 }
}

/// [`candidates`] into two images of the same size.
pub fn candidates_into(
    cpu: Cpu,
    [rc, rc_recon]: [View<'_, u8>; 2],
    fill: Connectivity,
    g1: i64,
    (diff, bw1): (ViewMut<'_, u8>, ViewMut<'_, u8>),
    scratch: &mut MaskScratch,
) {
    let MaskScratch { one, runs, .. } = scratch;
    difference_into(cpu, rc, rc_recon, g1, diff, one.fit(rc.width(), rc.height()));
    fill_holes_into(cpu, one.view(), fill, bw1, runs);
}

/// How much darker pixels are than what surrounds them, and where that is above G1.
pub(super) fn difference(rc: View<'_, u8>, rc_recon: View<'_, u8>, g1: i64) -> (Plane<u8>, Plane<u8>) {
    let mut diff = Plane::filled(0, rc.width(), rc.height());
    let mut dark = Plane::filled(0, rc.width(), rc.height());
    difference_into(Cpu::default(), rc, rc_recon, g1, diff.view_mut(), dark.view_mut());
    (diff, dark)
}

/// The candidates with `min_size <= pixels < max_size`; empty when no candidate has such a size.
pub fn sized_candidates(bw1: View<'_, u8>, min_size: i64, max_size: i64) -> Plane<u8> {
    filter_area(bw1, min_size, Some(max_size), Connectivity::Eight)
}
