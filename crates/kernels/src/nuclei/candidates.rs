//! What is darker than its surroundings may be a nucleus (t3), if its size allows (t4).

use crate::{Connectivity, Machine, Plane, View, difference_into, fill_holes, filter_area};

/// How much darker pixels are than what surrounds them, and where they are much darker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// `rc` − `rc_recon`.
    pub diff: Plane<u8>,
    /// Where `diff` is above G1, holes filled.
    pub bw1: Plane<u8>,
}

/// Compares darkness with its reconstruction, which is nowhere above it; both are of one size.
pub fn candidates(rc: View<'_, u8>, rc_recon: View<'_, u8>, fill: Connectivity, g1: i64) -> Candidates {
    let (diff, dark) = difference(rc, rc_recon, g1);
    let bw1 = fill_holes(dark.view(), fill);
    Candidates { diff, bw1 }
}

/// How much darker pixels are than what surrounds them, and where that is above G1.
pub(super) fn difference(rc: View<'_, u8>, rc_recon: View<'_, u8>, g1: i64) -> (Plane<u8>, Plane<u8>) {
    let mut diff = Plane::filled(0, rc.width(), rc.height());
    let mut dark = Plane::filled(0, rc.width(), rc.height());
    difference_into(Machine::default(), rc, rc_recon, g1, diff.view_mut(), dark.view_mut());
    (diff, dark)
}

/// The candidates with `min_size <= pixels < max_size`; nothing is left where no candidate is of such a size.
pub fn sized_candidates(bw1: View<'_, u8>, min_size: i64, max_size: i64) -> Plane<u8> {
    filter_area(bw1, min_size, Some(max_size), Connectivity::Eight)
}
