//! A piece of an image in memory of its own, framed by a wall, and its flood.

use super::LINE;
use super::buckets::{Buckets, Place};
use crate::View;
use crate::isa::{Isa, versions};

/// A pixel that waits in a bucket.
const QUEUED: u32 = u32::MAX - 1;

/// The frame around the image: it is never labelled and never looks like a neighbour's label.
pub(crate) const WALL: u32 = u32::MAX - 2;

/// Labels and colours in rows of `stride`, the first and last of which are wall, as are the first and last column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Basin {
    stride: usize,
    labels: Vec<u32>,
    /// Red, green and blue, the highest eight bits unused.
    colours: Vec<u32>,
    beside: Vec<u8>,
    near: Buckets<u32>,
    far: Buckets<usize>,
}

impl Basin {
    /// Makes room; all is wall, and colours are anything.
    pub(crate) fn fit(&mut self, width: usize, height: usize) {
        self.stride = width + 2;
        let length = self.stride * (height + 2);
        self.labels.clear();
        self.labels.resize(length, WALL);
        if self.colours.len() < length {
            self.colours = vec![0; length];
        }
    }

    /// All labels, framed.
    pub(crate) fn labels_mut(&mut self) -> &mut [u32] {
        &mut self.labels
    }

    /// A row of labels, without the frame.
    pub(crate) fn row(&self, y: usize) -> &[u32] {
        &self.labels[(y + 1) * self.stride + 1..(y + 2) * self.stride - 1]
    }

    /// The same, to write.
    pub(crate) fn row_mut(&mut self, y: usize) -> &mut [u32] {
        &mut self.labels[(y + 1) * self.stride + 1..(y + 2) * self.stride - 1]
    }

    /// Colours of a row.
    pub(crate) fn paint(&mut self, y: usize, pixels: &[[u8; 3]]) {
        let row = &mut self.colours[(y + 1) * self.stride + 1..];
        for (packed, &[red, green, blue]) in row.iter_mut().zip(pixels) {
            *packed = u32::from_le_bytes([red, green, blue, 0]);
        }
    }

    /// Colours of a row, black where the mask is 0.
    pub(crate) fn paint_inside(&mut self, y: usize, pixels: &[[u8; 3]], mask: &[u8]) {
        let row = &mut self.colours[(y + 1) * self.stride + 1..];
        for ((packed, &[red, green, blue]), inside) in row.iter_mut().zip(pixels).zip(mask) {
            let keep = if *inside == 0 { 0 } else { u32::MAX };
            *packed = u32::from_le_bytes([red, green, blue, 0]) & keep;
        }
    }

    /// Closes the diagonal steps of lines inside the mask, and gives the columns and rows of all lines in raster order.
    pub(crate) fn repair_lines(&mut self, mask: View<'_, u8>, lines: &mut Vec<(usize, usize)>) {
        repair(Isa::best(), &mut self.labels, self.stride, mask, &mut self.beside);
        each_flag(&self.beside, |position| {
            lines.push((position % self.stride - 1, position / self.stride - 1))
        });
    }

    /// Floods all that is 0; says whether floods met anywhere.
    pub(crate) fn flood(&mut self) -> bool {
        flag_beside(Isa::best(), &self.labels, self.stride, &mut self.beside);
        let Self { stride, labels, colours, beside, near, far } = self;
        if u32::try_from(labels.len()).is_ok() {
            Flood { stride: *stride, labels, colours, buckets: near }.run(beside)
        } else {
            Flood { stride: *stride, labels, colours, buckets: far }.run(beside)
        }
    }
}

versions! {
    /// Flags whoever is unlabelled and beside a label; the frame's flags are 0.
    fn flag_beside(labels: &[u32], stride: usize, beside: &mut Vec<u8>) {
        beside.clear();
        beside.resize(labels.len(), 0);
        let inner = labels.len().saturating_sub(2 * stride);
        let flags = beside[stride.min(labels.len())..].iter_mut().take(inner);
        let here = labels.iter().skip(stride);
        let sides = labels.iter().skip(stride - 1).zip(labels.iter().skip(stride + 1));
        let rows = labels.iter().zip(labels.iter().skip(2 * stride));
        for (((flag, here), (left, right)), (above, below)) in flags.zip(here).zip(sides).zip(rows) {
            let labelled = is_label(*left) | is_label(*right) | is_label(*above) | is_label(*below);
            *flag = u8::from(*here == 0) & u8::from(labelled);
        }
    }
}

versions! {
    /// Row by row, a pixel of the mask under a line becomes a line where the line goes on at its side and not above that;
    /// flags all lines.
    ///
    /// What becomes a line has one above it, so that it is nothing to go on for the next: a row can be done at once.
    fn repair(labels: &mut [u32], stride: usize, mask: View<'_, u8>, flags: &mut Vec<u8>) {
        flags.clear();
        flags.resize(labels.len(), 0);
        let inner = stride - 2;
        for (y, mask) in mask.rows().enumerate() {
            let (above, rest) = labels[y * stride..].split_at_mut(stride);
            let flags = &mut flags[(y + 1) * stride..][..stride];
            flag_lines(above, &rest[..stride], mask, flags);
            let target = rest[1..=inner].iter_mut().zip(&flags[1..=inner]);
            target.for_each(|(label, flag)| *label = if *flag == 0 { *label } else { LINE });
        }
    }
}

