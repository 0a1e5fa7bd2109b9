//! Computing threads that write together: what they have made waits, and one session writes what a group has waiting.
//!
//! A thread that comes while its group is in a session helps to write, and computes on when the session is over: that is
//! what a group costs. No thread waits for one that does not come, so a thread without work holds up no other.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use onceflow_region::{Budget, Lease};

use super::stager::Buffer;
use super::{Distribution, Sink, StagingError};

/// What computing threads share.
pub(super) struct StagingGroups<T> {
    group_size: usize,
    batch: usize,
    /// Which group something waits with; that of its maker without it.
    distribution: Option<Distribution>,
    state: Mutex<GroupState<T>>,
    changed: Condvar,
}

struct GroupState<T> {
    /// Threads by their number: in the order in which they came.
    threads: HashMap<ThreadId, usize>,
    groups: Vec<StagingGroup<T>>,
    /// How much was given out so far.
    given: u64,
    error: Option<StagingError>,
}

/// Threads whose numbers follow each other.
struct StagingGroup<T> {
    /// What is written in the next session.
    waiting: VecDeque<Buffer<T>>,
    /// How much of this each thread has brought.
    brought: HashMap<usize, usize>,
    /// What the session has left to write, and how many threads write at this moment.
    session: VecDeque<Buffer<T>>,
    writing: usize,
}

impl<T> StagingGroups<T> {
    pub(super) fn new(
        group_size: usize,
        batch: usize,
        distribution: Option<Distribution>,
    ) -> StagingGroups<T> {
        let state = GroupState { threads: HashMap::new(), groups: Vec::new(), given: 0, error: None };
        StagingGroups { group_size, batch, distribution, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Reserves memory for something to wait in. When there is none, what takes it is written; then there is no need to.
    pub(super) fn reserve(
        &self,
        budget: &Budget,
        bytes: u64,
        sink: &impl Sink<Staged = T>,
    ) -> Result<Option<Lease>, StagingError> {
        let lease = budget.try_reserve(bytes);
        if lease.is_none() {
            self.flush(sink)?;
        }
        Ok(lease)
    }

    /// Adds what the calling thread has made to what a group has waiting, and writes when that makes a batch.
    pub(super) fn push(&self, buffer: Buffer<T>, sink: &impl Sink<Staged = T>) -> Result<(), StagingError> {
        let mut state = self.lock();
        let (thread, own) = state.place(self.group_size);
        let group = self.distribution.map_or(own, |way| way.choose(state.given, state.groups.len()));
        state.given += 1;
        state.groups[group].add(thread, buffer);
        state = self.help(state, own, sink);
        state = self.help(state, group, sink);
        // Another thread that waited for the end of the session may have written it meanwhile.
        if state.groups[group].brought.get(&thread).is_some_and(|&brought| brought >= self.batch) {
            state = self.write(state, group, sink);
        }
        state.error.take().map_or(Ok(()), Err)
    }

    /// Writes all that waits, of all groups.
    pub(super) fn flush(&self, sink: &impl Sink<Staged = T>) -> Result<(), StagingError> {
        let mut state = self.lock();
        for group in 0..state.groups.len() {
            state = self.help(state, group, sink);
            state = self.write(state, group, sink);
        }
        state.error.take().map_or(Ok(()), Err)
    }

    /// A session of a group, when it is in none.
    fn write<'a>(
        &'a self,
        mut state: MutexGuard<'a, GroupState<T>>,
        group: usize,
        sink: &impl Sink<Staged = T>,
    ) -> MutexGuard<'a, GroupState<T>> {
        let its = &mut state.groups[group];
        if !its.is_in_session() {
            its.brought.clear();
            its.session = std::mem::take(&mut its.waiting);
            self.changed.notify_all();
        }
        self.help(state, group, sink)
    }

    /// Writes with the others until the session of a group is over.
    fn help<'a>(
        &'a self,
        mut state: MutexGuard<'a, GroupState<T>>,
        group: usize,
        sink: &impl Sink<Staged = T>,
    ) -> MutexGuard<'a, GroupState<T>> {
        while state.groups[group].is_in_session() {
            let Some(buffer) = state.groups[group].session.pop_front() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.groups[group].writing += 1;
            drop(state);
            let failed = buffer.write(sink);
            state = self.lock();
            state.groups[group].writing -= 1;
            state.error = state.error.take().or(failed);
            self.changed.notify_all();
        }
        state
    }

    fn lock(&self) -> MutexGuard<'_, GroupState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> GroupState<T> {
    /// The number of the calling thread, and that of its group.
    fn place(&mut self, group_size: usize) -> (usize, usize) {
        let next = self.threads.len();
        let thread = *self.threads.entry(thread::current().id()).or_insert(next);
        let group = thread / group_size;
        if self.groups.len() <= group {
            self.groups.resize_with(group + 1, StagingGroup::new);
        }
        (thread, group)
    }
}

impl<T> StagingGroup<T> {
    fn new() -> StagingGroup<T> {
        StagingGroup {
            waiting: VecDeque::new(),
            brought: HashMap::new(),
            session: VecDeque::new(),
            writing: 0,
        }
    }

    fn add(&mut self, thread: usize, buffer: Buffer<T>) {
        self.waiting.push_back(buffer);
        *self.brought.entry(thread).or_default() += 1;
    }

    fn is_in_session(&self) -> bool {
        self.writing > 0 || !self.session.is_empty()
    }
}
