//! What tasks take from the reference row: one provider per task of that row that others take from.
//!
//! A provider walks through the reference row's tasks as a row does, but only through those that its region hangs on,
//! and it goes on when the reference row itself has failed elsewhere.

use onceflow_reuse::{Flow, Input};

use super::last_ender;

/// A task of the reference row whose regions other rows take.
#[derive(Debug)]
pub(in crate::scheduler) struct Provider {
    /// The task.
    pub(in crate::scheduler) task: usize,
    /// Whether it walks through a task, by task.
    pub(in crate::scheduler) walks: Vec<bool>,
    /// The tasks, of any row, that take from it.
    pub(in crate::scheduler) takers: Vec<usize>,
}

impl Provider {
    pub(super) fn all(flow: &Flow, waits_for: &[Vec<usize>]) -> Vec<Self> {
        let provided = (0..flow.tasks.len()).map(|task| (task, takers(flow, task)));
        let provider = |(task, takers)| Self { task, walks: closure(flow, waits_for, task), takers };
        provided.filter(|(_, takers)| !takers.is_empty()).map(provider).collect()
    }
}

fn takers(flow: &Flow, maker: usize) -> Vec<usize> {
    let takes = |input: &Input| matches!(input, Input::Reference { task, .. } if *task == maker);
    (0..flow.tasks.len()).filter(|task| flow.tasks[*task].inputs.iter().any(takes)).collect()
}

/// The task, what decides whether its stage ended, and all that these wait for.
fn closure(flow: &Flow, waits_for: &[Vec<usize>], task: usize) -> Vec<bool> {
    let mut walks = vec![false; flow.tasks.len()];
    let mut open: Vec<usize> =
        last_ender(flow, &flow.stages[flow.tasks[task].stage].tasks).into_iter().collect();
    open.push(task);
    while let Some(task) = open.pop() {
        if !std::mem::replace(&mut walks[task], true) {
            open.extend(&waits_for[task]);
        }
    }
    walks
}
