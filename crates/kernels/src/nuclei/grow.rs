//! Candidates grow to what is still darker than its surroundings (t5).

use super::MaskScratch;
use crate::{
    Connectivity, Element, Machine, Plane, View, ViewMut, above_into, fill_holes_into, open_into, remove,
    select_into,
};

/// The regions with `diff` above G2 that hold a candidate, without red blood cells, holes and hairs; all are of one size.
pub fn grow(diff: View<'_, u8>, bw1_t: View<'_, u8>, rbc: View<'_, u8>, g2: i64) -> Plane<u8> {
    let mut grown = Plane::filled(0, diff.width(), diff.height());
    grow_into(Machine::default(), [diff, bw1_t, rbc], g2, grown.view_mut(), &mut MaskScratch::default());
    grown
}

/// [`grow`] into a mask of the same size.
pub fn grow_into(
    machine: Machine,
    [diff, bw1_t, rbc]: [View<'_, u8>; 3],
    g2: i64,
    target: ViewMut<'_, u8>,
    scratch: &mut MaskScratch,
) {
    let MaskScratch { one, other, runs, rows } = scratch;
    let (width, height) = (diff.width(), diff.height());
    above_into(machine, diff, g2, one.fit(width, height));
    select_into(machine, one.view(), bw1_t, Connectivity::Eight, other.fit(width, height), runs);
    remove(machine, other.view_mut(), rbc);
    fill_holes_into(machine, other.view(), Connectivity::Four, one.view_mut(), runs);
    open_into(machine, one.view(), Element::Cross3, target, rows);
}
