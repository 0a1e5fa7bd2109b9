//! The lakes, 4-connected components of pixels to be flooded, one by one: none can reach another.
//!
//! They are searched in bands of rows and flooded while these are in the cache. A lake that may continue below a band is
//! left to the next one, which begins above it.

use std::mem;
use std::ops::Range;

use super::{Basin, WALL, one_pixel};
use crate::cpu::isa::{Isa, versions};
use crate::prefetch;
use crate::{Connectivity, Cpu, ObjectGroups, View, ViewMut, Window};

/// Pixels of a band, and rows that it has at least.
const BAND: usize = 1 << 20;
const ROWS: usize = 64;

/// Pixels of a window that is small enough to be prefetched while another one is flooded.
const AHEAD: usize = 1 << 13;

/// Reusable memory for floods.
#[derive(Clone, Debug, Default)]
pub(super) struct Lakes {
    unlabelled: Vec<u8>,
    lakes: ObjectGroups,
    basin: Basin,
}

/// Whether the image continues above and below some rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    pub(super) top: bool,
    pub(super) bottom: bool,
}

/// How many rows at the top and at the bottom contain lakes that were skipped because they reach an open end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SkippedRows {
    pub(super) top: usize,
    pub(super) bottom: usize,
}

impl Lakes {
    /// Floods the lakes that do not reach an open end. Labels are there already, or are those of the markers.
    pub(super) fn flood(
        &mut self,
        isa: Isa,
        image: View<'_, [u8; 3]>,
        markers: Option<View<'_, u32>>,
        labels: ViewMut<'_, u32>,
        open: Open,
    ) -> SkippedRows {
        let rows = (BAND / labels.width().max(1)).max(ROWS);
        self.flood_bands(isa, image, markers, labels, open, rows)
    }

    fn flood_bands(
        &mut self,
        isa: Isa,
        image: View<'_, [u8; 3]>,
        markers: Option<View<'_, u32>>,
        mut labels: ViewMut<'_, u32>,
        open: Open,
        usual: usize,
    ) -> SkippedRows {
        let height = labels.height();
        // Rows up to here have labels.
        let mut known = if markers.is_some() { 0 } else { height };
        let (mut start, mut length) = (0usize, usual);
        let mut left = SkippedRows::default();
        loop {
            let end = start.saturating_add(length).min(height);
            let ends = Open { top: start > 0 || open.top, bottom: end < height || open.bottom };
            let mut part = rows(&mut labels, start..end);
            let fresh = markers.map(|markers| markers.band(known.min(end)..end));
            flag_unlabelled(isa, fresh, part.reborrow(), &mut self.unlabelled);
            known = known.max(end);
            let band = self.flood_band(isa, image.band(start..end), part, ends);
            // Below an open end, a lake that reaches the top of a band continues in the band above.
            left.top = if band.top > 0 { start + band.top } else { left.top };
            if end == height {
                return SkippedRows { bottom: band.bottom, ..left };
            }
            // The next band begins one row above the highest lake that is left.
            match (end - band.bottom).saturating_sub(1) {
                next if next > start => (start, length) = (next, usual),
                // A lake is as high as the band.
                _ => length = length.saturating_mul(8),
            }
        }
    }

    fn flood_band(
        &mut self,
        isa: Isa,
        image: View<'_, [u8; 3]>,
        mut labels: ViewMut<'_, u32>,
        open: Open,
    ) -> SkippedRows {
        let height = labels.height();
        let mut left = SkippedRows::default();
        let Some(mask) = View::new(&self.unlabelled, labels.width(), height) else { return left };
        // Taken while the basin is filled; what it holds is used again for the next band.
        let mut lakes = mem::take(&mut self.lakes);
        lakes.find(Cpu { isa, ..Cpu::one_thread() }, mask, Connectivity::Four);
        for lake in 0..lakes.len() {
            let Range { start: first, end } = lakes.vertical(lake);
            let last = end - 1;
            if open.top && first == 0 {
                left.top = left.top.max(last + 1);
            } else if open.bottom && last + 1 == height {
                left.bottom = left.bottom.max(height - first);
            } else {
                if lake + 1 < lakes.len() {
                    bring(image, labels.view(), lakes.window(lake + 1));
                }
                self.flood_lake(isa, image, &mut labels, &lakes, lake);
            }
        }
        self.lakes = lakes;
        left
    }

    fn flood_lake(
        &mut self,
        isa: Isa,
        image: View<'_, [u8; 3]>,
        labels: &mut ViewMut<'_, u32>,
        lakes: &ObjectGroups,
        lake: usize,
    ) {
        let (basin, window) = (&mut self.basin, lakes.window(lake));
        if lakes.area(lake) == 1 {
            return lakes.each_row(lake, |y, columns| one_pixel(labels, columns.start, y));
        }
        fill(isa, basin, window.of(image), window.of(labels.view()));
        lakes.each_row(lake, |y, columns| {
            basin.row_mut(y - window.top)[columns.start - window.left..columns.end - window.left].fill(0);
        });
        basin.flood(isa);
        lakes.each_row(lake, |y, columns| {
            let flooded = columns.start - window.left..columns.end - window.left;
            labels.row_mut(y)[columns].copy_from_slice(&basin.row_mut(y - window.top)[flooded]);
        });
    }
}

