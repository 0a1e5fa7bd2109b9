//! The final filter by size (t7).

use std::ops::Range;

use super::MaskScratch;
use crate::bits::{self, Mask, MaskTarget};
use crate::components::is_within;
use crate::components::outside;
use crate::{Connectivity, Cpu, Plane, View, ViewMut};

/// A mask of nuclei and how many they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NucleiMask {
    /// The nuclei; empty when no object is of the right size.
    pub mask: Plane<u8>,
    /// Number of 8-connected components of the mask.
    pub objects: usize,
}

/// Keeps the objects with `min_size <= pixels < max_size` and fills their holes.
///
/// Each 8-connected component can be finished on its own, in a window with one pixel around it as far as the image goes:
/// the boundary of a hole is connected, so that the union of their masks is the mask of all.
pub fn finish(seg_nonoverlap: View<'_, u8>, min_size: i64, max_size: i64, fill: Connectivity) -> NucleiMask {
    finish_with(seg_nonoverlap, min_size, max_size, fill, &mut MaskScratch::default())
}

/// [`finish`] with reused memory.
pub fn finish_with(
    seg_nonoverlap: View<'_, u8>,
    min_size: i64,
    max_size: i64,
    fill: Connectivity,
    scratch: &mut MaskScratch,
) -> NucleiMask {
    let mut mask = Plane::filled(0, seg_nonoverlap.width(), seg_nonoverlap.height());
    let sizes = min_size..max_size;
    let objects = finish_into(Cpu::default(), seg_nonoverlap, sizes, fill, mask.view_mut(), scratch);
    NucleiMask { mask, objects }
}

/// [`finish`] into a mask of the same size; returns the number of objects.
pub fn finish_into(
    cpu: Cpu,
    seg_nonoverlap: View<'_, u8>,
    sizes: Range<i64>,
    fill: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut MaskScratch,
) -> usize {
    finish_bits(cpu, seg_nonoverlap.into(), sizes, fill, scratch);
    let MaskScratch { runs, result, .. } = scratch;
    result.show(cpu, target);
    runs.count(cpu, (&*result).into(), Connectivity::Eight)
}

/// [`finish_into`] without counting the objects.
pub fn finish_mask(
    seg_nonoverlap: View<'_, u8>,
    min_size: i64,
    max_size: i64,
    fill: Connectivity,
) -> Plane<u8> {
    let (sizes, mut scratch) = (min_size..max_size, MaskScratch::default());
    finish_bits(Cpu::default(), seg_nonoverlap.into(), sizes, fill, &mut scratch);
    scratch.result.to_plane()
}

/// [`finish_mask`] as bits, which stay in the scratch.
pub fn finish_bits(
    cpu: Cpu,
    seg_nonoverlap: Mask<'_>,
    sizes: Range<i64>,
    fill: Connectivity,
    scratch: &mut MaskScratch,
) {
    let MaskScratch { runs, bits, result, .. } = scratch;
    let (width, height) = (seg_nonoverlap.width(), seg_nonoverlap.height());
    let fits = |area: u64| is_within(area, sizes.start, Some(sizes.end));
    runs.keep(cpu, seg_nonoverlap, Connectivity::Four, fits, bits.fit(width, height));
    let outside = outside(cpu, bits.view(), fill, runs.spread());
    let mut rows = result.fit(width, height);
    for y in 0..height {
        rows.put(y, outside.row(y));
        bits::invert(rows.row_mut(y), width);
    }
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
        assert_eq!(finish(3, 4), NucleiMask { mask: corner_to_corner(), objects: 1 });
        assert_eq!(finish(4, 10), NucleiMask { mask: Plane::filled(0, 4, 4), objects: 0 });
        assert_eq!(finish(1, 3).objects, 0);
    }

    #[test]
    fn holes_are_filled_after_sizes_are_taken() {
        let ring = Plane::from_vec(vec![ON, ON, ON, ON, 0, ON, ON, ON, ON], 3, 3).unwrap();
        let full = NucleiMask { mask: Plane::filled(ON, 3, 3), objects: 1 };
        assert_eq!(finish(ring.view(), 8, 9, Connectivity::Eight), full);
        assert_eq!(finish_mask(ring.view(), 8, 9, Connectivity::Eight), full.mask);
    }
}
