//! One order of all tasks: stages one after the other, each after those it depends on, tasks as their chain says.

use onceflow_reuse::{Flow, Input};

use super::SchedulerError;

/// The place of each task in the order.
pub(super) fn ranks(flow: &Flow, waits_for: &[Vec<usize>]) -> Result<Vec<u32>, SchedulerError> {
    let mut ranks = vec![u32::MAX; flow.tasks.len()];
    let chained = stage_order(flow, waits_for)?.into_iter().flat_map(|stage| &flow.stages[stage].tasks);
    for (rank, task) in (0..).zip(chained) {
        ranks[*task] = rank;
    }
    let follows = |task: usize| needed(flow, waits_for, task).all(|other| ranks[other] < ranks[task]);
    if (0..ranks.len()).all(|task| ranks[task] != u32::MAX && follows(task)) {
        Ok(ranks)
    } else {
        Err(SchedulerError::Cycle)
    }
}

fn stage_order(flow: &Flow, waits_for: &[Vec<usize>]) -> Result<Vec<usize>, SchedulerError> {
    let needs = stage_needs(flow, waits_for);
    let mut order: Vec<usize> = Vec::with_capacity(needs.len());
    while order.len() < needs.len() {
        let ready = |stage: &usize| !order.contains(stage) && needs[*stage].iter().all(|n| order.contains(n));
        let next = (0..needs.len()).find(ready).ok_or(SchedulerError::Cycle)?;
        order.push(next);
    }
    Ok(order)
}

/// Per stage: the other stages whose tasks its tasks wait for, in their own row or in the reference row.
fn stage_needs(flow: &Flow, waits_for: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut needs = vec![Vec::new(); flow.stages.len()];
    for (at, task) in flow.tasks.iter().enumerate() {
        let stages = needed(flow, waits_for, at).map(|other| flow.tasks[other].stage);
        needs[task.stage].extend(stages.filter(|other| *other != task.stage));
    }
    needs
}

fn needed<'f>(flow: &'f Flow, waits_for: &'f [Vec<usize>], task: usize) -> impl Iterator<Item = usize> + 'f {
    let makers = flow.tasks[task].inputs.iter().filter_map(|input: &Input| input.maker());
    makers.chain(waits_for[task].iter().copied())
}
