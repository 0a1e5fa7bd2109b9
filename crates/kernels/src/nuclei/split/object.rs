//! One object, or a few, flooded in a window.

use super::outside::Outside;
use super::peaks::Peaks;
use crate::cpu::isa::Isa;
use crate::watershed::{Basin, KEPT};
use crate::{Connectivity, View};

/// Reusable memory for [`split_object`].
#[derive(Clone, Debug, Default)]
pub struct SplitScratch {
    peaks: Peaks,
    outside: Outside,
    basin: Basin,
    lines: Vec<(usize, usize)>,
    /// A window with one group of objects.
    mask: Vec<u8>,
}

/// The pixels, column and row in raster order, where the floods inside `mask` met; `image` and `mask` are of one size.
///
/// To get the result of a larger image, the window must contain each object of the mask with one pixel around it as far as
/// the image goes, and no other object. Without an outside there are no lines.
pub fn split_object<'a>(
    image: View<'_, [u8; 3]>,
    mask: View<'_, u8>,
    connectivity: Connectivity,
    scratch: &'a mut SplitScratch,
) -> &'a [(usize, usize)] {
    scratch.lines.clear();
    if !mask.rows().all(|row| row.iter().all(|inside| *inside != 0)) {
        scratch.mark(image, mask, connectivity);
        if scratch.basin.flood(Isa::best()) {
            scratch.basin.repair_lines(mask, &mut scratch.lines);
        }
    }
    &scratch.lines
}

impl SplitScratch {
    /// Takes the memory for a mask out; [`SplitScratch::put_mask`] returns it.
    pub(super) fn take_mask(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.mask)
    }

    /// Returns the memory for a mask.
    pub(super) fn put_mask(&mut self, mask: Vec<u8>) {
        self.mask = mask;
    }

    /// Labels the outside, which is black, and the peaks.
    fn mark(&mut self, image: View<'_, [u8; 3]>, mask: View<'_, u8>, connectivity: Connectivity) {
        let Self { peaks, outside, basin, .. } = self;
        basin.fit(mask.width(), mask.height());
        let used = outside.label(mask, connectivity, basin.labels_mut());
        peaks.label(Isa::best(), mask, connectivity, used, basin.labels_mut());
        if mask.len() > KEPT {
            *peaks = Peaks::default();
        }
        for (y, (pixels, mask)) in image.rows().zip(mask.rows()).enumerate() {
            basin.paint_inside(y, pixels, mask);
        }
    }
}