#[inline(always)]
fn flag_lines(above: &[u32], here: &[u32], mask: &[u8], flags: &mut [u8]) {
    let inner = mask.len();
    let goes_on = |here: &u32, above: &u32| (*here == LINE) & (*above != LINE);
    let left = here[..inner].iter().zip(&above[..inner]);
    let right = here[2..].iter().zip(&above[2..]);
    let row = flags[1..].iter_mut().zip(mask).zip(here[1..].iter().zip(&above[1..]));
    for (((flag, inside), (here, above)), (left, right)) in row.zip(left.zip(right)) {
        let sides = goes_on(left.0, left.1) | goes_on(right.0, right.1);
        *flag = u8::from((*here == LINE) | ((*above == LINE) & (*inside != 0) & sides));
    }
}

/// Gives the positions of flags that are not 0.
#[inline(always)]
fn each_flag(flags: &[u8], mut give: impl FnMut(usize)) {
    const BLOCK: usize = 8;
    let (blocks, rest) = flags.as_chunks::<BLOCK>();
    for (at, block) in blocks.iter().enumerate() {
        let mut bits = u64::from_le_bytes(*block);
        while bits != 0 {
            give(at * BLOCK + bits.trailing_zeros() as usize / 8);
            bits &= bits - 1;
        }
    }
    let start = blocks.len() * BLOCK;
    rest.iter().enumerate().filter(|(_, flag)| **flag != 0).for_each(|(at, _)| give(start + at));
}

struct Flood<'a, P> {
    stride: usize,
    labels: &'a mut [u32],
    colours: &'a [u32],
    buckets: &'a mut Buckets<P>,
}

impl<P: Place> Flood<'_, P> {
    fn run(&mut self, beside: &[u8]) -> bool {
        self.buckets.fit(self.labels.len());
        self.start(beside);
        let mut met = false;
        while let Some(position) = self.buckets.pop() {
            met |= !self.settle(position);
        }
        met
    }

    /// Queues, in raster order, the pixels beside a marker.
    fn start(&mut self, beside: &[u8]) {
        each_flag(beside, |position| {
            let labelled = self.neighbours(position).into_iter().filter(|&n| is_label(self.labels[n]));
            if let Some(step) = labelled.map(|n| self.step(position, n)).min() {
                self.queue(position, step);
            }
        });
    }

    /// Left, right, up, down: the order decides who waits before whom.
    #[inline(always)]
    fn neighbours(&self, position: usize) -> [usize; 4] {
        [position - 1, position + 1, position - self.stride, position + self.stride]
    }

    /// The largest difference of a channel.
    #[inline(always)]
    fn step(&self, one: usize, other: usize) -> u8 {
        let (one, other) = (self.colours[one].to_le_bytes(), self.colours[other].to_le_bytes());
        one[0].abs_diff(other[0]).max(one[1].abs_diff(other[1])).max(one[2].abs_diff(other[2]))
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
        // One loop over those that are untouched is easier to foresee than four questions.
        let mut untouched = labels.iter().rev().fold(0u8, |bits, label| bits << 1 | u8::from(*label == 0));
        while untouched != 0 {
            let neighbour = neighbours[untouched.trailing_zeros() as usize % 4];
            self.queue(neighbour, self.step(position, neighbour));
            untouched &= untouched - 1;
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
    let below = labels.iter().fold(u32::MAX, |lowest, label| lowest.min(label.wrapping_sub(1)));
    let above = labels.iter().fold(0, |highest, label| highest.max(label.wrapping_add(ABOVE_WALL)));
    let (lowest, highest) = (below.wrapping_add(1), above.wrapping_sub(ABOVE_WALL));
    (lowest == highest).then_some(lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_places_flood_as_narrow_ones_do() {
        let (width, height) = (37, 23);
        let noise = |at: usize| (at as u32).wrapping_mul(2_654_435_761) >> 20;
        let mut basin = Basin::default();
        basin.fit(width, height);
        for at in 0..width * height {
            basin.row_mut(at / width)[at % width] = if noise(at) % 61 == 0 { at as u32 + 1 } else { 0 };
        }
        basin.colours.iter_mut().enumerate().for_each(|(at, colour)| *colour = noise(at) % 4);
        let (mut labels, colours) = (basin.labels.clone(), basin.colours.clone());
        assert!(basin.flood());
        let mut buckets = Buckets::<usize>::default();
        let mut flood =
            Flood { stride: width + 2, labels: &mut labels, colours: &colours, buckets: &mut buckets };
        assert!(flood.run(&basin.beside));
        assert_eq!(labels, basin.labels);
    }
}
