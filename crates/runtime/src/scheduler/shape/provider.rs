//! What tasks take from the reference row: one provider per task of that row that others take from.
//!
//! A provider walks through the reference row's tasks as a row does, but only through those that its region hangs on,
//! and it goes on when the reference row itself has failed elsewhere.

use onceflow_reuse::{Flow, FlowInput};

use super::{deciders, last_ender};

/// A task of the reference row whose regions other rows take.
#[derive(Debug)]
pub(in crate::scheduler) struct Provider {
    /// The task.
    pub(in crate::scheduler) task: usize,
    /// Whether it walks through a task, by task.
    pub(in crate::scheduler) walks: Vec<bool>,
    /// The tasks, of any row, that take from it.
    pub(in crate::scheduler) takers: Vec<usize>,
    /// All tasks of the stages whose work it decides about.
    pub(in crate::scheduler) waiters: Vec<usize>,
}

impl Provider {
    pub(super) fn all(flow: &Flow, waits_for: &[Vec<usize>], stage_order: &[usize]) -> Vec<Self> {
        let decides = provided_to(flow, stage_order);
        let provided = (0..flow.tasks.len()).map(|task| (task, takers(flow, task)));
        let provider = |(task, takers)| {
            let waits = |waiter: &usize| decides[flow.tasks[*waiter].stage].contains(&task);
            let waiters = (0..flow.tasks.len()).filter(waits).collect();
            Self { task, walks: closure(flow, waits_for, task), takers, waiters }
        };
        provided.filter(|(_, takers)| !takers.is_empty()).map(provider).collect()
    }
}

/// Per stage: the tasks of the reference row that it or, as far as nothing else decides, the stages before it take from.
fn provided_to(flow: &Flow, stage_order: &[usize]) -> Vec<Vec<usize>> {
    let own = |stage: usize| {
        let inputs = flow.stages[stage].tasks.iter().flat_map(|task| &flow.tasks[*task].inputs);
        let maker = |input: &FlowInput| {
            if let FlowInput::Reference { task, .. } = input { Some(*task) } else { None }
        };
        inputs.filter_map(maker).collect::<Vec<_>>()
    };
    let before = deciders::collect(flow, stage_order, |stage, found: &[Vec<usize>]| {
        match last_ender(flow, &flow.stages[stage].tasks) {
            Some(_) => Vec::new(),
            None => [found[stage].clone(), own(stage)].concat(),
        }
    });
    before.into_iter().enumerate().map(|(stage, before)| [before, own(stage)].concat()).collect()
}

fn takers(flow: &Flow, maker: usize) -> Vec<usize> {
    let takes = |input: &FlowInput| matches!(input, FlowInput::Reference { task, .. } if *task == maker);
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
