//! The queues of the writers, and the write sessions of their groups.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{Distribution, StagingError};
use crate::blob::{BlobError, BlobStore, Content};
use crate::{Budget, Digest, Lease};

/// A blob that waits for its writer, with the memory that it takes.
pub(super) struct Buffer {
    pub(super) digest: Digest,
    pub(super) content: Box<dyn Content + Send>,
    pub(super) _lease: Lease,
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer").field("digest", &self.digest).finish_non_exhaustive()
    }
}

/// What computing threads and writers share.
pub(super) struct Queues {
    group_size: usize,
    batch: usize,
    distribution: Distribution,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    queues: Vec<VecDeque<Buffer>>,
    /// For each writer whether it still has to write in the session of its group.
    called: Vec<bool>,
    /// How many blobs were given out so far.
    given: u64,
    /// Computing threads that wait for memory, or for everything to be written: short queues are written too then.
    pressing: usize,
    closing: bool,
    error: Option<BlobError>,
}

impl Queues {
    pub(super) fn new(writers: usize, group_size: usize, batch: usize, distribution: Distribution) -> Queues {
        let state = State {
            queues: (0..writers).map(|_| VecDeque::new()).collect(),
            called: vec![false; writers],
            given: 0,
            pressing: 0,
            closing: false,
            error: None,
        };
        Queues { group_size, batch, distribution, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Reserves memory for a blob; waits for writers to give some back.
    pub(super) fn reserve(&self, budget: &Budget, bytes: u64) -> Result<Lease, StagingError> {
        if bytes > budget.limit() {
            return Err(StagingError::Large { bytes, limit: budget.limit() });
        }
        let mut state = self.lock();
        loop {
            if let Some(lease) = budget.try_reserve(bytes) {
                return Ok(lease);
            }
            state = match state.is_idle() {
                // Others than the writers have the memory: nobody tells when they give it back.
                true => {
                    let moment = std::time::Duration::from_millis(1);
                    self.changed.wait_timeout(state, moment).unwrap_or_else(PoisonError::into_inner).0
                }
                false => self.press(state),
            };
        }
    }

    /// Gives a blob to a writer.
    pub(super) fn push(&self, buffer: Buffer) -> Result<(), StagingError> {
        let mut state = self.lock();
        if let Some(error) = state.error.take() {
            return Err(error.into());
        }
        let writer = self.writer(state.given, state.queues.len());
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
        state.error.take().map_or(Ok(()), |error| Err(error.into()))
    }

    pub(super) fn close(&self) {
        self.lock().closing = true;
        self.changed.notify_all();
    }

    /// What a writer does until the queues are closed and empty.
    pub(super) fn work(&self, writer: usize, store: &dyn BlobStore) {
        let mut state = self.lock();
        loop {
            self.call_group(&mut state, writer);
            if state.called[writer] {
                let buffers = std::mem::take(&mut state.queues[writer]);
                drop(state);
                let failed = write(buffers, store);
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
    fn call_group(&self, state: &mut State, writer: usize) {
        let first = writer / self.group_size * self.group_size;
        let group = first..(first + self.group_size).min(state.queues.len());
        let hurry = state.pressing > 0 || state.closing;
        let ready = |queue: &VecDeque<Buffer>| queue.len() >= self.batch || hurry && !queue.is_empty();
        let in_session = state.called[group.clone()].contains(&true);
        if !in_session && state.queues[group.clone()].iter().any(ready) {
            state.called[group].fill(true);
            self.changed.notify_all();
        }
    }

    /// Waits for a change, and has short queues written meanwhile.
    fn press<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.pressing += 1;
        self.changed.notify_all();
        let mut state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.pressing -= 1;
        state
    }

    fn writer(&self, given: u64, writers: usize) -> usize {
        let number = match self.distribution {
            Distribution::RoundRobin => given,
            Distribution::Random(seed) => mixed(seed.wrapping_add(given.wrapping_mul(0x9e3779b97f4a7c15))),
        };
        (number % writers as u64) as usize
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_idle(&self) -> bool {
        self.queues.iter().all(VecDeque::is_empty) && !self.called.contains(&true)
    }
}

impl std::fmt::Debug for Queues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queues").field("group_size", &self.group_size).finish_non_exhaustive()
    }
}

/// Writes buffers one after the other; each gives its memory back at once. Tells the first failure.
fn write(buffers: VecDeque<Buffer>, store: &dyn BlobStore) -> Option<BlobError> {
    let write = |buffer: Buffer| store.write(&buffer.digest, &*buffer.content).err();
    buffers.into_iter().fold(None, |first, buffer| first.or(write(buffer)))
}

/// Splitmix64: numbers that look random.
pub(super) fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d049bb133111eb);
    number ^ (number >> 31)
}
