//! Marker-controlled watershed on a colour image: labelled regions grow over the smallest colour steps first, and where two
//! meet a line stays between them.

mod buckets;
mod flood;

pub(crate) use buckets::{Buckets, Place};
pub(crate) use flood::{Colours, Flood, WALL, step};

use crate::{Plane, View};

/// The label of a watershed line.
pub const LINE: u32 = u32::MAX;

/// Memory for [`watershed_with`], to be used again.
#[derive(Clone, Debug, Default)]
pub struct WatershedScratch {
    near: Buckets<u32>,
    far: Buckets<usize>,
}

/// Floods `image` from `markers` (0 = to be flooded, other values are labels below 2³² − 3), which has the same size.
///
/// Pixels come out with their label, [`LINE`], or 0 when lines cut them off from every marker. The order of events is that
/// of OpenCV's `watershed` on images padded by one pixel: 256 first-in-first-out buckets, of which the lowest goes first.
/// A pixel waits in the bucket of its largest channel difference to the labelled pixel that found it.
pub fn watershed(image: View<'_, [u8; 3]>, markers: View<'_, u32>) -> Plane<u32> {
    watershed_with(image, markers, Vec::new(), &mut WatershedScratch::default())
}

/// The same in memory of the caller: the labels take over `memory`, whatever is in it.
pub fn watershed_with(
    image: View<'_, [u8; 3]>,
    markers: View<'_, u32>,
    memory: Vec<u32>,
    scratch: &mut WatershedScratch,
) -> Plane<u32> {
    let stride = markers.width() + 2;
    let mut labels = memory;
    frame(markers, stride, &mut labels);
    let image = Unframed::new(image, stride);
    if u32::try_from(labels.len()).is_ok() {
        flood_all(&mut labels, stride, &image, &mut scratch.near);
    } else {
        flood_all(&mut labels, stride, &image, &mut scratch.far);
    }
    unframe(labels, markers.width(), markers.height())
}

fn flood_all<P: Place>(labels: &mut [u32], stride: usize, image: &Unframed<'_>, buckets: &mut Buckets<P>) {
    buckets.fit(labels.len());
    let mut flood = Flood { labels, stride, colours: image, buckets };
    flood.start();
    flood.run(|_| ());
}

/// Closes the diagonal steps of lines inside `mask`, so that what a line parts is not connected by a corner.
///
/// In raster order and in place, a pixel under a line becomes a line where the line goes on at its side.
pub fn repair_lines(labels: &mut Plane<u32>, mask: View<'_, u8>) {
    let width = labels.width();
    let pixels = labels.pixels_mut();
    for y in 1..mask.height() {
        let (above, here) = pixels[(y - 1) * width..(y + 1) * width].split_at_mut(width);
        repair_row(above, here, mask.row(y));
    }
}

/// Repairs one row under another.
pub(crate) fn repair_row(above: &[u32], here: &mut [u32], mask: &[u8]) {
    for (x, &inside) in mask.iter().enumerate() {
        let goes_on = |side: usize| here.get(side) == Some(&LINE) && above[side] != LINE;
        if inside != 0 && above[x] == LINE && (goes_on(x.wrapping_sub(1)) || goes_on(x + 1)) {
            here[x] = LINE;
        }
    }
}

/// The markers with a wall around them.
fn frame(markers: View<'_, u32>, stride: usize, labels: &mut Vec<u32>) {
    labels.clear();
    labels.reserve_exact(stride * (markers.height() + 2));
    labels.resize(stride, WALL);
    for row in markers.rows() {
        labels.push(WALL);
        labels.extend_from_slice(row);
        labels.push(WALL);
    }
    labels.resize(labels.len() + stride, WALL);
}

/// Moves the rows together, in the same memory.
fn unframe(mut labels: Vec<u32>, width: usize, height: usize) -> Plane<u32> {
    let stride = width + 2;
    for y in 0..height {
        let start = (y + 1) * stride + 1;
        labels.copy_within(start..start + width, y * width);
    }
    labels.truncate(width * height);
    Plane::from_vec(labels, width, height).unwrap_or_default()
}

/// An image without a frame, looked at by positions in a frame.
struct Unframed<'a> {
    image: View<'a, [u8; 3]>,
    stride: usize,
    /// 2⁶⁴ over the stride, rounded up: multiplying by it divides positions below 2³² exactly.
    inverse: u128,
}

impl<'a> Unframed<'a> {
    fn new(image: View<'a, [u8; 3]>, stride: usize) -> Self {
        Self { image, stride, inverse: (1u128 << 64) / stride as u128 + 1 }
    }

    fn at(&self, position: usize) -> [u8; 3] {
        let row = match u32::try_from(position) {
            Ok(position) => ((u128::from(position) * self.inverse) >> 64) as usize,
            Err(_) => position / self.stride,
        };
        self.image.row(row - 1)[position - row * self.stride - 1]
    }
}

impl Colours for &Unframed<'_> {
    #[inline(always)]
    fn step(&self, one: usize, other: usize) -> u8 {
        step(self.at(one), self.at(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_places_flood_as_narrow_ones_do() {
        let (width, height) = (37, 23);
        let noise = |at: usize| (at as u32).wrapping_mul(2_654_435_761) >> 20;
        let image: Vec<[u8; 3]> = (0..width * height).map(|at| [noise(at) as u8 % 4; 3]).collect();
        let markers = (0..width * height).map(|at| if noise(at) % 61 == 0 { at as u32 + 1 } else { 0 });
        let markers = Plane::from_vec(markers.collect(), width, height).unwrap();
        let image = View::new(&image, width, height).unwrap();
        let mut labels = Vec::new();
        frame(markers.view(), width + 2, &mut labels);
        let unframed = Unframed::new(image, width + 2);
        flood_all(&mut labels, width + 2, &unframed, &mut Buckets::<usize>::default());
        assert_eq!(unframe(labels, width, height), watershed(image, markers.view()));
    }

    #[test]
    fn positions_are_divided_exactly() {
        for stride in [2usize, 3, 7, 4098, 65_537, (1 << 31) + 1] {
            let inverse = (1u128 << 64) / stride as u128 + 1;
            for position in
                [0, 1, stride - 1, stride, stride + 1, 7 * stride - 1, 7 * stride, u32::MAX as usize]
            {
                let position = position.min(u32::MAX as usize);
                assert_eq!(((position as u128 * inverse) >> 64) as usize, position / stride);
            }
        }
    }
}
