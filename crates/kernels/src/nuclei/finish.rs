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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ON;

    /// Two objects of three pixels that touch at a corner.
    fn corner_to_corner() -> Plane<u8> {
        let rows = [[ON, ON, 0, 0], [0, ON, 0, 0], [0, 0, ON, ON], [0, 0, ON, 0]];
        Plane::from_vec(rows.as_flattened().to_vec(), 4, 4).unwrap()
    }

    #[test]
    fn sizes_are_those_of_four_neighbours_and_objects_those_of_eight() {
        let finish = |min, max| finish(corner_to_corner().view(), min, max, Connectivity::Four);
        assert_eq!(finish(3, 4), Finished { mask: corner_to_corner(), objects: 1 });
        assert_eq!(finish(4, 10), Finished { mask: Plane::filled(0, 4, 4), objects: 0 });
        assert_eq!(finish(1, 3).objects, 0);
    }

    #[test]
    fn holes_are_filled_after_sizes_are_taken() {
        let ring = Plane::from_vec(vec![ON, ON, ON, ON, 0, ON, ON, ON, ON], 3, 3).unwrap();
        let full = Finished { mask: Plane::filled(ON, 3, 3), objects: 1 };
        assert_eq!(finish(ring.view(), 8, 9, Connectivity::Eight), full);
    }
}
