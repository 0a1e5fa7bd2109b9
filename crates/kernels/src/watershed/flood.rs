//! The flood itself: pixels are settled one after the other, those in the lowest bucket first.

use super::buckets::BucketQueue;
use super::shore::{is_rest, is_shore, is_start};
use super::{LINE, QUEUED, is_label};
use crate::bits;
use crate::prefetch;

/// A cell: its label in the lower half, and above it the steps to the right and down.
pub(super) const RIGHT: u32 = 32;
pub(super) const DOWN: u32 = 40;

/// A position among the cells.
pub(super) trait CellPosition: Copy + Default {
    fn new(position: usize) -> Self;
    /// The position plus a distance, which may be negative (wrapping).
    fn plus(self, distance: Self) -> Self;
    fn minus(self, distance: Self) -> Self;
}

impl CellPosition for u16 {
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

impl CellPosition for usize {
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

/// Cells addressed by positions.
pub(super) trait Water<P> {
    fn at(&mut self, position: P) -> &mut u64;

    /// Prefetches a cell that will be read soon, and those around it.
    fn bring(&self, position: P, stride: P);
}

/// As many cells as there are positions: none is out of bounds.
pub(super) type Pond = [u64; 1 << 16];

impl Water<u16> for Pond {
    #[inline(always)]
    fn at(&mut self, position: u16) -> &mut u64 {
        &mut self[usize::from(position)]
    }

    /// A pond is in the cache.
    #[inline(always)]
    fn bring(&self, _position: u16, _stride: u16) {}
}

impl Water<usize> for [u64] {
    #[inline(always)]
    fn at(&mut self, position: usize) -> &mut u64 {
        &mut self[position]
    }

    #[inline(always)]
    fn bring(&self, position: usize, stride: usize) {
        let rows = [position.wrapping_sub(stride), position, position.wrapping_add(stride)];
        rows.into_iter().for_each(|at| prefetch(self, at));
    }
}

pub(super) struct WatershedFlood<'a, P, W: ?Sized> {
    pub(super) stride: P,
    pub(super) cells: &'a mut W,
    pub(super) buckets: &'a mut BucketQueue<P>,
}

impl<P: CellPosition, W: Water<P> + ?Sized> WatershedFlood<'_, P, W> {
    /// Floods from the pixels beside a label; returns whether floods met anywhere.
    ///
    /// If the outer label is given, the shore is not queued: the caller settles it after the rest. If lines cut off a part
    /// of the rest, the shore is queued after all.
    pub(super) fn run(&mut self, kinds: &[u8], outer: Option<u32>) -> bool {
        let mut waiting = NonemptyBuckets::default();
        match outer {
            Some(_) => self.start_all(kinds, is_rest, is_start, &mut waiting),
            None => self.start_all(
                kinds,
                |kind| is_rest(kind) | is_shore(kind),
                |kind| is_start(kind) | is_shore(kind),
                &mut waiting,
            ),
        }
        let met = self.flow(&mut waiting);
        match outer.filter(|_| waiting.untouched > 0) {
            Some(outer) => {
                each_flag(kinds, is_shore, |position| self.join(P::new(position), outer, &mut waiting));
                met | self.flow(&mut waiting)
            }
            None => met,
        }
    }

    /// Queues those `wet` pixels that start a flood.
    fn start_all(
        &mut self,
        kinds: &[u8],
        wet: impl Fn(u8) -> bool,
        starts: impl Fn(u8) -> bool,
        waiting: &mut NonemptyBuckets,
    ) {
        waiting.untouched = kinds.iter().filter(|kind| wet(**kind)).count();
        each_flag(kinds, starts, |position| self.start(P::new(position), waiting));
    }

    /// Works off the queue.
    ///
    /// Once no pixel is untouched, none is queued any more, and the queue is settled bucket after bucket.
    fn flow(&mut self, waiting: &mut NonemptyBuckets) -> bool {
        let mut met = false;
        while waiting.untouched > 0 {
            let Some(bucket) = waiting.lowest() else { return met };
            let (position, emptied) = self.buckets.pop(bucket);
            waiting.forget(bucket, emptied);
            self.cells.bring(self.buckets.coming(bucket), self.stride);
            met |= !self.settle(position, waiting);
        }
        met | self.settle_all(waiting)
    }

    /// Settles all queued pixels, the last of the lake; returns whether floods met anywhere.
    fn settle_all(&mut self, waiting: &mut NonemptyBuckets) -> bool {
        let Self { stride, cells, buckets } = self;
        let mut met = false;
        while let Some(bucket) = waiting.lowest() {
            waiting.forget(bucket, true);
            buckets.drain(bucket, |position, coming| {
                cells.bring(coming, *stride);
                let label = agreed(around(*cells, position, *stride).map(|(_, label, _)| label));
                give(cells.at(position), label);
                met |= label.is_none();
            });
        }
        met
    }

    /// Queues a pixel beside a marker.
    #[inline(always)]
    fn start(&mut self, position: P, waiting: &mut NonemptyBuckets) {
        let around = around(self.cells, position, self.stride);
        let steps = around.map(|(_, label, step)| if is_label(label) { step } else { u8::MAX });
        let step = steps[0].min(steps[1]).min(steps[2]).min(steps[3]);
        self.queue(position, step, waiting);
    }

