//! Jobs in order, without backfilling.

use crate::batch::state::BatchState;

/// Starts the first of all submitted jobs while it is ready and fits; the one it stops at.
pub(super) fn strict(state: &mut BatchState<'_>) -> Option<u32> {
    loop {
        let head = state.queued.as_ref()?.next(0)?;
        if !state.is_ready(head) || state.shape(head).0 > state.free {
            return Some(head);
        }
        state.start(head);
    }
}

/// Starts the first ready job while it fits; the one it stops at.
pub(super) fn fcfs(state: &mut BatchState<'_>) -> Option<u32> {
    loop {
        let head = state.ready.next(0)?;
        if state.shape(head).0 > state.free {
            return Some(head);
        }
        state.start(head);
    }
}
