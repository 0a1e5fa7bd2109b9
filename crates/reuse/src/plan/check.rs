//! Whether a flow keeps its promises: a hand-made one need not.

use super::PlanError;
use crate::{Flow, FlowInput, ParameterRows};

pub(super) fn check(flow: &Flow, rows: &ParameterRows) -> Result<(), PlanError> {
    if let Some(reference) = rows.reference.filter(|row| *row >= rows.len()) {
        return Err(PlanError::NoSuchReference { reference, rows: rows.len() });
    }
    for task in 0..flow.tasks.len() {
        if let Some(what) = flaw(flow, task, rows.reference.is_some()) {
            return Err(PlanError::BrokenFlow { task: flow.tasks[task].name.clone(), what });
        }
    }
    Ok(())
}

fn flaw(flow: &Flow, at: usize, has_reference: bool) -> Option<&'static str> {
    let task = &flow.tasks[at];
    let stands = |stage: &crate::FlowStage| stage.tasks.iter().filter(|other| **other == at).count();
    let (here, all) =
        (flow.stages.get(task.stage).map_or(0, stands), flow.stages.iter().map(stands).sum::<usize>());
    if (here, all) != (1, 1) {
        return Some("does not stand once in its own stage and in no other");
    }
    if flow.previous(at).is_some_and(|previous| previous >= at) {
        return Some("comes before the task that precedes it in its stage's chain");
    }
    task.inputs.iter().find_map(|input| input_flaw(flow, at, *input, has_reference))
}

fn input_flaw(flow: &Flow, at: usize, input: FlowInput, has_reference: bool) -> Option<&'static str> {
    match input {
        FlowInput::Source(source) => {
            (source >= flow.sources.len()).then_some("takes a source that is not there")
        }
        FlowInput::Task { task, output } | FlowInput::Reference { task, output } => {
            if task >= at {
                return Some("takes a region that is made later");
            }
            if output >= flow.tasks[task].outputs.len() {
                return Some("takes an output that is not there");
            }
            let of_reference = matches!(input, FlowInput::Reference { .. });
            if of_reference && flow.tasks[task].stage == flow.tasks[at].stage {
                return Some("takes a region of the reference row that its own stage makes");
            }
            let missing = of_reference && !has_reference && flow.reference_source(task, output).is_none();
            missing.then_some("takes a region of the reference row, which neither a row nor a source gives")
        }
    }
}
