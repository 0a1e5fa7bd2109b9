//! The threads of the background: they make content leave memory when it holds too much, and bring what was announced.

use std::sync::{Arc, MutexGuard};

use onceflow_region::Digest;

use super::shared::SharedTiers;
use super::state::TierState;

enum TierJob {
    /// Content that is marked busy leaves memory.
    Leave(Digest),
    /// Content is brought to memory.
    Bring(Digest),
}

/// Works until the tiers stop.
pub(super) fn work(shared: &Arc<SharedTiers>) {
    let mut state = shared.lock();
    while !state.stopping {
        let Some(job) = next(shared, &mut state) else {
            state = shared.wait(state);
            continue;
        };
        state.at_work += 1;
        drop(state);
        match &job {
            TierJob::Leave(digest) => drop(shared.evict(0, digest)),
            TierJob::Bring(digest) => shared.prefetch(digest),
        }
        state = shared.lock();
        state.at_work -= 1;
        shared.changed.notify_all();
    }
}

/// Waits until there is nothing more to do.
pub(super) fn wait_for_rest<'a>(
    shared: &'a SharedTiers,
    mut state: MutexGuard<'a, TierState>,
) -> MutexGuard<'a, TierState> {
    loop {
        state.sweep();
        let leaving = must_leave(shared, &state) && shared.victim(&state, 0).is_some();
        if state.at_work == 0 && !leaving && state.announced.is_empty() {
            return state;
        }
        shared.changed.notify_all();
        state = shared.wait_a_moment(state);
    }
}

fn next(shared: &SharedTiers, state: &mut TierState) -> Option<TierJob> {
    if must_leave(shared, state)
        && let Some(digest) = shared.victim(state, 0)
    {
        if let Some(entry) = state.entries.get_mut(&digest) {
            entry.busy = true;
        }
        return Some(TierJob::Leave(digest));
    }
    state.announced.pop_front().map(TierJob::Bring)
}

/// Whether memory holds more than its share, or a thread waits for memory.
fn must_leave(shared: &SharedTiers, state: &TierState) -> bool {
    let free = shared.budget.limit().saturating_sub(shared.budget.used());
    state.used[0] > shared.levels[0].capacity || state.wanted > free
}
