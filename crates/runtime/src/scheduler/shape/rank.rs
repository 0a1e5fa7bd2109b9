//! One order of all tasks: stages one after the other, each after those it depends on, tasks as their chain says.

use onceflow_reuse::Flow;

use super::SchedulerError;

/// The place of each task in the order.
pub(super) fn ranks(
    flow: &Flow,
    stage_order: &[usize],
    waits_for: &[Vec<usize>],
) -> Result<Vec<u32>, SchedulerError> {
    let mut ranks = vec![u32::MAX; flow.tasks.len()];
    let chained = stage_order.iter().flat_map(|stage| &flow.stages[*stage].tasks);
    for (rank, task) in (0..).zip(chained) {
        ranks[*task] = rank;
    }
    let follows = |task: usize| waits_for[task].iter().all(|other| ranks[*other] < ranks[task]);
    if (0..ranks.len()).all(|task| ranks[task] != u32::MAX && follows(task)) {
        Ok(ranks)
    } else {
        Err(SchedulerError::Cycle)
    }
}

/// The stages, each after those whose tasks its own wait for, and otherwise as they stand.
pub(super) fn stage_order(flow: &Flow) -> Result<Vec<usize>, SchedulerError> {
    let needs: Vec<Vec<usize>> = (0..flow.stages.len()).map(|stage| needs(flow, stage)).collect();
    let mut order: Vec<usize> = Vec::with_capacity(needs.len());
    while order.len() < needs.len() {
        let ready = |stage: &usize| !order.contains(stage) && needs[*stage].iter().all(|n| order.contains(n));
        let next = (0..needs.len()).find(ready).ok_or(SchedulerError::Cycle)?;
        order.push(next);
    }
    Ok(order)
}

fn needs(flow: &Flow, stage: usize) -> Vec<usize> {
    let tasks = flow.stages[stage].tasks.iter().map(|task| &flow.tasks[*task]);
    let needed = |task: &'_ onceflow_reuse::FlowTask| {
        let makers = task.inputs.iter().filter_map(|input| input.maker());
        makers.chain(task.after.iter().copied()).map(|other| flow.tasks[other].stage).collect::<Vec<_>>()
    };
    tasks.flat_map(needed).filter(|other| *other != stage).collect()
}
