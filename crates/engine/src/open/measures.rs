//! Measures and outputs that metrics name: words and kinds that only the operations know.

use std::sync::Arc;

use onceflow_kernels::compare::MetricKind;
use onceflow_registration::{MEASURES, METRICS, is_measure};
use onceflow_study::{Diagnostic, Metric, RegionKind, SourceText, Task, Workflow, nearest, parse_toml};

/// What is wrong with a metric.
pub(crate) struct MetricRefusal {
    /// Its place in the study.
    metric: usize,
    /// The key that is wrong.
    key: &'static str,
    pub(crate) message: Diagnostic,
}

/// Unknown measures, and outputs that cannot be compared.
pub(crate) fn refusals(metrics: &[Metric], workflow: &Workflow) -> Vec<MetricRefusal> {
    let of_metric = |(place, metric): (usize, &Metric)| {
        let measure =
            unknown_measure(metric, is_measured(metric, workflow)).map(|message| ("measure", message));
        let output = no_objects(metric, workflow).map(|message| ("of", message));
        let refusal = move |(key, message)| MetricRefusal { metric: place, key, message };
        measure.into_iter().chain(output).map(refusal)
    };
    metrics.iter().enumerate().flat_map(of_metric).collect()
}

/// The same with the places in the study's text.
pub(super) fn look(metrics: &[Metric], workflow: &Workflow, source: &Arc<SourceText>) -> Vec<Diagnostic> {
    let refusals = refusals(metrics, workflow);
    if refusals.is_empty() {
        return Vec::new();
    }
    let document = parse_toml(source).ok();
    let metrics = document.as_ref().and_then(|document| document.as_table()?.get("metric")?.as_list());
    let placed = |refusal: MetricRefusal| {
        let node = metrics.and_then(|metrics| metrics.get(refusal.metric)?.as_table()?.get(refusal.key));
        match node {
            Some(node) => refusal.message.at(source, node.span, ""),
            None => refusal.message,
        }
    };
    refusals.into_iter().map(placed).collect()
}

/// Whether a metric takes a measure out of a table of measures.
pub(crate) fn is_measured(metric: &Metric, workflow: &Workflow) -> bool {
    metric.of.as_deref().is_some_and(|of| holds_measures(of, workflow))
}

/// Whether a region is a table of measures: other tables hold one line for each object, or what their makers like.
pub(crate) fn holds_measures(region: &str, workflow: &Workflow) -> bool {
    let makes = |task: &Task| task.outputs.iter().any(|output| output == region);
    workflow.tasks().any(|task| makes(task) && task.op.built_in() == Some(METRICS))
}

fn unknown_measure(metric: &Metric, of_table: bool) -> Option<Diagnostic> {
    let word = metric.measure.as_deref().unwrap_or_default();
    if if of_table { is_measure(word) } else { MetricKind::from_word(word).is_some() } {
        return None;
    }
    let known: Vec<&str> = match of_table {
        true => MEASURES.to_vec(),
        false => MetricKind::ALL.into_iter().map(MetricKind::word).collect(),
    };
    let error = Diagnostic::error(format!("the metric `{}` has an unknown measure", metric.name));
    let error = error.expected_found(format!("one of {}", known.join(", ")), format!("`{word}`"));
    Some(match nearest(word, known.iter().copied()) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error,
    })
}

/// Objects are compared in masks and label images.
fn no_objects(metric: &Metric, workflow: &Workflow) -> Option<Diagnostic> {
    let region = workflow.region(metric.of.as_deref()?)?;
    let comparable = [RegionKind::Mask, RegionKind::Labels, RegionKind::U8, RegionKind::Any];
    if comparable.contains(&region.kind) || holds_measures(&region.name, workflow) {
        return None;
    }
    let message = format!("the metric `{}` cannot measure `{}`", metric.name, region.name);
    let error = Diagnostic::error(message);
    let error = error.expected_found("an output of the kind mask or labels", region.kind.to_string());
    Some(error.with_hint("give the workflow a task that makes a mask or labels of it"))
}
