//! Pixels that wait to rise, the highest first.

use std::ops::Range;

use crate::Connectivity;

/// Stacks of pixels by rank.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    stacks: Vec<Vec<(u32, u32)>>,
    /// No stack from here on holds a pixel.
    end: usize,
}

impl Waiting {
    pub(crate) fn reset(&mut self, ranks: usize) {
        self.stacks.resize(ranks, Vec::new());
        self.clear();
    }

    pub(crate) fn clear(&mut self) {
        self.stacks.iter_mut().for_each(Vec::clear);
        self.end = 0;
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, rank: usize, x: usize, y: usize) {
        self.stacks[rank].push((x as u32, y as u32));
        self.end = self.end.max(rank + 1);
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(usize, usize)> {
        while self.end > 0 {
            if let Some((x, y)) = self.stacks[self.end - 1].pop() {
                return Some((x as usize, y as usize));
            }
            self.end -= 1;
        }
        None
    }
}

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

    /// Gives the neighbours that exist.
    #[inline(always)]
    pub(crate) fn each_around(&self, x: usize, y: usize, mut give: impl FnMut(usize, usize)) {
        for &(dx, dy) in self.offsets {
            let (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            if x < self.width && self.band.contains(&y) {
                give(x, y);
            }
        }
    }
}
