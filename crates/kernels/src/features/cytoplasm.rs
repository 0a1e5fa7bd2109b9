//! The ring around a nucleus that is taken as its cytoplasm.

use super::runs::{PixelSpan, append_runs};
use crate::View;

/// Width of the ring in pixels.
pub(crate) const RADIUS: usize = 8;

/// Half the width of the disk, without its centre, by the distance of a row from its centre: ⌊√(8² − y²)⌋.
const HALF_WIDTHS: [usize; RADIUS + 1] = [8, 7, 7, 7, 6, 6, 5, 3, 0];

/// The ring of a nucleus, in memory reused for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct CytoplasmRing {
    mask: Vec<u8>,
    /// Its pixels in coordinates of the window.
    pub(crate) runs: Vec<PixelSpan>,
}

impl CytoplasmRing {
    /// Finds the pixels of a window that the disk reaches from the runs of a nucleus, and that are in no nucleus. The
    /// runs count from `left` and `top` in the window.
    pub(crate) fn mark(&mut self, runs: &[PixelSpan], (left, top): (usize, usize), labels: View<'_, u32>) {
        let (width, height) = (labels.width(), labels.height());
        self.mask.clear();
        self.mask.resize(width * height, 0);
        for run in runs {
            let (y, start, end) = (top + run.y, left + run.start, left + run.end);
            for row in y.saturating_sub(RADIUS)..(y + RADIUS + 1).min(height) {
                let half = HALF_WIDTHS[row.abs_diff(y)];
                let (start, end) = (start.saturating_sub(half), (end + half).min(width));
                self.mask[row * width + start..row * width + end].fill(1);
            }
        }
        self.runs.clear();
        for (y, (ring, labels)) in self.mask.chunks_exact_mut(width.max(1)).zip(labels.rows()).enumerate() {
            ring.iter_mut().zip(labels).for_each(|(pixel, label)| *pixel &= u8::from(*label == 0));
            append_runs(&mut self.runs, ring, y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pixel_has_a_disk_around_it_without_the_neighbours() {
        let mut labels = vec![0; 20 * 20];
        (labels[10 * 20 + 10], labels[10 * 20 + 12]) = (1, 2);
        let mut ring = CytoplasmRing::default();
        let runs = [PixelSpan { y: 0, start: 0, end: 1 }];
        ring.mark(&runs, (10, 10), View::new(&labels, 20, 20).unwrap());
        for (position, pixel) in ring.mask.iter().enumerate() {
            let (x, y) = (position as i64 % 20 - 10, position as i64 / 20 - 10);
            let inside = x * x + y * y <= 64 && labels[position] == 0;
            assert_eq!(*pixel == 1, inside, "{x} {y}");
        }
        let area: usize = ring.runs.iter().map(|run| run.end - run.start).sum();
        assert_eq!(area, 197 - 2);
    }
}
