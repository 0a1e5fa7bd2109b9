//! Marker-controlled watershed on a colour image: labelled regions grow over the smallest colour steps first, and where two
//! meet a line stays between them.

use std::collections::VecDeque;

use crate::grid::Grid;
use crate::{Plane, View};

/// The label of a watershed line.
pub const LINE: u32 = u32::MAX;

/// A pixel that waits in a bucket.
const QUEUED: u32 = u32::MAX - 1;

/// The frame around the image: it is never labelled and never looks like a neighbour's label.
const WALL: u32 = u32::MAX - 2;

/// Floods `image` from `markers` (0 = to be flooded, other values are labels below 2³² − 3), which has the same size.
///
/// Pixels come out with their label, [`LINE`], or 0 when lines cut them off from every marker. The order of events is that
/// of OpenCV's `watershed` on images padded by one pixel: 256 first-in-first-out buckets, of which the lowest goes first.
/// A pixel waits in the bucket of its largest channel difference to the labelled pixel that found it.
pub fn watershed(image: View<'_, [u8; 3]>, markers: View<'_, u32>) -> Plane<u32> {
    let grid = Grid::new(markers.width(), markers.height());
    let mut flood = Flood {
        image: grid.frame(image, [0; 3]),
        labels: grid.frame(markers, WALL),
        stride: grid.stride(),
        buckets: Buckets::default(),
    };
    flood.start(&grid);
    while let Some(position) = flood.buckets.pop() {
        flood.settle(position);
    }
    grid.unframe(&flood.labels)
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

struct Flood {
    image: Vec<[u8; 3]>,
    labels: Vec<u32>,
    stride: usize,
    buckets: Buckets,
}

impl Flood {
    /// Left, right, up, down: the order decides who waits before whom.
    fn neighbours(&self, position: usize) -> [usize; 4] {
        [position - 1, position + 1, position - self.stride, position + self.stride]
    }

    fn step(&self, from: usize, to: usize) -> u8 {
        let [a, b] = [self.image[from], self.image[to]];
        a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1])).max(a[2].abs_diff(b[2]))
    }

    fn is_labelled(&self, position: usize) -> bool {
        (1..WALL).contains(&self.labels[position])
    }

    fn queue(&mut self, position: usize, step: u8) {
        self.labels[position] = QUEUED;
        self.buckets.push(step, position);
    }

    /// Queues, in raster order, the pixels beside a marker.
    fn start(&mut self, grid: &Grid) {
        for position in grid.positions() {
            if self.labels[position] == 0 {
                let labelled = self.neighbours(position).into_iter().filter(|&n| self.is_labelled(n));
                if let Some(step) = labelled.map(|n| self.step(position, n)).min() {
                    self.queue(position, step);
                }
            }
        }
    }

    /// Labels a pixel that waited and queues the neighbours nobody has touched, or makes it a line.
    fn settle(&mut self, position: usize) {
        let neighbours = self.neighbours(position);
        let mut label = 0;
        for neighbour in neighbours.into_iter().filter(|&n| self.is_labelled(n)) {
            let other = self.labels[neighbour];
            label = if label == 0 || label == other { other } else { LINE };
        }
        self.labels[position] = label;
        if label != LINE {
            for neighbour in neighbours {
                if self.labels[neighbour] == 0 {
                    self.queue(neighbour, self.step(position, neighbour));
                }
            }
        }
    }
}

/// Pixels that wait, by the step over which they were found.
struct Buckets {
    buckets: [VecDeque<usize>; 256],
    /// No bucket below this one holds a pixel.
    lowest: usize,
}

impl Default for Buckets {
    fn default() -> Self {
        Self { buckets: std::array::from_fn(|_| VecDeque::new()), lowest: 0 }
    }
}

impl Buckets {
    fn push(&mut self, step: u8, position: usize) {
        self.buckets[usize::from(step)].push_back(position);
        self.lowest = self.lowest.min(usize::from(step));
    }

    fn pop(&mut self) -> Option<usize> {
        while let Some(bucket) = self.buckets.get_mut(self.lowest) {
            if let Some(position) = bucket.pop_front() {
                return Some(position);
            }
            self.lowest += 1;
        }
        None
    }
}
