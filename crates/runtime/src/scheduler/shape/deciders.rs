//! What must be known before a stage begins for a row: whether each stage it takes from has ended.
//!
//! Under some levels a stage's work is equal only when all that goes into the stage is, so a row must not begin a stage
//! with stand-ins of which a part is still open. Where a stage cannot end, what decides about the stages before it counts.

use onceflow_reuse::Flow;

use super::last_ender;

/// Per stage: the tasks that decide what it is given.
pub(super) fn deciders(flow: &Flow, stage_order: &[usize]) -> Vec<Vec<usize>> {
    collect(flow, stage_order, |stage, found: &[Vec<usize>]| {
        last_ender(flow, &flow.stages[stage].tasks).map_or_else(|| found[stage].clone(), |ender| vec![ender])
    })
}

/// Per stage: what the stages that it takes from hand on, as `hand_on` says when their own is found.
pub(super) fn collect(
    flow: &Flow,
    stage_order: &[usize],
    hand_on: impl Fn(usize, &[Vec<usize>]) -> Vec<usize>,
) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); flow.stages.len()];
    for stage in stage_order {
        let handed = taken_from(flow, *stage).flat_map(|other| hand_on(other, &found));
        let mut handed: Vec<usize> = handed.collect();
        handed.sort_unstable();
        handed.dedup();
        found[*stage] = handed;
    }
    found
}

/// The other stages that a stage takes regions from, in its own row or in the reference row.
fn taken_from(flow: &Flow, stage: usize) -> impl Iterator<Item = usize> {
    let inputs = flow.stages[stage].tasks.iter().flat_map(|task| &flow.tasks[*task].inputs);
    let stages = inputs.filter_map(|input| input.maker()).map(|maker| flow.tasks[maker].stage);
    stages.filter(move |other| *other != stage)
}
