//! The tiers as their threads see them: stores, capacities, and the state under its lock.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use onceflow_region::{Budget, Digest, Lease};

use super::entry::TierEntry;
use super::state::TierState;
use super::{EvictionPolicy, TierError};
use crate::blob::{BlobError, BlobStore};

/// One tier: where its content lies, and how much of it.
pub(super) struct TierLevel {
    /// `None` for memory.
    pub(super) store: Option<Arc<dyn BlobStore>>,
    pub(super) capacity: u64,
    pub(super) policy: EvictionPolicy,
    /// Seconds that reading a byte takes.
    pub(super) reading: f64,
}

/// Much less than a disk takes for a region, and much more than a look at the state.
const MOMENT: Duration = Duration::from_millis(5);

pub(super) struct SharedTiers {
    pub(super) budget: Budget,
    pub(super) levels: Vec<TierLevel>,
    pub(super) state: Mutex<TierState>,
    /// Whenever something in the state has changed that a thread may wait for.
    pub(super) changed: Condvar,
}

impl SharedTiers {
    /// Threads that stop in the middle of a change would be a fault of this module; the state is whole at each unlock.
    pub(super) fn lock(&self) -> MutexGuard<'_, TierState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait<'a>(&self, state: MutexGuard<'a, TierState>) -> MutexGuard<'a, TierState> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change or a short time: readers take and drop regions without a notification, which changes what can
    /// be evicted.
    pub(super) fn wait_a_moment<'a>(&self, state: MutexGuard<'a, TierState>) -> MutexGuard<'a, TierState> {
        self.changed.wait_timeout(state, MOMENT).unwrap_or_else(PoisonError::into_inner).0
    }

    /// The store of a tier; memory has none.
    pub(super) fn store(&self, tier: usize) -> Option<&dyn BlobStore> {
        self.levels.get(tier)?.store.as_deref()
    }

    /// Tells what has failed in the background. Then failed tiers are tried again.
    pub(super) fn surface(&self) -> Result<(), TierError> {
        let mut state = self.lock();
        match state.errors.pop_front() {
            None => Ok(()),
            Some(error) => {
                state.broken.fill(false);
                state.loosen();
                self.changed.notify_all();
                Err(TierError::Background(Box::new(error)))
            }
        }
    }

    /// Reserves memory; what can leave leaves for it.
    pub(super) fn reserve(&self, bytes: u64) -> Result<Lease, TierError> {
        let mut state = self.lock();
        state.wanted += bytes;
        let reserved = loop {
            state.sweep();
            if let Some(lease) = self.budget.try_reserve(bytes) {
                break Ok(lease);
            }
            let hopeless = state.at_work == 0 && self.victim(&state, 0).is_none();
            if hopeless || bytes > self.budget.limit() {
                let free = self.budget.limit().saturating_sub(self.budget.used());
                break Err(TierError::Full { bytes, free });
            }
            self.changed.notify_all();
            state = self.wait_a_moment(state);
        };
        state.wanted -= bytes;
        reserved
    }

    /// What leaves a tier next.
    pub(super) fn victim(&self, state: &TierState, tier: usize) -> Option<Digest> {
        let policy = self.levels[tier].policy;
        let reading = self.levels.get(tier + 1).map_or(f64::INFINITY, |below| below.reading);
        let rank = |entry: &TierEntry| entry.rank(tier, policy, reading);
        let leaving = state.entries.iter().filter(|(_, entry)| entry.can_leave(tier));
        let first = leaving.min_by(|(_, a), (_, b)| {
            let ((cost_a, time_a), (cost_b, time_b)) = (rank(a), rank(b));
            cost_a.total_cmp(&cost_b).then(time_a.cmp(&time_b))
        });
        first.map(|(digest, _)| *digest)
    }

    /// Removes content without keys, unless a thread works on it; that thread then removes it.
    pub(super) fn remove_unwanted(&self, state: &mut TierState, digest: &Digest) {
        if state.entries.get(digest).is_some_and(|entry| entry.is_unwanted() && !entry.busy) {
            self.remove(state, digest);
        }
    }

    /// Removes content from all tiers, and the keys that lead to it.
    pub(super) fn remove(&self, state: &mut TierState, digest: &Digest) {
        state.leave_memory(digest);
        for tier in 1..self.levels.len() {
            self.leave_store(state, tier, digest);
        }
        if let Some(entry) = state.entries.remove(digest) {
            for key in &entry.keys {
                state.index.take(key);
            }
        }
    }

    /// Removes content from a tier below memory. This happens under the lock, so that no thread writes it again meanwhile.
    pub(super) fn leave_store(&self, state: &mut TierState, tier: usize, digest: &Digest) {
        let Some(entry) = state.entries.get_mut(digest).filter(|entry| entry.below[tier]) else { return };
        entry.below[tier] = false;
        state.used[tier] -= entry.length;
        match self.store(tier).map_or(Ok(()), |store| store.remove(digest)) {
            // What was found damaged has been moved away.
            Ok(()) | Err(BlobError::Missing { .. }) => {}
            Err(error) => state.errors.push_back(error.into()),
        }
    }

    /// A thread has done its work on some content.
    pub(super) fn settle(&self, state: &mut TierState, digest: &Digest) {
        if let Some(entry) = state.entries.get_mut(digest) {
            entry.busy = false;
        }
        self.remove_unwanted(state, digest);
        self.changed.notify_all();
    }
}
