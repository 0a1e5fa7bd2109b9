//! What of the machine an operation may use. Nothing but speed may depend on it.

use std::iter;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use crate::{Isa, ViewMut};

/// The instructions and the threads that an operation may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The instruction set.
    pub isa: Isa,
    /// How many bands of rows are worked on at a time.
    pub threads: NonZeroUsize,
}

impl Machine {
    /// The caller's thread with the processor's best instructions.
    pub fn one_thread() -> Self {
        Self { isa: Isa::best(), threads: NonZeroUsize::MIN }
    }

    /// Works on bands of rows, and gives what each made, from the top.
    pub(crate) fn over_rows<R: Send>(self, height: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
        self.run(self.coarse().bands(height).collect(), work)
    }

    /// Writes bands of rows, each with a state of its own that outlives the work.
    pub(crate) fn write<C: Cut, S: Default + Send>(
        self,
        target: C,
        states: &mut Vec<S>,
        work: impl Fn(Range<usize>, C, &mut S) + Sync,
    ) {
        self.coarse().write(target, states, work);
    }

    /// Works on bands of rows, each with a state of its own that outlives the work; says how many bands there are.
    pub(crate) fn over_states<S: Default + Send>(
        self,
        height: usize,
        states: &mut Vec<S>,
        work: impl Fn(Range<usize>, &mut S) + Sync,
    ) -> usize {
        self.write(Rows(height), states, |rows, _, state| work(rows, state));
        self.bands(height).count()
    }

    /// The bands into which so many rows are cut.
    pub(crate) fn bands(self, height: usize) -> impl Iterator<Item = Range<usize>> {
        self.coarse().bands(height)
    }

    /// One band for each thread.
    fn coarse(self) -> Bands {
        Bands { machine: self, count: self.threads.get() }
    }

    /// Some bands for each thread, where cutting costs little: who is done sooner does more of them.
    pub(crate) fn fine(self) -> Bands {
        let threads = self.threads.get();
        Bands { machine: self, count: if threads > 1 { FINE * threads } else { 1 } }
    }

    /// Works on items, each thread whenever it is free on the next one, the caller's among them; gives what they made in
    /// their order.
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

/// Waits until a thread has done its work. Threads that share work fairly end together, and to be woken, or to see a thread
/// through its end, takes as long as some hundred rows: therefore it is first asked again and again whether it is done,
/// while others who want the processor have it. If it panicked the scope does.
fn wait(thread: ScopedJoinHandle<'_, ()>) {
    for _ in 0..ASKED {
        if thread.is_finished() {
            return;
        }
        thread::yield_now();
    }
    thread.join().unwrap_or_else(|error| resume_unwind(error));
}

/// How often a thread is asked whether it is done: about 0.2 ms.
const ASKED: usize = 400;

/// Bands for each thread where they are many.
const FINE: usize = 4;

/// How an image is cut into bands of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bands {
    machine: Machine,
    count: usize,
}

impl Bands {
    /// [`Machine::write`].
    pub(crate) fn write<C: Cut, S: Default + Send>(
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
                self.machine.run(items, |((rows, band), state)| work(rows, band, state));
            }
        }
    }

    fn cut<C: Cut>(self, target: C) -> Vec<(Range<usize>, C)> {
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

    /// The bands into which so many rows are cut.
    fn bands(self, height: usize) -> impl Iterator<Item = Range<usize>> {
        let count = self.count.min(height.max(1));
        let start = move |band: usize| (band as u128 * height as u128 / count as u128) as usize;
        (0..count).map(move |band| start(band)..start(band + 1))
    }
}

/// What can be cut between two rows.
pub(crate) trait Cut: Send + Sized {
    /// Number of rows.
    fn height(&self) -> usize;
    /// The rows above `y`, and those from `y` on.
    fn cut(self, y: usize) -> (Self, Self);
}

/// Rows without pixels.
struct Rows(usize);

impl Cut for Rows {
    fn height(&self) -> usize {
        self.0
    }

    fn cut(self, y: usize) -> (Self, Self) {
        (Self(y), Self(self.0 - y))
    }
}

impl<T: Send> Cut for ViewMut<'_, T> {
    fn height(&self) -> usize {
        self.height()
    }

    fn cut(self, y: usize) -> (Self, Self) {
        self.split_at_row(y)
    }
}

/// Something beside something else, which says how many rows there are.
impl<C: Cut> Cut for Option<C> {
    fn height(&self) -> usize {
        self.as_ref().map_or(0, C::height)
    }

    fn cut(self, y: usize) -> (Self, Self) {
        self.map(|all| all.cut(y)).map_or((None, None), |(above, below)| (Some(above), Some(below)))
    }
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    fn height(&self) -> usize {
        self.0.height()
    }

    fn cut(self, y: usize) -> (Self, Self) {
        let (one, other) = (self.0.cut(y), self.1.cut(y));
        ((one.0, other.0), (one.1, other.1))
    }
}

impl Default for Machine {
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
            let machine = Machine { threads: NonZeroUsize::new(threads).unwrap(), ..Machine::default() };
            let mut image = Plane::filled(0usize, 3, height);
            machine.write(image.view_mut(), &mut Vec::new(), |rows, mut band, (): &mut ()| {
                assert_eq!(rows.len(), band.height());
                rows.enumerate().for_each(|(y, row)| band.row_mut(y).fill(row + 1));
            });
            let expected: Vec<usize> = (0..height * 3).map(|at| at / 3 + 1).collect();
            assert_eq!(image.pixels(), expected);
            let mut fine = Plane::filled(0usize, 3, height);
            machine.fine().write(fine.view_mut(), &mut Vec::new(), |rows, mut band, (): &mut ()| {
                rows.enumerate().for_each(|(y, row)| band.row_mut(y).fill(row + 1));
            });
            assert_eq!(fine, image);
            let rows: Vec<usize> = machine.over_rows(height, Range::collect::<Vec<_>>).concat();
            assert_eq!(rows, Vec::from_iter(0..height));
        }
    }
}
