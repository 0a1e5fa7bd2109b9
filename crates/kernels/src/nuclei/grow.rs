//! Candidates grow to the regions around them that are darker than their surroundings (t5).

use std::ops::Range;

use super::MaskScratch;
use crate::bits::{self, BitsMut, BitsView, Mask, Seeds, beyond_cross, dilate_cross};
use crate::components::outside;
use crate::cpu::isa::versions;
use crate::pixelwise::least_above;
use crate::{Connectivity, Cpu, Plane, View, ViewMut};

/// The regions with `diff` above G2 that hold a candidate, without red blood cells, holes and hairs; all are of one size.
pub fn grow(diff: View<'_, u8>, bw1_t: View<'_, u8>, rbc: View<'_, u8>, g2: i64) -> Plane<u8> {
    let mut scratch = MaskScratch::default();
    grow_bits(Cpu::default(), diff, [bw1_t, rbc].map(Mask::from), g2, &mut scratch);
    scratch.result.to_plane()
}

/// [`grow`] into a mask of the same size.
pub fn grow_into(
    cpu: Cpu,
    [diff, bw1_t, rbc]: [View<'_, u8>; 3],
    g2: i64,
    target: ViewMut<'_, u8>,
    scratch: &mut MaskScratch,
) {
    grow_bits(cpu, diff, [bw1_t, rbc].map(Mask::from), g2, scratch);
    scratch.result.show(cpu, target);
}

/// [`grow`] as bits, which stay in the scratch: all steps from the threshold to the opening work on bits.
pub fn grow_bits(
    cpu: Cpu,
    diff: View<'_, u8>,
    [bw1_t, rbc]: [Mask<'_>; 2],
    g2: i64,
    scratch: &mut MaskScratch,
) {
    let MaskScratch { runs, bits, result, .. } = scratch;
    let (width, height) = (diff.width(), diff.height());
    let (grown, spread) = (Grown { diff, least: least_above(g2), seeds: bw1_t }, runs.spread());
    let reached = spread.reach(cpu, Connectivity::Eight, &grown, (width, height));
    cpu.write(bits.fit(width, height), &mut Vec::new(), |rows, mut band, (): &mut ()| {
        without_rows(cpu.isa, reached, rbc, rows, &mut band);
    });
    let outside = outside(cpu, bits.view(), Connectivity::Four, spread);
    // The complement of the dilated outside is the filled mask, eroded.
    beyond_cross(cpu, outside, bits.fit(width, height));
    dilate_cross(cpu, bits.view(), result.fit(width, height));
}

/// Grows from seeds where the difference is large enough.
struct Grown<'a> {
    diff: View<'a, u8>,
    least: u16,
    seeds: Mask<'a>,
}

impl Seeds for Grown<'_> {
    const INSIDE: bool = true;

    #[inline(always)]
    fn open(&self, y: usize, words: &mut [u64]) {
        match u8::try_from(self.least) {
            Ok(0) => {
                words.fill(0);
                bits::invert(words, self.diff.width());
            }
            Ok(least) => bits::pack_where(self.diff.row(y), |pixel| pixel >= least, words),
            Err(_) => words.fill(0),
        }
    }

    #[inline(always)]
    fn seed(&self, y: usize, words: &mut [u64]) {
        self.seeds.write(y, words);
    }
}

versions! {
    /// Rows of a mask without those of another.
    fn without_rows(mask: BitsView<'_>, other: Mask<'_>, rows: Range<usize>, target: &mut BitsMut<'_>) {
        for (at, y) in rows.enumerate() {
            let row = target.row_mut(at);
            other.write(y, row);
            row.iter_mut().zip(mask.row(y)).for_each(|(word, mask)| *word = mask & !*word);
        }
    }
}
