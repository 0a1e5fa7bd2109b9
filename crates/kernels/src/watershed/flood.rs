//! The flood itself: pixels are settled one after the other, whoever waits in the lowest bucket first.

use super::buckets::Buckets;
use super::{LINE, QUEUED, is_label};

/// A pixel that can be flooded: its label in the lower half, and above it the steps to the right and down.
pub(super) const RIGHT: u32 = 32;
pub(super) const DOWN: u32 = 40;

/// A position among the cells.
pub(super) trait Place: Copy + Default {
    fn new(position: usize) -> Self;
    /// The position so many farther, or fewer.
    fn plus(self, distance: Self) -> Self;
    fn minus(self, distance: Self) -> Self;
}

impl Place for u16 {
    #[inline(always)]
    fn new(position: usize) -> Self {
        position as Self
    }

    #[inline(always)]
    fn plus(self, distance: Self) -> Self {
        self.wrapping_add(distance)
    }

    #[inline(always)]
    fn minus(self, distance: Self) -> Self {
        self.wrapping_sub(distance)
    }
}

impl Place for usize {
    #[inline(always)]
    fn new(position: usize) -> Self {
        position
    }

    #[inline(always)]
    fn plus(self, distance: Self) -> Self {
        self + distance
    }

    #[inline(always)]
    fn minus(self, distance: Self) -> Self {
        self - distance
    }
}

/// Cells that are found by such positions.
pub(super) trait Water<P> {
    fn at(&mut self, position: P) -> &mut u64;
}

/// As many cells as there are positions: none is out of bounds.
pub(super) type Pond = [u64; 1 << 16];

impl Water<u16> for Pond {
    #[inline(always)]
    fn at(&mut self, position: u16) -> &mut u64 {
        &mut self[usize::from(position)]
    }
}

impl Water<usize> for [u64] {
    #[inline(always)]
    fn at(&mut self, position: usize) -> &mut u64 {
        &mut self[position]
    }
}

pub(super) struct Flood<'a, P, W: ?Sized> {
    pub(super) stride: P,
    pub(super) cells: &'a mut W,
    pub(super) buckets: &'a mut Buckets<P>,
}

impl<P: Place, W: Water<P> + ?Sized> Flood<'_, P, W> {
    /// Floods from those who are flagged because they are beside a label; says whether floods met anywhere.
    pub(super) fn run(&mut self, beside: &[u8]) -> bool {
        let (mut low, mut high) = (0u64, [0u64; 4]);
        each_flag(beside, |position| self.start(P::new(position), &mut low, &mut high));
        let mut met = false;
        loop {
            if low != 0 {
                let bucket = low.trailing_zeros();
                let (position, emptied) = self.buckets.pop(bucket as usize);
                low &= !(u64::from(emptied) << bucket);
                met |= !self.settle(position, &mut low, &mut high);
            } else {
                let Some(word) = high.iter().position(|word| *word != 0) else { return met };
                let bit = high[word].trailing_zeros();
                let (position, emptied) = self.buckets.pop(word * 64 + bit as usize);
                high[word] &= !(u64::from(emptied) << bit);
                met |= !self.settle(position, &mut low, &mut high);
            }
        }
    }

    /// Queues a pixel beside a marker.
    #[inline(always)]
    fn start(&mut self, position: P, low: &mut u64, high: &mut [u64; 4]) {
        let around = self.around(position);
        let steps = around.map(|(_, label, step)| if is_label(label) { step } else { u8::MAX });
        let step = steps[0].min(steps[1]).min(steps[2]).min(steps[3]);
        self.queue(position, step, low, high);
    }

    /// Left, right, up, down, which is the order in which they are queued: positions, labels and steps.
    #[inline(always)]
    fn around(&mut self, position: P) -> [(P, u32, u8); 4] {
        let here = *self.cells.at(position);
        let [left, right] = [position.minus(P::new(1)), position.plus(P::new(1))];
        let [up, down] = [position.minus(self.stride), position.plus(self.stride)];
        let [l, r, u, d] = [left, right, up, down].map(|position| *self.cells.at(position));
        [
            (left, l as u32, (l >> RIGHT) as u8),
            (right, r as u32, (here >> RIGHT) as u8),
            (up, u as u32, (u >> DOWN) as u8),
            (down, d as u32, (here >> DOWN) as u8),
        ]
    }

    #[inline(always)]
    fn queue(&mut self, position: P, step: u8, low: &mut u64, high: &mut [u64; 4]) {
        *self.cells.at(position) |= u64::from(QUEUED);
        self.buckets.push(step, position);
        if step < 64 {
            *low |= 1 << step;
        } else {
            high[usize::from(step / 64)] |= 1 << (step % 64);
        }
    }

    /// Labels a pixel that waited and queues the neighbours nobody has touched, or makes it a line.
    #[inline(always)]
    fn settle(&mut self, position: P, low: &mut u64, high: &mut [u64; 4]) -> bool {
        let around = self.around(position);
        let label = agreed(around.map(|(_, label, _)| label));
        // Who waits has all bits of its label set but the lowest.
        let cell = self.cells.at(position);
        *cell = *cell & !u64::from(u32::MAX) | u64::from(label.unwrap_or(LINE));
        if label.is_some() {
            for (neighbour, label, step) in around {
                if label == 0 {
                    self.queue(neighbour, step, low, high);
                }
            }
        }
        label.is_some()
    }
}

/// Gives the positions of flags that are not 0.
#[inline(always)]
pub(super) fn each_flag(flags: &[u8], mut give: impl FnMut(usize)) {
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

/// The label that all labelled neighbours have: there is at least one, the one that queued the pixel.
///
/// Without branches: counted from 1 down, what is no label is above all labels, and counted from the wall up below them.
#[inline(always)]
pub(super) fn agreed(labels: [u32; 4]) -> Option<u32> {
    const ABOVE_WALL: u32 = 0u32.wrapping_sub(super::WALL);
    let below = labels.iter().fold(u32::MAX, |lowest, label| lowest.min(label.wrapping_sub(1)));
    let above = labels.iter().fold(0, |highest, label| highest.max(label.wrapping_add(ABOVE_WALL)));
    let (lowest, highest) = (below.wrapping_add(1), above.wrapping_sub(ABOVE_WALL));
    (lowest == highest).then_some(lowest)
}
