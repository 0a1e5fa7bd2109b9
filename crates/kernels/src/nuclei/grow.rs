//! Candidates grow to what is still darker than its surroundings (t5).

use super::threshold::above;
use crate::{Connectivity, Element, Plane, View, fill_holes, open, select};

/// The regions with `diff` above G2 that hold a candidate, without red blood cells, holes and hairs; all are of one size.
pub fn grow(diff: View<'_, u8>, bw1_t: View<'_, u8>, rbc: View<'_, u8>, g2: i64) -> Plane<u8> {
    let mut grown = select(above(diff, g2).view(), bw1_t, Connectivity::Eight);
    remove(&mut grown, rbc);
    let filled = fill_holes(grown.view(), Connectivity::Four);
    open(filled.view(), Element::Cross3)
}

/// Takes the pixels of another mask away.
pub(super) fn remove(mask: &mut Plane<u8>, other: View<'_, u8>) {
    for (row, other) in mask.pixels_mut().chunks_exact_mut(other.width().max(1)).zip(other.rows()) {
        row.iter_mut().zip(other).for_each(|(pixel, other)| *pixel &= !other);
    }
}
