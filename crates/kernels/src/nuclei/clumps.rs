//! Objects that are large enough to be split (t6, first half).

use super::MaskScratch;
use crate::bits::{Mask, dilate_cross};
use crate::components::is_within;
use crate::{Connectivity, Cpu, Plane, View, ViewMut};

/// The objects of at least `min_size_pl` pixels, one pixel thicker.
pub fn clumps(seg_open: View<'_, u8>, min_size_pl: i64) -> Plane<u8> {
    let mut scratch = MaskScratch::default();
    clumps_bits(Cpu::default(), seg_open.into(), min_size_pl, &mut scratch);
    scratch.result.to_plane()
}

/// [`clumps`] into a mask of the same size.
pub fn clumps_into(
    cpu: Cpu,
    seg_open: View<'_, u8>,
    min_size_pl: i64,
    target: ViewMut<'_, u8>,
    scratch: &mut MaskScratch,
) {
    clumps_bits(cpu, seg_open.into(), min_size_pl, scratch);
    scratch.result.show(cpu, target);
}

/// [`clumps`] as bits, which stay in the scratch.
pub fn clumps_bits(cpu: Cpu, seg_open: Mask<'_>, min_size_pl: i64, scratch: &mut MaskScratch) {
    let MaskScratch { runs, bits, result, .. } = scratch;
    let (width, height) = (seg_open.width(), seg_open.height());
    let large = |area: u64| is_within(area, min_size_pl, None);
    runs.keep(cpu, seg_open, Connectivity::Eight, large, bits.fit(width, height));
    dilate_cross(cpu, bits.view(), result.fit(width, height));
}
