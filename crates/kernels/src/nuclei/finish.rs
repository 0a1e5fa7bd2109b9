//! Objects of a nucleus's size are the result (t7).

use crate::runs::Runs;
use crate::{Connectivity, Plane, View, fill_holes, filter_area};

/// A mask of nuclei and how many they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The nuclei; empty when no object is of the right size.
    pub mask: Plane<u8>,
    /// Number of 8-connected components of the mask.
    pub objects: usize,
}

/// Keeps the objects with `min_size <= pixels < max_size` and fills their holes.
pub fn finish(seg_nonoverlap: View<'_, u8>, min_size: i64, max_size: i64, fill: Connectivity) -> Finished {
    let kept = filter_area(seg_nonoverlap, min_size, Some(max_size), Connectivity::Four);
    let mask = fill_holes(kept.view(), fill);
    let objects = Runs::of_foreground(mask.view(), Connectivity::Eight).components();
    Finished { mask, objects }
}
