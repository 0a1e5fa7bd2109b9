//! The levels: each is a choice of what a task's key is made of.

use super::reads::ReadColumns;
use crate::{Flow, FlowInput, Level};

/// What keys are made of, beside the task itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ingredient {
    /// The row: nothing is equal to it but itself.
    Row,
    /// What stands in a column of the rows.
    Read(usize),
    /// A region.
    Input(FlowInput),
    /// The key of the task before it in the chain.
    Previous(usize),
}

/// What the key of a task is made of.
pub(super) fn ingredients(flow: &Flow, reads: &ReadColumns, level: Level, task: usize) -> Vec<Ingredient> {
    let own_inputs = || flow.tasks[task].inputs.clone();
    let stage = flow.tasks[task].stage;
    let alone = |merges: bool| (!merges).then_some(Ingredient::Row);
    let (row, read_by, inputs, previous) = match level {
        Level::None => (alone(false), vec![task], own_inputs(), None),
        Level::Stage => {
            // Whatever comes after a task that never repeats differs from row to row, so the whole stage does.
            let chain = &flow.stages[stage].tasks;
            let merges = chain.iter().all(|task| flow.repeats(*task));
            (alone(merges), chain.clone(), flow.stage_inputs(stage), None)
        }
        Level::Task => {
            let previous = flow.previous(task);
            let inputs = if previous.is_none() { flow.stage_inputs(stage) } else { Vec::new() };
            (alone(flow.repeats(task)), vec![task], inputs, previous)
        }
        Level::Dataflow | Level::Convergent | Level::Object => {
            (alone(flow.repeats(task)), vec![task], own_inputs(), None)
        }
    };
    let mut columns: Vec<usize> = read_by.into_iter().flat_map(|task| reads.of(task)).collect();
    if level >= Level::Task {
        columns.extend(reads.bucket(stage));
    }
    columns.sort_unstable();
    columns.dedup();
    let reads = columns.into_iter().map(Ingredient::Read);
    let inputs = inputs.into_iter().map(Ingredient::Input);
    row.into_iter().chain(reads).chain(previous.map(Ingredient::Previous)).chain(inputs).collect()
}
