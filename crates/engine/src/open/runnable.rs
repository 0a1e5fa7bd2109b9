//! Workflows that can be read and shown, but not run.

use onceflow_study::{Diagnostic, NameRole, RegionDeclaration, RegionKind, Task, TaskOperation, Workflow};

/// Tasks of other systems, and regions that images do not give.
pub(super) fn refusals(workflow: &Workflow) -> Vec<Diagnostic> {
    let taken = |region: &&RegionDeclaration| workflow.tasks().any(|task| task.inputs.contains(&region.name));
    let given = workflow.inputs().filter(taken).filter_map(not_given);
    workflow.tasks().filter_map(not_run).chain(given).collect()
}

fn not_run(task: &Task) -> Option<Diagnostic> {
    let (found, hint) = match &task.op {
        TaskOperation::BuiltIn(_) | TaskOperation::Command(_) | TaskOperation::Python(_) => return None,
        TaskOperation::Foreign(foreign) => (
            format!("a step of another system, {}", foreign.kind),
            "give it an operation of the catalogue, a command, or a Python function",
        ),
    };
    let error = Diagnostic::error(format!("task `{}` cannot be run", task.name));
    let error = error.at_place(task.place_of(NameRole::Operation, "").as_ref(), "");
    Some(error.expected_found("a built-in operation or a command", found).with_hint(hint))
}

fn not_given(region: &RegionDeclaration) -> Option<Diagnostic> {
    if [RegionKind::Rgb8, RegionKind::Any].contains(&region.kind) {
        return None;
    }
    let error = Diagnostic::error(format!("no task makes `{}`, and images do not give it", region.name));
    let error = error.at_place(region.place.as_ref(), "");
    let error =
        error.expected_found("a region of the kind rgb8, which is read from images", region.kind.to_string());
    Some(error.with_hint("let a task make it, or declare it as rgb8"))
}
