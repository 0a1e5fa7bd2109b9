//! Marker-controlled watershed on a colour image: labelled regions grow over the smallest colour steps first, and where two
//! meet a line stays between them.

mod basin;
mod buckets;
mod flood;
mod lakes;
mod shore;

use std::ops::Range;

pub(crate) use basin::{Basin, KEPT};

use crate::{Cpu, Plane, View, ViewMut};
use lakes::{Lakes, Open, SkippedRows};

/// The label of a watershed line.
pub const LINE: u32 = u32::MAX;

/// A pixel that waits in a bucket.
const QUEUED: u32 = u32::MAX - 1;

/// The frame around the image: it is never labelled and never looks like a neighbour's label.
const WALL: u32 = u32::MAX - 2;

/// Reusable memory for [`watershed_into`].
#[derive(Clone, Debug, Default)]
pub struct WatershedScratch {
    workers: Vec<WatershedThread>,
}

/// The memory of one thread, and the rows it skipped.
#[derive(Clone, Debug, Default)]
struct WatershedThread {
    lakes: Lakes,
    left: Vec<Range<usize>>,
}

/// Floods `image` from `markers` (0 = to be flooded, other values are labels below 2³² − 3), which has the same size.
///
/// Pixels come out with their label, [`LINE`], or 0 when lines cut them off from every marker. The order of events is that
/// of OpenCV's `watershed` on images padded by one pixel: 256 first-in-first-out buckets, of which the lowest goes first.
/// A pixel waits in the bucket of its largest channel difference to the labelled pixel that found it.
pub fn watershed(image: View<'_, [u8; 3]>, markers: View<'_, u32>) -> Plane<u32> {
    let mut labels = Plane::filled(0, markers.width(), markers.height());
    watershed_from(Cpu::one_thread(), image, markers, labels.view_mut(), &mut WatershedScratch::default());
    labels
}

/// [`watershed`] in place: pixels that are 0 are flooded.
///
/// The 4-connected components of what is to be flooded go one after the other: none can reach another, and buckets keep
/// the order of events of each, so that the result is the same and what is looked at lies close together.
///
/// The time grows with the pixels that are flooded: about 20 ns for each in tissue, where components are small and most have
/// one middle and black around them, and up to four times that where one winds through the whole image, because what is looked at next is then far away in memory.
pub fn watershed_into(image: View<'_, [u8; 3]>, labels: ViewMut<'_, u32>, scratch: &mut WatershedScratch) {
    watershed_on(Cpu::one_thread(), image, labels, scratch);
}

/// [`watershed_into`] by several threads. Each floods a part of the rows; components that reach from one part into another
/// are flooded by the caller's thread alone, and a component is never shared.
pub fn watershed_on(
    cpu: Cpu,
    image: View<'_, [u8; 3]>,
    labels: ViewMut<'_, u32>,
    scratch: &mut WatershedScratch,
) {
    flood(cpu, image, None, labels, scratch);
}

/// [`watershed_on`] from separate markers, which stay as they are: faster than copying them before.
pub fn watershed_from(
    cpu: Cpu,
    image: View<'_, [u8; 3]>,
    markers: View<'_, u32>,
    labels: ViewMut<'_, u32>,
    scratch: &mut WatershedScratch,
) {
    flood(cpu, image, Some(markers), labels, scratch);
}

fn flood(
    cpu: Cpu,
    image: View<'_, [u8; 3]>,
    markers: Option<View<'_, u32>>,
    mut labels: ViewMut<'_, u32>,
    scratch: &mut WatershedScratch,
) {
    let height = labels.height();
    cpu.write(labels.reborrow(), &mut scratch.workers, |rows, labels, WatershedThread { lakes, left }| {
        let open = Open { top: rows.start > 0, bottom: rows.end < height };
        let markers = markers.map(|markers| markers.band(rows.clone()));
        let SkippedRows { top, bottom } =
            lakes.flood(cpu.isa, image.band(rows.clone()), markers, labels, open);
        left.extend((top > 0).then(|| rows.start..rows.start + top));
        left.extend((bottom > 0).then(|| rows.end - bottom..rows.end));
    });
    let left = scratch.workers.iter_mut().flat_map(|worker| worker.left.drain(..));
    let left = with_margins(left, height);
    let Some(WatershedThread { lakes, .. }) = scratch.workers.first_mut() else { return };
    for rows in left {
        let labels = labels.reborrow().split_at_row(rows.start).1.split_at_row(rows.len()).0;
        lakes.flood(cpu.isa, image.band(rows), None, labels, Open { top: false, bottom: false });
    }
}

/// Ranges of rows, from the top, with a row more at both ends; those that share rows become one.
fn with_margins(ranges: impl Iterator<Item = Range<usize>>, height: usize) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for Range { start, end } in ranges.map(|rows| rows.start.saturating_sub(1)..(rows.end + 1).min(height)) {
        match joined.last_mut() {
            Some(last) if start < last.end => last.end = last.end.max(end),
            _ => joined.push(start..end),
        }
    }
    joined
}

/// A lake of one pixel: it takes the label of its labelled neighbours, or becomes a line where they differ.
fn one_pixel(labels: &mut ViewMut<'_, u32>, x: usize, y: usize) {
    let (width, height) = (labels.width(), labels.height());
    let around = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
    let there = around.map(|(x, y)| if x < width && y < height { labels.view().at(x, y) } else { WALL });
    if there.into_iter().any(is_label) {
        labels.row_mut(y)[x] = flood::agreed(there).unwrap_or(LINE);
    }
}

/// Closes the diagonal steps of lines inside `mask`, so that objects separated by a line are not connected by a corner.
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
