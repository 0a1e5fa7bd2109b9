//! The threads of the background: they make content leave memory when it holds too much, and bring what was announced.

use std::sync::{Arc, MutexGuard};

use super::shared::Shared;
use super::state::State;
use crate::Digest;

enum Job {
    /// Content that is marked busy leaves memory.
    Leave(Digest),
    /// Content is brought to memory.
    Bring(Digest),
}

/// Works until the tiers stop.
pub(super) fn work(shared: &Arc<Shared>) {
    let mut state = shared.lock();
    while !state.stopping {
        let Some(job) = next(shared, &mut state) else {
            state = shared.wait(state);
            continue;
        };
        state.at_work += 1;
        drop(state);
        match &job {
            Job::Leave(digest) => drop(shared.evict(0, digest)),
            Job::Bring(digest) => shared.prefetch(digest),
        }
        state = shared.lock();
        state.at_work -= 1;
        shared.changed.notify_all();
    }
}

/// Waits until there is nothing more to do.
pub(super) fn wait_for_rest<'a>(
    shared: &'a Shared,
    mut state: MutexGuard<'a, State>,
) -> MutexGuard<'a, State> {
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

fn next(shared: &Shared, state: &mut State) -> Option<Job> {
    if must_leave(shared, state)
        && let Some(digest) = shared.victim(state, 0)
    {
        if let Some(entry) = state.entries.get_mut(&digest) {
            entry.busy = true;
        }
        return Some(Job::Leave(digest));
    }
    state.announced.pop_front().map(Job::Bring)
}

/// Whether memory holds more than its share, or somebody waits for some.
fn must_leave(shared: &Shared, state: &State) -> bool {
    let free = shared.budget.limit().saturating_sub(shared.budget.used());
    state.used[0] > shared.levels[0].capacity || state.wanted > free
}
