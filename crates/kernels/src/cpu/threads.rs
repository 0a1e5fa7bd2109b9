//! The threads and instructions that an operation may use. Only speed depends on them.

use std::iter;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use crate::{Isa, ViewMut};

/// The instructions and the threads that an operation may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// The instruction set.
    pub isa: Isa,
    /// How many bands of rows are worked on at a time.
    pub threads: NonZeroUsize,
}

impl Cpu {
    /// The caller's thread with the processor's best instructions.
    pub fn one_thread() -> Self {
        Self { isa: Isa::best(), threads: NonZeroUsize::MIN }
    }

    /// Works on bands of rows; returns their results, from the top.
    pub(crate) fn over_rows<R: Send>(self, height: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        self.run(self.coarse().bands(height).collect(), work)
    }

    /// Writes bands of rows, each with its own state, which is kept for later calls.
    pub(crate) fn write<C: SplitRows, S: Default + Send>(
        self,
        target: C,
        states: &mut Vec<S>,
        work: impl Fn(Range<usize>, C, &mut S) + Sync,
    ) {
        self.coarse().write(target, states, work);
    }

    /// Works on bands of rows, each with its own state, which is kept for later calls; returns the number of bands.
    pub(crate) fn over_states<S: Default + Send>(
        self,
        height: usize,
        states: &mut Vec<S>,
        work: impl Fn(Range<usize>, &mut S) + Sync,
    ) -> usize {
        self.write(RowCount(height), states, |rows, _, state| work(rows, state));
        self.bands(height).count()
    }

    /// The bands of an image of this height.
    pub(crate) fn bands(self, height: usize) -> impl Iterator<Item = Range<usize>> {
        self.coarse().bands(height)
    }

    /// One band for each thread.
    fn coarse(self) -> Bands {
        Bands { cpu: self, count: self.threads.get() }
    }

    /// Several bands for each thread, where splitting costs little: faster threads take more of them.
    pub(crate) fn fine(self) -> Bands {
        let threads = self.threads.get();
        Bands { cpu: self, count: if threads > 1 { FINE * threads } else { 1 } }
    }

    /// Works on items with all threads, including the caller's; an idle thread takes the next item. Returns the results in
    /// the order of the items.
    pub(crate) fn run<T: Send, R: Send>(self, items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
        let others = self.threads.get().min(items.len()).saturating_sub(1);
        let made = Mutex::new(Vec::with_capacity(items.len()));
        let items = Mutex::new(items.into_iter().enumerate());
        let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
        let add = |item| made.lock().unwrap_or_else(PoisonError::into_inner).push(item);
        let work_on = || iter::from_fn(next).for_each(|(at, item)| add((at, work(item))));
        thread::scope(|scope| {
            let others: Vec<_> = (0..others).map(|_| scope.spawn(work_on)).collect();
            work_on();
            others.into_iter().for_each(wait);
        });
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.sort_unstable_by_key(|(at, _)| *at);
        made.into_iter().map(|(_, made)| made).collect()
    }
}

/// Joins a thread. Threads with equal shares end at about the same time, and a blocking join takes as long as some hundred
/// rows of work: therefore it polls first, and yields the processor between polls. A panic of the thread is propagated.
fn wait(thread: ScopedJoinHandle<'_, ()>) {
    for _ in 0..POLLS {
        if thread.is_finished() {
            return;
        }
        thread::yield_now();
    }
    thread.join().unwrap_or_else(|error| resume_unwind(error));
}

/// Number of polls before a blocking join: about 0.2 ms.
const POLLS: usize = 400;

/// Bands for each thread where they are many.
const FINE: usize = 4;

/// How an image is cut into bands of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bands {
    cpu: Cpu,
    count: usize,
}

