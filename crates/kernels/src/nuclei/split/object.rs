//! One object, or a few, flooded in a window.

use super::outside::Outside;
use super::peaks::Peaks;
use crate::isa::Isa;
use crate::watershed::{Buckets, Colours, Flood, Place, WALL, repair_row};
use crate::{Connectivity, LINE, View};

/// Memory for [`split_object`], to be used again.
#[derive(Clone, Debug, Default)]
pub struct SplitScratch {
    peaks: Peaks,
    outside: Outside,
    labels: Vec<u32>,
    colours: Vec<u32>,
    near: Buckets<u32>,
    far: Buckets<usize>,
    lines: Vec<(usize, usize)>,
}

/// The pixels, column and row in raster order, where the floods inside `mask` met; `image` and `mask` are of one size.
///
/// What they show is all there is: for the result in a larger image the window holds each object of the mask with one
/// pixel around it as far as the image goes, and no other object. Without an outside there are no lines.
pub fn split_object<'a>(
    image: View<'_, [u8; 3]>,
    mask: View<'_, u8>,
    connectivity: Connectivity,
    scratch: &'a mut SplitScratch,
) -> &'a [(usize, usize)] {
    scratch.lines.clear();
    if !mask.rows().all(|row| row.iter().all(|inside| *inside != 0)) {
        scratch.mark(image, mask, connectivity);
        scratch.flood(mask);
    }
    &scratch.lines
}

impl SplitScratch {
    /// Labels the outside and the peaks, in a frame of wall; packs the colours likewise.
    fn mark(&mut self, image: View<'_, [u8; 3]>, mask: View<'_, u8>, connectivity: Connectivity) {
        let stride = mask.width() + 2;
        let length = stride * (mask.height() + 2);
        self.labels.clear();
        self.labels.resize(length, WALL);
        self.colours.resize(self.colours.len().max(length), 0);
        let used = self.outside.label(mask, connectivity, &mut self.labels);
        self.peaks.label(Isa::best(), mask, connectivity, used, &mut self.labels);
        for (y, (pixels, mask)) in image.rows().zip(mask.rows()).enumerate() {
            let row = &mut self.colours[(y + 1) * stride + 1..][..mask.len()];
            for ((packed, pixel), inside) in row.iter_mut().zip(pixels).zip(mask) {
                *packed = if *inside == 0 { 0 } else { pack(*pixel) };
            }
        }
    }

    fn flood(&mut self, mask: View<'_, u8>) {
        let met = if u32::try_from(self.labels.len()).is_ok() {
            flood(&mut self.labels, &self.colours, mask.width() + 2, &mut self.near)
        } else {
            flood(&mut self.labels, &self.colours, mask.width() + 2, &mut self.far)
        };
        if met {
            self.collect_lines(mask);
        }
    }

    /// Repairs the lines row by row, and keeps them.
    fn collect_lines(&mut self, mask: View<'_, u8>) {
        let stride = mask.width() + 2;
        for (y, inside) in mask.rows().enumerate() {
            let (above, here) = self.labels[y * stride + 1..].split_at_mut(stride);
            let (above, here) = (&above[..inside.len()], &mut here[..inside.len()]);
            repair_row(above, here, inside);
            let lines = here.iter().enumerate().filter(|(_, label)| **label == LINE);
            self.lines.extend(lines.map(|(x, _)| (x, y)));
        }
    }
}

/// Whether floods met anywhere.
fn flood<P: Place>(labels: &mut [u32], colours: &[u32], stride: usize, buckets: &mut Buckets<P>) -> bool {
    buckets.fit(labels.len());
    let mut flood = Flood { labels, stride, colours: Packed(colours), buckets };
    let mut met = false;
    flood.start();
    flood.run(|_| met = true);
    met
}

/// Colours of 32 bits, the highest eight unused.
struct Packed<'a>(&'a [u32]);

fn pack([red, green, blue]: [u8; 3]) -> u32 {
    u32::from_le_bytes([red, green, blue, 0])
}

impl Colours for Packed<'_> {
    #[inline(always)]
    fn step(&self, one: usize, other: usize) -> u8 {
        let (one, other) = (self.0[one].to_le_bytes(), self.0[other].to_le_bytes());
        one[0].abs_diff(other[0]).max(one[1].abs_diff(other[1])).max(one[2].abs_diff(other[2]))
    }
}
