//! Marker-controlled watershed on a colour image: labelled regions grow over the smallest colour steps first, and where two
//! meet a line stays between them.

mod basin;
mod buckets;
mod flood;

pub(crate) use basin::Basin;

use crate::{Connectivity, Groups, Isa, Plane, View, ViewMut, Window};

/// The label of a watershed line.
pub const LINE: u32 = u32::MAX;

/// A pixel that waits in a bucket.
const QUEUED: u32 = u32::MAX - 1;

/// The frame around the image: it is never labelled and never looks like a neighbour's label.
const WALL: u32 = u32::MAX - 2;

/// Memory for [`watershed_into`], to be used again.
#[derive(Clone, Debug, Default)]
pub struct WatershedScratch {
    unlabelled: Vec<u8>,
    basin: Basin,
}

/// Floods `image` from `markers` (0 = to be flooded, other values are labels below 2³² − 3), which has the same size.
///
/// Pixels come out with their label, [`LINE`], or 0 when lines cut them off from every marker. The order of events is that
/// of OpenCV's `watershed` on images padded by one pixel: 256 first-in-first-out buckets, of which the lowest goes first.
/// A pixel waits in the bucket of its largest channel difference to the labelled pixel that found it.
pub fn watershed(image: View<'_, [u8; 3]>, markers: View<'_, u32>) -> Plane<u32> {
    let mut labels = markers.to_plane();
    watershed_into(image, labels.view_mut(), &mut WatershedScratch::default());
    labels
}

/// The same where the markers are: what is 0 is flooded.
///
/// The 4-connected components of what is to be flooded go one after the other: none can reach another, and buckets keep
/// the order of events of each, so that the result is the same and what is looked at lies close together.
pub fn watershed_into(image: View<'_, [u8; 3]>, labels: ViewMut<'_, u32>, scratch: &mut WatershedScratch) {
    let mut labels = labels;
    let WatershedScratch { unlabelled, basin } = scratch;
    let lakes = lakes(labels.view(), unlabelled);
    for lake in 0..lakes.len() {
        let window = lakes.window(lake);
        fill(basin, image, &labels, window);
        for (y, columns) in lakes.rows(lake) {
            basin.row_mut(y - window.top)[columns.start - window.left..columns.end - window.left].fill(0);
        }
        basin.flood(Isa::best());
        for (y, columns) in lakes.rows(lake) {
            let flooded = &basin.row(y - window.top)[columns.start - window.left..columns.end - window.left];
            labels.row_mut(y)[columns].copy_from_slice(flooded);
        }
    }
}

/// What is to be flooded.
fn lakes(labels: View<'_, u32>, mask: &mut Vec<u8>) -> Groups {
    mask.clear();
    for row in labels.rows() {
        mask.extend(row.iter().map(|label| u8::from(*label == 0)));
    }
    let mask = View::new(mask, labels.width(), labels.height());
    mask.map_or_else(Groups::default, |mask| Groups::of(mask, Connectivity::Four))
}

/// Copies the window; other lakes in it become walls, which they are for those who cannot reach them.
fn fill(basin: &mut Basin, image: View<'_, [u8; 3]>, labels: &ViewMut<'_, u32>, window: Window) {
    basin.fit(window.width, window.height);
    let (image, labels) = (window.of(image), window.of(labels.view()));
    for (y, (pixels, labels)) in image.rows().zip(labels.rows()).enumerate() {
        basin.paint(y, pixels);
        for (target, label) in basin.row_mut(y).iter_mut().zip(labels) {
            *target = if *label == 0 { WALL } else { *label };
        }
    }
}

/// Closes the diagonal steps of lines inside `mask`, so that what a line parts is not connected by a corner.
///
/// In raster order and in place, a pixel under a line becomes a line where the line goes on at its side.
pub fn repair_lines(labels: &mut Plane<u32>, mask: View<'_, u8>) {
    let width = labels.width();
    let pixels = labels.pixels_mut();
    for y in 1..mask.height() {
        let (above, here) = pixels[(y - 1) * width..(y + 1) * width].split_at_mut(width);
        for (x, &inside) in mask.row(y).iter().enumerate() {
            let goes_on = |side: usize| here.get(side) == Some(&LINE) && above[side] != LINE;
            if inside != 0 && above[x] == LINE && (goes_on(x.wrapping_sub(1)) || goes_on(x + 1)) {
                here[x] = LINE;
            }
        }
    }
}

#[inline(always)]
fn is_label(label: u32) -> bool {
    label.wrapping_sub(1) < WALL - 1
}
