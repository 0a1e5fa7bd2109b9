//! The flood itself, on labels with a wall around them.

use super::{Buckets, LINE, Place};

/// A pixel that waits in a bucket.
const QUEUED: u32 = u32::MAX - 1;

/// The frame around the image: it is never labelled and never looks like a neighbour's label.
pub(crate) const WALL: u32 = u32::MAX - 2;

/// The colours that are flooded.
pub(crate) trait Colours {
    /// The largest difference of a channel between two positions that are not in the wall.
    fn step(&self, one: usize, other: usize) -> u8;
}

/// The largest difference of a channel.
#[inline(always)]
pub(crate) fn step(one: [u8; 3], other: [u8; 3]) -> u8 {
    one[0].abs_diff(other[0]).max(one[1].abs_diff(other[1])).max(one[2].abs_diff(other[2]))
}

/// Labels in rows of `stride`, the first and last of which are wall, as are the first and last column.
pub(crate) struct Flood<'a, P, C> {
    pub(crate) labels: &'a mut [u32],
    pub(crate) stride: usize,
    pub(crate) colours: C,
    pub(crate) buckets: &'a mut Buckets<P>,
}

impl<P: Place, C: Colours> Flood<'_, P, C> {
    /// Queues, in raster order, the pixels beside a marker.
    pub(crate) fn start(&mut self) {
        const BLOCK: usize = 16;
        for start in (self.stride..self.labels.len().saturating_sub(self.stride)).step_by(BLOCK) {
            let end = (start + BLOCK).min(self.labels.len() - self.stride);
            if self.labels[start..end].iter().fold(false, |any, label| any | (*label == 0)) {
                (start..end).for_each(|position| self.start_at(position));
            }
        }
    }

    fn start_at(&mut self, position: usize) {
        if self.labels[position] == 0 {
            let labelled = self.neighbours(position).into_iter().filter(|&n| is_label(self.labels[n]));
            if let Some(step) = labelled.map(|n| self.colours.step(position, n)).min() {
                self.queue(position, step);
            }
        }
    }

    /// Floods until nobody waits; tells where lines are.
    pub(crate) fn run(&mut self, mut line: impl FnMut(usize)) {
        while let Some(position) = self.buckets.pop() {
            if !self.settle(position) {
                line(position);
            }
        }
    }

    /// Left, right, up, down: the order decides who waits before whom.
    #[inline(always)]
    fn neighbours(&self, position: usize) -> [usize; 4] {
        [position - 1, position + 1, position - self.stride, position + self.stride]
    }

    #[inline(always)]
    fn queue(&mut self, position: usize, step: u8) {
        self.labels[position] = QUEUED;
        self.buckets.push(step, position);
    }

    /// Labels a pixel that waited and queues the neighbours nobody has touched, or makes it a line.
    #[inline(always)]
    fn settle(&mut self, position: usize) -> bool {
        let neighbours = self.neighbours(position);
        let labels = neighbours.map(|neighbour| self.labels[neighbour]);
        let Some(label) = agreed(labels) else {
            self.labels[position] = LINE;
            return false;
        };
        self.labels[position] = label;
        for (neighbour, label) in neighbours.into_iter().zip(labels) {
            if label == 0 {
                self.queue(neighbour, self.colours.step(position, neighbour));
            }
        }
        true
    }
}

#[inline(always)]
fn is_label(label: u32) -> bool {
    label.wrapping_sub(1) < WALL - 1
}

/// The label that all labelled neighbours have: there is at least one, the one that queued the pixel.
///
/// Without branches: counted from 1 down, what is no label is above all labels, and counted from the wall up below them.
#[inline(always)]
fn agreed(labels: [u32; 4]) -> Option<u32> {
    const ABOVE_WALL: u32 = 0u32.wrapping_sub(WALL);
    let lowest =
        labels.iter().fold(u32::MAX, |lowest, label| lowest.min(label.wrapping_sub(1))).wrapping_add(1);
    let highest = labels.iter().fold(0, |highest, label| highest.max(label.wrapping_add(ABOVE_WALL)));
    (lowest == highest.wrapping_sub(ABOVE_WALL)).then_some(lowest)
}
