//! Logs of programs by row, image and part.

use std::path::Path;

use onceflow_programs::{AskedLog, FoundLog, LogEntry};
use onceflow_reuse::Plan;
use onceflow_runtime::Instance;
use onceflow_study::Scope;

use crate::EngineError;
use crate::open::inputs::StudyInputs;
use crate::plan::duplicates::Duplicates;

/// Logs of a row on an image, in the folder of a run.
///
/// # Errors
/// When the folder of logs or its list exists and cannot be read.
pub fn find_logs(folder: &Path, asked: &AskedLog<'_>) -> Result<Vec<FoundLog>, EngineError> {
    Ok(onceflow_programs::find_logs(folder, asked)?)
}

/// Removes the logs of an earlier run.
pub(crate) fn forget_logs(folder: &Path) -> Result<(), EngineError> {
    Ok(onceflow_programs::forget_logs(folder)?)
}

/// Adds to the list of logs which row of a phase, whose first row has number `first`, has which log of these tasks.
pub(crate) fn list_logs(
    folder: &Path,
    (plan, same): (&Plan, &Duplicates),
    inputs: &StudyInputs,
    tasks: &[usize],
    first: usize,
) -> Result<(), EngineError> {
    let parts = numbered_parts(inputs);
    let entry = |row: usize, (site, image, part): (usize, usize, usize), task: usize| {
        let scope = plan.flow().scope(task);
        let node = plan.node(row, task);
        let site = match scope {
            Scope::Part => site,
            Scope::Image => image,
            Scope::Study => 0,
        };
        let maker = same.get(&Instance { node, site }).copied().unwrap_or(node);
        LogEntry {
            row: first + row,
            image: &inputs.images[image].name,
            part,
            task: &plan.flow().tasks[task].name,
            scope,
            made_for: first + plan.first_row(maker) as usize,
        }
    };
    let entry = &entry;
    let of_row =
        |row| parts.iter().flat_map(move |part| tasks.iter().map(move |task| entry(row, *part, *task)));
    Ok(onceflow_programs::list_logs(folder, (0..plan.rows()).flat_map(of_row))?)
}

/// Each part: its site, its image, and its number among the image's parts.
fn numbered_parts(inputs: &StudyInputs) -> Vec<(usize, usize, usize)> {
    let mut counts = vec![0; inputs.images.len()];
    let numbered = inputs.parts.iter().enumerate().map(|(site, at)| {
        let part = counts[at.image];
        counts[at.image] += 1;
        (site, at.image, part)
    });
    numbered.collect()
}
