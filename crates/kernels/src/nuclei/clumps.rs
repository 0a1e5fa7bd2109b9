//! Objects that are large enough to be parted (t6, first half).

use super::MaskScratch;
use crate::{Connectivity, Element, Machine, Plane, View, ViewMut, dilate_into, filter_area_into};

/// The objects of at least `min_size_pl` pixels, one pixel thicker.
pub fn clumps(seg_open: View<'_, u8>, min_size_pl: i64) -> Plane<u8> {
    let mut big = Plane::filled(0, seg_open.width(), seg_open.height());
    clumps_into(Machine::default(), seg_open, min_size_pl, big.view_mut(), &mut MaskScratch::default());
    big
}

/// [`clumps`] into a mask of the same size.
pub fn clumps_into(
    machine: Machine,
    seg_open: View<'_, u8>,
    min_size_pl: i64,
    target: ViewMut<'_, u8>,
    scratch: &mut MaskScratch,
) {
    let MaskScratch { one, runs, rows, .. } = scratch;
    let large = one.fit(seg_open.width(), seg_open.height());
    filter_area_into(machine, seg_open, min_size_pl, None, Connectivity::Eight, large, runs);
    dilate_into(machine, one.view(), Element::Cross3, target, rows);
}