fn rows<'a>(labels: &'a mut ViewMut<'_, u32>, rows: Range<usize>) -> ViewMut<'a, u32> {
    labels.reborrow().split_at_row(rows.start).1.split_at_row(rows.len()).0
}

versions! {
    /// 1 where there is no label; the last rows may be `fresh` markers, which become labels.
    fn flag_unlabelled(fresh: Option<View<'_, u32>>, labels: ViewMut<'_, u32>, flags: &mut Vec<u8>) {
        let mut labels = labels;
        let (width, height) = (labels.width(), labels.height());
        flags.resize(width * height, 0);
        let known = height - fresh.map_or(0, |markers| markers.height());
        for (y, flags) in flags.chunks_exact_mut(width.max(1)).enumerate() {
            let row = labels.row_mut(y);
            if let Some(markers) = fresh.filter(|_| y >= known) {
                row.copy_from_slice(markers.row(y - known));
            }
            flags.iter_mut().zip(&*row).for_each(|(flag, label)| *flag = u8::from(*label == 0));
        }
    }
}

/// Prefetches the rows of a window while another one is flooded.
fn bring(image: View<'_, [u8; 3]>, labels: View<'_, u32>, window: Window) {
    const LINE: usize = 64;
    if window.len() > AHEAD {
        return;
    }
    for (pixels, labels) in window.of(image).rows().zip(window.of(labels).rows()) {
        let bytes = pixels.as_flattened();
        (0..bytes.len() + LINE).step_by(LINE).for_each(|at| prefetch(bytes, at.min(bytes.len() - 1)));
        (0..labels.len() + LINE / 4)
            .step_by(LINE / 4)
            .for_each(|at| prefetch(labels, at.min(labels.len() - 1)));
    }
}

versions! {
    /// Copies a window; other lakes in it become walls, since they cannot be reached.
    fn fill(basin: &mut Basin, image: View<'_, [u8; 3]>, labels: View<'_, u32>) {
        basin.fit(labels.width(), labels.height());
        for (y, (pixels, labels)) in image.rows().zip(labels.rows()).enumerate() {
            basin.paint(y, pixels);
            for (target, label) in basin.row_mut(y).iter_mut().zip(labels) {
                *target = if *label == 0 { WALL } else { *label };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plane;
    use proptest::prelude::*;

    const CLOSED: Open = Open { top: false, bottom: false };

    fn check(image: &Plane<[u8; 3]>, markers: &Plane<u32>) {
        let mut expected = markers.clone();
        Lakes::default().flood_bands(
            Isa::PORTABLE,
            image.view(),
            None,
            expected.view_mut(),
            CLOSED,
            usize::MAX,
        );
        for (isa, rows) in
            Isa::available().into_iter().flat_map(|isa| [1, 2, 3, 7, 16].map(|rows| (isa, rows)))
        {
            let (mut found, mut made) =
                (markers.clone(), Plane::filled(7, markers.width(), markers.height()));
            Lakes::default().flood_bands(isa, image.view(), None, found.view_mut(), CLOSED, rows);
            assert!(found == expected, "{} in bands of {rows} rows", isa.word());
            let markers = Some(markers.view());
            Lakes::default().flood_bands(isa, image.view(), markers, made.view_mut(), CLOSED, rows);
            assert!(made == expected, "{} from markers in bands of {rows} rows", isa.word());
        }
    }

    fn noise(at: usize, seed: u32) -> u32 {
        ((at as u32).wrapping_mul(2_654_435_761) ^ seed).wrapping_mul(2_246_822_519) >> 13
    }

    fn check_shape(width: usize, height: usize, seed: u32, lake: impl Fn(usize, usize) -> bool) {
        let image =
            (0..width * height).map(|at| [0, 1, 2].map(|c| noise(3 * at + c, seed) as u8 % 9)).collect();
        let labels = (0..width * height).map(|at| match lake(at % width, at / width) {
            true if !noise(at, seed).is_multiple_of(50) => 0,
            _ => 1 + noise(at, !seed) % 3,
        });
        let labels = Plane::from_vec(labels.collect(), width, height).unwrap();
        check(&Plane::from_vec(image, width, height).unwrap(), &labels);
    }

    #[test]
    fn lakes_higher_than_bands() {
        check_shape(40, 61, 1, |_, _| true);
        check_shape(41, 60, 2, |x, y| x % 2 == 0 || y == 59);
        check_shape(41, 60, 3, |x, y| x % 2 == 0 || y == 0);
        check_shape(30, 50, 4, |x, y| (x + y) % 2 == 0);
        check_shape(64, 64, 5, |x, y| (x + y) % 17 < 2);
        check_shape(1, 70, 6, |_, y| y % 9 > 0);
        check_shape(70, 1, 7, |x, _| x % 9 > 0);
        let ring = |x: usize, y: usize| x.min(y).min(52 - x).min(52 - y);
        check_shape(53, 53, 8, |x, y| (ring(x, y) % 2 == 0) != (x == ring(x, y) && y == ring(x, y) + 1));
    }

    proptest! {
        #[test]
        fn bands_make_no_difference((width, height) in (1usize..30, 1usize..60), seed in any::<u32>(), share in 1u32..20) {
            check_shape(width, height, seed, |x, y| noise(y / 3 * 100 + x / 3, seed ^ 77) % 20 < share);
        }
    }
}
