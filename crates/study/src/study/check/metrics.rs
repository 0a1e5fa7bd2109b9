//! Metrics against what the workflow makes and the images have.

use super::super::Against;
use super::super::entry::MetricEntry;
use super::{Context, and};
use crate::{Diagnostic, Diagnostics, RegionKind};

/// Measures that compare two results; others are the business of the workflow's engine.
const COMPARING: [&str; 7] = [
    "dice",
    "jaccard",
    "pixel_difference",
    "object_f1",
    "panoptic_quality",
    "mean_boundary_distance",
    "hausdorff_distance",
];

/// Outputs that exist, references that exist.
pub(crate) fn metrics(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    if context.file.workflow.is_some() {
        if context.file.metrics.is_empty() {
            let error =
                context.error((0..0).into(), "the study has no metric, so its rows cannot be compared");
            let error = error.expected_found("at least one [[metric]]", "none");
            diagnostics.push(error.with_hint("add [[metric]] with name, of, measure and against"));
        }
        for metric in &context.file.metrics {
            of(context, metric, diagnostics);
            reference(context, metric, diagnostics);
        }
    }
    truth(context, diagnostics);
}

fn of(context: &Context<'_>, metric: &MetricEntry, diagnostics: &mut Diagnostics) {
    let missing = |key: &str| {
        let error =
            context.error(metric.name.span, format!("the metric `{}` has no `{key}`", metric.name.value));
        error.expected_found(format!("the key `{key}`"), "none")
    };
    if metric.measure.is_none() {
        diagnostics.push(missing("measure"));
    }
    let Some(of) = &metric.of else { return diagnostics.push(missing("of")) };
    let Some(workflow) = context.workflow else { return };
    let outputs: Vec<_> = workflow.outputs.iter().map(String::as_str).collect();
    if !outputs.contains(&of.value.as_str()) {
        let message = format!("the workflow `{}` has no output `{}`", workflow.name, of.value);
        diagnostics.push(context.unknown(of, message, "one of its outputs", &outputs));
    }
}

/// A comparison needs something to compare with.
fn reference(context: &Context<'_>, metric: &MetricEntry, diagnostics: &mut Diagnostics) {
    let Some(measure) = metric.measure.as_ref().filter(|m| COMPARING.contains(&m.value.as_str())) else {
        return;
    };
    // A table of measures says itself what it compares.
    let of = metric.of.as_ref().and_then(|of| context.workflow?.region(&of.value));
    if of.is_some_and(|region| region.kind == RegionKind::Table) {
        return;
    }
    if metric.against.value == Against::Nothing {
        let error = context.error(measure.span, format!("`{}` compares two results", measure.value));
        let error = error.expected_found("against = \"truth\" or \"default\"", "nothing to compare with");
        diagnostics.push(error.with_hint("add against = \"truth\" or against = \"default\""));
    }
}

fn truth(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    let asking: Vec<_> = context.file.metrics.iter().filter(|m| m.against.value == Against::Truth).collect();
    let Some(metric) = asking.first() else { return };
    let without = context.images.iter().filter(|i| i.image.truth.is_none());
    let without: Vec<_> = without.map(|i| i.image.name.clone()).collect();
    // A sheet that could not be read may have had it.
    let all_known = context.file.sheet.is_none() || !context.images.is_empty();
    if without.len() == context.images.len() && all_known {
        let message =
            format!("the metric `{}` compares with the truth, but no image has one", metric.name.value);
        let error = context.error(metric.against.span, message);
        let error = error.expected_found("`truth` with at least one image", "none");
        diagnostics.push(error.with_hint("add truth = \"…\" to an image, or write against = \"default\""));
    } else if !without.is_empty() {
        let names: Vec<_> = asking.iter().map(|m| format!("`{}`", m.name.value)).collect();
        let message = format!("without truth, so left out of metric {}: {}", and(&names), and(&without));
        diagnostics.push(Diagnostic::note(message));
    }
}
