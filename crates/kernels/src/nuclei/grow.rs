//! Candidates grow to what is still darker than its surroundings (t5).

use crate::{Connectivity, Element, Machine, Plane, View, above, fill_holes, open, remove, select};

/// The regions with `diff` above G2 that hold a candidate, without red blood cells, holes and hairs; all are of one size.
pub fn grow(diff: View<'_, u8>, bw1_t: View<'_, u8>, rbc: View<'_, u8>, g2: i64) -> Plane<u8> {
    let mut grown = select(above(diff, g2).view(), bw1_t, Connectivity::Eight);
    remove(Machine::default(), grown.view_mut(), rbc);
    let filled = fill_holes(grown.view(), Connectivity::Four);
    open(filled.view(), Element::Cross3)
}
