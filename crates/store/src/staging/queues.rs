//! The queues of the writers, and the write sessions of their groups.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use onceflow_region::{Budget, Lease};

use super::stager::Buffer;
use super::{Distribution, Sink, StagingError};

/// What computing threads and writers share.
pub(super) struct Queues<T> {
    group_size: usize,
    batch: usize,
    distribution: Distribution,
    state: Mutex<WriteQueueState<T>>,
    changed: Condvar,
}

struct WriteQueueState<T> {
    queues: Vec<VecDeque<Buffer<T>>>,
    /// For each writer whether it still has to write in the session of its group.
    called: Vec<bool>,
    /// How much was given out so far.
    given: u64,
    /// Computing threads that wait for memory, or for everything to be written: short queues are written too then.
    pressing: usize,
    closing: bool,
    error: Option<StagingError>,
}

impl<T> Queues<T> {
    pub(super) fn new(
        writers: usize,
        group_size: usize,
        batch: usize,
        distribution: Distribution,
    ) -> Queues<T> {
        let state = WriteQueueState {
            queues: (0..writers).map(|_| VecDeque::new()).collect(),
            called: vec![false; writers],
            given: 0,
            pressing: 0,
            closing: false,
            error: None,
        };
        Queues { group_size, batch, distribution, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Reserves memory for something to wait in; waits for writers to give some back, as long as they have any.
    pub(super) fn reserve(&self, budget: &Budget, bytes: u64) -> Option<Lease> {
        let mut state = self.lock();
        loop {
            let lease = budget.try_reserve(bytes);
            if lease.is_some() || state.is_idle() || bytes > budget.limit() {
                return lease;
            }
            state = self.press(state);
        }
    }

    /// Gives something to a writer.
    pub(super) fn push(&self, buffer: Buffer<T>) -> Result<(), StagingError> {
        let mut state = self.lock();
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        let writer = self.distribution.choose(state.given, state.queues.len());
        state.given += 1;
        state.queues[writer].push_back(buffer);
        if state.queues[writer].len() >= self.batch {
            self.changed.notify_all();
        }
        Ok(())
    }

    /// Waits until all queues are written.
    pub(super) fn flush(&self) -> Result<(), StagingError> {
        let mut state = self.lock();
        while !state.is_idle() {
            state = self.press(state);
        }
        state.error.take().map_or(Ok(()), Err)
    }

    pub(super) fn close(&self) {
        self.lock().closing = true;
        self.changed.notify_all();
    }

    /// What a writer does until the queues are closed and empty.
    pub(super) fn work(&self, writer: usize, sink: &impl Sink<Staged = T>) {
        let mut state = self.lock();
        loop {
            self.call_group(&mut state, writer);
            if state.called[writer] {
                let buffers = std::mem::take(&mut state.queues[writer]);
                drop(state);
                let failed = write(buffers, sink);
                state = self.lock();
                state.error = state.error.take().or(failed);
                state.called[writer] = false;
                self.changed.notify_all();
            } else if state.closing && state.queues[writer].is_empty() {
                return;
            } else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Calls the group of a writer into a session, when the last one is over and a queue is long enough.
    fn call_group(&self, state: &mut WriteQueueState<T>, writer: usize) {
        let first = writer / self.group_size * self.group_size;
        let group = first..(first + self.group_size).min(state.queues.len());
        let hurry = state.pressing > 0 || state.closing;
        let ready = |queue: &VecDeque<Buffer<T>>| queue.len() >= self.batch || hurry && !queue.is_empty();
        let in_session = state.called[group.clone()].contains(&true);
        if !in_session && state.queues[group.clone()].iter().any(ready) {
            state.called[group].fill(true);
            self.changed.notify_all();
        }
    }

    /// Waits for a change, and has short queues written meanwhile.
    fn press<'a>(&self, mut state: MutexGuard<'a, WriteQueueState<T>>) -> MutexGuard<'a, WriteQueueState<T>> {
        state.pressing += 1;
        self.changed.notify_all();
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.pressing -= 1;
        state
    }

    fn lock(&self) -> MutexGuard<'_, WriteQueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> WriteQueueState<T> {
    fn is_idle(&self) -> bool {
        self.queues.iter().all(VecDeque::is_empty) && !self.called.contains(&true)
    }
}

/// Writes buffers one after the other; each gives its memory back at once. Tells the first failure.
fn write<T>(buffers: VecDeque<Buffer<T>>, sink: &impl Sink<Staged = T>) -> Option<StagingError> {
    // All are written, even when others fail.
    buffers.into_iter().fold(None, |first, buffer| {
        let failed = buffer.write(sink);
        first.or(failed)
    })
}