impl Bands {
    /// [`Cpu::write`].
    pub(crate) fn write<C: SplitRows, S: Default + Send>(
        self,
        target: C,
        states: &mut Vec<S>,
        work: impl Fn(Range<usize>, C, &mut S) + Sync,
    ) {
        let height = target.height();
        states.resize_with(states.len().max(self.count), S::default);
        match states.as_mut_slice() {
            [state, ..] if self.count == 1 => work(0..height, target, state),
            states => {
                let items = self.cut(target).into_iter().zip(states).collect();
                self.cpu.run(items, |((rows, band), state)| work(rows, band, state));
            }
        }
    }

    fn cut<C: SplitRows>(self, target: C) -> Vec<(Range<usize>, C)> {
        let bands = self.bands(target.height());
        let mut rest = target;
        let mut cut = Vec::new();
        for rows in bands {
            let (band, below) = rest.cut(rows.len());
            cut.push((rows, band));
            rest = below;
        }
        cut
    }

    /// The bands of an image of this height.
    fn bands(self, height: usize) -> impl Iterator<Item = Range<usize>> {
        let count = self.count.min(height.max(1));
        let start = move |band: usize| (band as u128 * height as u128 / count as u128) as usize;
        (0..count).map(move |band| start(band)..start(band + 1))
    }
}

/// A target that can be split between two rows.
pub(crate) trait SplitRows: Send + Sized {
    /// Number of rows.
    fn height(&self) -> usize;
    /// The rows above `y`, and those from `y` on.
    fn cut(self, y: usize) -> (Self, Self);
}

/// Rows without pixels.
struct RowCount(usize);

impl SplitRows for RowCount {
    fn height(&self) -> usize {
        self.0
    }

    fn cut(self, y: usize) -> (Self, Self) {
        (Self(y), Self(self.0 - y))
    }
}

impl<T: Send> SplitRows for ViewMut<'_, T> {
    fn height(&self) -> usize {
        self.height()
    }

    fn cut(self, y: usize) -> (Self, Self) {
        self.split_at_row(y)
    }
}

/// An optional part of a pair; the other part has the height.
impl<C: SplitRows> SplitRows for Option<C> {
    fn height(&self) -> usize {
        self.as_ref().map_or(0, C::height)
    }

    fn cut(self, y: usize) -> (Self, Self) {
        self.map(|all| all.cut(y)).map_or((None, None), |(above, below)| (Some(above), Some(below)))
    }
}

impl<A: SplitRows, B: SplitRows> SplitRows for (A, B) {
    fn height(&self) -> usize {
        self.0.height()
    }

    fn cut(self, y: usize) -> (Self, Self) {
        let (one, other) = (self.0.cut(y), self.1.cut(y));
        ((one.0, other.0), (one.1, other.1))
    }
}

impl Default for Cpu {
    fn default() -> Self {
        Self::one_thread()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plane;

    #[test]
    fn bands_cover_every_row_once() {
        for (threads, height) in [(1, 0), (1, 5), (2, 5), (3, 2), (4, 4), (7, 100), (3, 0)] {
            let cpu = Cpu { threads: NonZeroUsize::new(threads).unwrap(), ..Cpu::default() };
            let mut image = Plane::filled(0usize, 3, height);
            cpu.write(image.view_mut(), &mut Vec::new(), |rows, mut band, (): &mut ()| {
                assert_eq!(rows.len(), band.height());
                rows.enumerate().for_each(|(y, row)| band.row_mut(y).fill(row + 1));
            });
            let expected: Vec<usize> = (0..height * 3).map(|at| at / 3 + 1).collect();
            assert_eq!(image.pixels(), expected);
            let mut fine = Plane::filled(0usize, 3, height);
            cpu.fine().write(fine.view_mut(), &mut Vec::new(), |rows, mut band, (): &mut ()| {
                rows.enumerate().for_each(|(y, row)| band.row_mut(y).fill(row + 1));
            });
            assert_eq!(fine, image);
            let rows: Vec<usize> = cpu.over_rows(height, Range::collect::<Vec<_>>).concat();
            assert_eq!(rows, Vec::from_iter(0..height));
        }
    }
}
