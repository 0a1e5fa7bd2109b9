//! Objects that are large enough to be parted (t6, first half).

use crate::{Connectivity, Element, Plane, View, dilate, filter_area};

/// The objects of at least `min_size_pl` pixels, one pixel thicker.
pub fn clumps(seg_open: View<'_, u8>, min_size_pl: i64) -> Plane<u8> {
    let large = filter_area(seg_open, min_size_pl, None, Connectivity::Eight);
    dilate(large.view(), Element::Cross3)
}
