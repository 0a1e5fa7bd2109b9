//! The neighbours of pixels in images without a frame.

use std::ops::Range;

use crate::Connectivity;

/// The neighbours of pixels in some rows of an image.
#[derive(Clone)]
pub(crate) struct Borders {
    width: usize,
    band: Range<usize>,
    offsets: &'static [(isize, isize)],
}

const OFFSETS: [(isize, isize); 8] = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];

impl Borders {
    pub(crate) fn new(width: usize, band: Range<usize>, connectivity: Connectivity) -> Self {
        let neighbours = if connectivity == Connectivity::Eight { 8 } else { 4 };
        Self { width, band, offsets: &OFFSETS[..neighbours] }
    }

    /// Calls `give` for each neighbour inside the image.
    #[inline(always)]
    pub(crate) fn each_around(&self, x: usize, y: usize, mut give: impl FnMut(usize, usize)) {
        // Most pixels are away from the border: one test for all their neighbours.
        let inside = x > 0 && x + 1 < self.width && y > self.band.start && y + 1 < self.band.end;
        for &(dx, dy) in self.offsets {
            let (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            if inside || (x < self.width && self.band.contains(&y)) {
                give(x, y);
            }
        }
    }
}