    /// Puts a pixel of the shore, which cannot be touched any more, into its bucket.
    fn join(&mut self, position: P, outer: u32, waiting: &mut NonemptyBuckets) {
        let around = around(self.cells, position, self.stride);
        let steps = around.map(|(_, label, step)| if label == outer { step } else { u8::MAX });
        let step = steps[0].min(steps[1]).min(steps[2]).min(steps[3]);
        self.buckets.push(step, position);
        waiting.note(step);
    }

    #[inline(always)]
    fn queue(&mut self, position: P, step: u8, waiting: &mut NonemptyBuckets) {
        *self.cells.at(position) |= u64::from(QUEUED);
        self.buckets.push(step, position);
        waiting.untouched -= 1;
        waiting.note(step);
    }

    /// Labels a queued pixel and queues its untouched neighbours, or makes it a line.
    #[inline(always)]
    fn settle(&mut self, position: P, waiting: &mut NonemptyBuckets) -> bool {
        let around = around(self.cells, position, self.stride);
        let label = agreed(around.map(|(_, label, _)| label));
        give(self.cells.at(position), label);
        if label.is_some() {
            for (neighbour, label, step) in around {
                if label == 0 {
                    self.queue(neighbour, step, waiting);
                }
            }
        }
        label.is_some()
    }
}

/// Left, right, up, down, which is the order in which they are queued: positions, labels and steps.
#[inline(always)]
fn around<P: CellPosition, W: Water<P> + ?Sized>(cells: &mut W, position: P, stride: P) -> [(P, u32, u8); 4] {
    let here = *cells.at(position);
    let [left, right] = [position.minus(P::new(1)), position.plus(P::new(1))];
    let [up, down] = [position.minus(stride), position.plus(stride)];
    let [l, r, u, d] = [left, right, up, down].map(|position| *cells.at(position));
    [
        (left, l as u32, (l >> RIGHT) as u8),
        (right, r as u32, (here >> RIGHT) as u8),
        (up, u as u32, (u >> DOWN) as u8),
        (down, d as u32, (here >> DOWN) as u8),
    ]
}

/// Gives a pixel its label, or makes it a line.
#[inline(always)]
fn give(cell: &mut u64, label: Option<u32>) {
    *cell = *cell & !u64::from(u32::MAX) | u64::from(label.unwrap_or(LINE));
}

/// Bit sets of the nonempty buckets, and the number of untouched pixels.
#[derive(Default)]
struct NonemptyBuckets {
    low: u64,
    /// Those from 64 on; the first word is not used.
    high: [u64; 4],
    untouched: usize,
}

impl NonemptyBuckets {
    #[inline(always)]
    fn lowest(&self) -> Option<usize> {
        if self.low != 0 {
            return Some(self.low.trailing_zeros() as usize);
        }
        let word = self.high.iter().position(|word| *word != 0)?;
        Some(word * 64 + self.high[word].trailing_zeros() as usize)
    }

    /// Records that a bucket is not empty.
    #[inline(always)]
    fn note(&mut self, step: u8) {
        if step < 64 {
            self.low |= 1 << step;
        } else {
            self.high[usize::from(step / 64)] |= 1 << (step % 64);
        }
    }

    /// Records that a pixel was taken from a bucket, which may be empty now. That is hard to predict: no branch depends on
    /// it.
    #[inline(always)]
    fn forget(&mut self, bucket: usize, emptied: bool) {
        if bucket < 64 {
            self.low &= !(u64::from(emptied) << bucket);
        } else {
            self.high[bucket / 64 % 4] &= !(u64::from(emptied) << (bucket % 64));
        }
    }
}

/// Calls `give` with the positions of the flags that `wanted` accepts.
///
/// They are rare: examining many flags together makes the branch predictable.
#[inline(always)]
pub(super) fn each_flag(flags: &[u8], wanted: impl Fn(u8) -> bool, mut give: impl FnMut(usize)) {
    for (at, chunk) in flags.chunks(64).enumerate() {
        let mut word = [0];
        bits::pack_where(chunk, &wanted, &mut word);
        let [mut word] = word;
        while word != 0 {
            give(at * 64 + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

/// The label that all labelled neighbours have: there is at least one, the one that queued the pixel.
///
/// Without branches: offset so that values that are not labels lie above all labels, or, offset from the wall, below them.
#[inline(always)]
pub(super) fn agreed(labels: [u32; 4]) -> Option<u32> {
    const ABOVE_WALL: u32 = 0u32.wrapping_sub(super::WALL);
    let below = labels.iter().fold(u32::MAX, |lowest, label| lowest.min(label.wrapping_sub(1)));
    let above = labels.iter().fold(0, |highest, label| highest.max(label.wrapping_add(ABOVE_WALL)));
    let (lowest, highest) = (below.wrapping_add(1), above.wrapping_sub(ABOVE_WALL));
    (lowest == highest).then_some(lowest)
}
