//! The stage `compare` that metrics add to a workflow.

use crate::open::measures::holds_measures;
use onceflow_kernels::compare::MetricKind;
use onceflow_nuclei::COMPARE;
use onceflow_registration::COLUMNS;
use onceflow_reuse::REFERENCE_SUFFIX;
use onceflow_study::{
    Against, Binding, BoundValue, Metric, RegionDeclaration, RegionKind, Stage, StageStep, Task,
    TaskOperation, Value, Workflow,
};

/// Name of the stage.
pub(crate) const STAGE: &str = "compare";

/// The source that holds the truth of a part.
pub(crate) const TRUTH: &str = "truth";

/// The source of the counted window of a part; no region of a workflow has such a name.
pub(crate) const COUNTED: &str = "counted@part";

/// The empty source, for inputs that no metric needs.
pub(crate) const NOTHING: &str = "nothing";

/// Whether a source of this name is the image.
pub(crate) fn is_image(name: &str) -> bool {
    ![NOTHING, COUNTED, TRUTH].contains(&name) && !name.ends_with(REFERENCE_SUFFIX)
}

/// The outputs of the workflow measured by metrics, each once, in the order of the metrics.
pub(crate) fn measured(metrics: &[Metric]) -> Vec<&str> {
    let mut regions: Vec<&str> = Vec::new();
    for region in metrics.iter().filter_map(|m| m.of.as_deref()) {
        if !regions.contains(&region) {
            regions.push(region);
        }
    }
    regions
}

/// The workflow with the stage `compare`: one task per measured output, whose inputs are the output, the same of the
/// reference row and the truth if a metric needs them, and the counted window of the part.
pub(crate) fn with_compare(workflow: &Workflow, metrics: &[Metric]) -> Workflow {
    let regions = measured(metrics);
    let mut stage = Stage::new(STAGE);
    let task = |region: &&str| match holds_measures(region, workflow) {
        true => columns(region, regions.len()),
        false => task(region, regions.len(), metrics),
    };
    stage.steps = regions.iter().map(|region| StageStep::Task(task(region))).collect();
    stage.inputs = taken(&stage);
    stage.outputs = stage.tasks().flat_map(|task| task.outputs.clone()).collect();
    let mut extended = workflow.clone();
    for name in stage.inputs.iter().chain(&stage.outputs) {
        declare(&mut extended, name, kind_of(workflow, name));
    }
    extended.outputs.clone_from(&stage.outputs);
    extended.stages.push(stage);
    extended
}

/// Hands a table of measures on.
fn columns(region: &str, regions: usize) -> Task {
    let name = if regions == 1 { STAGE.to_owned() } else { format!("{STAGE}_{region}") };
    let mut task = Task::new(&name, TaskOperation::BuiltIn(COLUMNS.into()));
    task.inputs = vec![region.to_owned()];
    task.outputs = vec![format!("{name}_counts")];
    task
}

fn task(region: &str, regions: usize, metrics: &[Metric]) -> Task {
    let asks =
        |against: Against| metrics.iter().any(|m| m.of.as_deref() == Some(region) && m.against == against);
    let name = if regions == 1 { STAGE.to_owned() } else { format!("{STAGE}_{region}") };
    let source = |wanted: bool, name: &str| if wanted { name.to_owned() } else { NOTHING.to_owned() };
    let mut task = Task::new(&name, TaskOperation::BuiltIn(COMPARE.into()));
    task.inputs = vec![
        region.to_owned(),
        source(asks(Against::Default), &format!("{region}{REFERENCE_SUFFIX}")),
        source(asks(Against::Truth), TRUTH),
        COUNTED.to_owned(),
    ];
    task.outputs = vec![format!("{name}_counts")];
    let of_region = |m: &&Metric| m.of.as_deref() == Some(region);
    let measure = |m: &Metric| m.measure.as_deref().and_then(MetricKind::from_word);
    // Distances between outlines are expensive: they are computed only if a measure needs them.
    let outlines = metrics.iter().filter(of_region).filter_map(measure).any(MetricKind::needs_boundaries);
    let bound = BoundValue::Constant(Value::Integer(outlines.into()));
    task.reads = vec![Binding { operation_parameter: "boundary".into(), bound }];
    task
}

fn kind_of(workflow: &Workflow, name: &str) -> RegionKind {
    let made = name.strip_suffix(REFERENCE_SUFFIX).unwrap_or(name);
    match workflow.region(made) {
        Some(region) => region.kind,
        None if [TRUTH, COUNTED, NOTHING].contains(&name) => RegionKind::Any,
        None => RegionKind::Table,
    }
}

fn declare(workflow: &mut Workflow, name: &str, kind: RegionKind) {
    if workflow.region(name).is_none() {
        workflow.regions.push(RegionDeclaration { name: name.into(), kind, place: None });
    }
}

/// The inputs of the tasks of a stage, each once.
fn taken(stage: &Stage) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in stage.tasks().flat_map(|task| &task.inputs) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use onceflow_study::{read_workflow, shipped_workflow};

    use super::*;

    fn metric(measure: &str, against: Against) -> Metric {
        Metric { name: measure.into(), of: Some("nuclei".into()), measure: Some(measure.into()), against }
    }

    fn compare(metrics: &[Metric]) -> Workflow {
        let nuclei = read_workflow(&shipped_workflow("nuclei").unwrap()).unwrap();
        with_compare(&nuclei, metrics)
    }

    #[test]
    fn metrics_become_one_more_stage() {
        let extended =
            compare(&[metric("dice", Against::Truth), metric("pixel_difference", Against::Default)]);
        assert_eq!((extended.stage_count(), extended.task_count()), (4, 12));
        let task = extended.stage(STAGE).unwrap().tasks().next().unwrap().clone();
        assert_eq!(task.inputs, ["nuclei", "nuclei@reference", "truth", "counted@part"]);
        assert_eq!(extended.outputs, ["compare_counts"]);
    }

    #[test]
    fn inputs_that_no_metric_needs_are_empty() {
        let extended = compare(&[metric("objects", Against::Nothing)]);
        let task = extended.stage(STAGE).unwrap().tasks().next().unwrap().clone();
        assert_eq!(task.inputs, ["nuclei", "nothing", "nothing", "counted@part"]);
    }
}
