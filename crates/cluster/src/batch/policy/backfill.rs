//! Jobs that pass the first one that waits.

use super::order::{fcfs, strict};
use crate::batch::state::{BatchState, JobStage};
use crate::batch::tree::Hole;

/// EASY backfilling: jobs behind the head start if they end before it could, or take nodes it does not need.
pub(super) fn easy(state: &mut BatchState<'_>) {
    let Some(head) = fcfs(state) else { return };
    if state.free == 0 {
        return;
    }
    let nodes = state.shape(head).0;
    let (shadow, free) = state.enough_free(nodes);
    let hole = Hole { nodes: state.free, length: shadow - state.now, extra: free.saturating_sub(nodes) };
    fill(state, head, hole);
}

/// The paper's backfilling: jobs behind the head start if they end within its window.
pub(super) fn paper(state: &mut BatchState<'_>) {
    let Some(head) = strict(state) else { return };
    let Some(dependencies) = last_dependency(state, head) else { return };
    let (enough, _) = state.enough_free(state.shape(head).0);
    let window = enough.max(dependencies);
    fill(state, head, Hole { nodes: state.free, length: window - state.now, extra: 0 });
}

/// By planned ends, when the head's dependencies have ended; nothing when one of them has not started.
fn last_dependency(state: &BatchState<'_>, head: u32) -> Option<u64> {
    let mut last = state.now;
    for job in state.graph.after(head) {
        match state.stage(*job) {
            JobStage::Running { planned, .. } => last = last.max(planned),
            JobStage::Ended { .. } => {}
            JobStage::Unsubmitted | JobStage::Queued | JobStage::Cancelled => return None,
        }
    }
    Some(last)
}

/// Starts ready jobs behind the head that fit, in order.
fn fill(state: &mut BatchState<'_>, head: u32, mut hole: Hole) {
    let mut behind = head;
    let mut looked = 0;
    while let Some(job) = candidate(state, behind + 1, hole, &mut looked) {
        let shape = state.shape(job);
        if hole.fits(shape) {
            state.start(job);
            hole.nodes -= shape.0;
            if shape.1 > hole.length {
                hole.extra -= shape.0;
            }
        }
        behind = job;
    }
}

/// The next job to look at: with a depth each ready one, up to so many; without one those that fit.
fn candidate(state: &BatchState<'_>, from: u32, hole: Hole, looked: &mut usize) -> Option<u32> {
    if state.graph.depth == usize::MAX {
        return state.ready.fitting(from, hole);
    }
    *looked += 1;
    if *looked > state.graph.depth { None } else { state.ready.next(from) }
}
