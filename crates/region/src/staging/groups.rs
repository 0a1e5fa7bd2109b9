//! Computing threads that write together: what each has made waits, and one session writes what a group has waiting.
//!
//! A thread that comes while its group is in a session helps to write, and computes on when the session is over: that is
//! what a group costs. Nobody waits for a thread that does not come, so that one without work holds up no other.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use super::StagingError;
use super::queues::Buffer;
use crate::blob::{BlobError, BlobStore};

/// What computing threads share.
#[derive(Debug)]
pub(super) struct Groups {
    group_size: usize,
    batch: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Threads by their number: in the order in which they came.
    threads: HashMap<ThreadId, usize>,
    groups: Vec<Group>,
    error: Option<BlobError>,
}

/// Threads whose numbers follow each other.
#[derive(Debug, Default)]
struct Group {
    /// What is written in the next session.
    waiting: VecDeque<Buffer>,
    /// How many of these each thread has made.
    made: HashMap<usize, usize>,
    /// What the session has left to write, and how many threads write at this moment.
    session: VecDeque<Buffer>,
    writing: usize,
}

impl Groups {
    pub(super) fn new(group_size: usize, batch: usize) -> Groups {
        Groups { group_size, batch, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Adds what the calling thread has made to what its group has waiting, and writes when that makes a batch.
    pub(super) fn push(&self, buffer: Buffer, store: &dyn BlobStore) -> Result<(), StagingError> {
        let mut state = self.lock();
        let (thread, group) = state.place(self.group_size);
        let mine = &mut state.groups[group];
        mine.waiting.push_back(buffer);
        *mine.made.entry(thread).or_default() += 1;
        state = self.help(state, group, store);
        // Whoever else waited for the end of the session may have written it meanwhile.
        if state.groups[group].made.get(&thread).is_some_and(|&made| made >= self.batch) {
            state = self.write(state, group, store);
        }
        state.error.take().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Writes all that waits, of all groups.
    pub(super) fn flush(&self, store: &dyn BlobStore) -> Result<(), StagingError> {
        let mut state = self.lock();
        for group in 0..state.groups.len() {
            state = self.help(state, group, store);
            state = self.write(state, group, store);
        }
        state.error.take().map_or(Ok(()), |error| Err(error.into()))
    }

    /// A session of a group, when it is in none.
    fn write<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        group: usize,
        store: &dyn BlobStore,
    ) -> MutexGuard<'a, State> {
        let its = &mut state.groups[group];
        if !its.is_in_session() {
            its.made.clear();
            its.session = std::mem::take(&mut its.waiting);
            self.changed.notify_all();
        }
        self.help(state, group, store)
    }

    /// Writes with the others until the session of a group is over.
    fn help<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        group: usize,
        store: &dyn BlobStore,
    ) -> MutexGuard<'a, State> {
        while state.groups[group].is_in_session() {
            let Some(buffer) = state.groups[group].session.pop_front() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.groups[group].writing += 1;
            drop(state);
            let failed = store.write(&buffer.digest, &*buffer.content).err();
            drop(buffer);
            state = self.lock();
            state.groups[group].writing -= 1;
            state.error = state.error.take().or(failed);
            self.changed.notify_all();
        }
        state
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The number of the calling thread, and that of its group.
    fn place(&mut self, group_size: usize) -> (usize, usize) {
        let next = self.threads.len();
        let thread = *self.threads.entry(thread::current().id()).or_insert(next);
        let group = thread / group_size;
        if self.groups.len() <= group {
            self.groups.resize_with(group + 1, Group::default);
        }
        (thread, group)
    }
}

impl Group {
    fn is_in_session(&self) -> bool {
        self.writing > 0 || !self.session.is_empty()
    }
}
