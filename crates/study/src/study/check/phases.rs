//! Phases: what they keep, and how they are analysed.

use super::super::Study;
use super::super::entry::{KeepEntry, PhaseEntry};
use super::{Context, ResolvedParameters};
use crate::located::Located;
use crate::{Diagnostic, Diagnostics, HoldOut, Method, SpaceError};

/// Rules refer to what comes before, analyses fit the design.
pub(crate) fn phases(context: &Context<'_>, parameters: &ResolvedParameters, diagnostics: &mut Diagnostics) {
    for (place, phase) in context.file.phases.iter().enumerate() {
        analyses(context, phase, diagnostics);
        balance(context, phase, diagnostics);
        tuned(context, phase, diagnostics);
        if let Some(keep) = &phase.keep {
            keep_of(context, place, keep, parameters, diagnostics);
        }
    }
}

/// A phase that names what it varies must leave something to sample.
pub(crate) fn named_spaces(context: &Context<'_>, study: &Study, diagnostics: &mut Diagnostics) {
    for (phase, entry) in study.phases.iter().zip(&context.file.phases) {
        let (Err(cause), Some(keep)) = (study.phase_space(phase, None), &entry.keep) else { continue };
        // Unknown names and empty lists have been said where they stand.
        if matches!(cause, SpaceError::NeverHolds(_) | SpaceError::NoDefault(_)) {
            let message = format!("phase `{}` cannot be sampled: {cause}", phase.name);
            diagnostics.push(
                context.error(keep.span, message).with_hint("keep other parameters, or change the defaults"),
            );
        }
    }
}

fn analyses(context: &Context<'_>, phase: &PhaseEntry, diagnostics: &mut Diagnostics) {
    let Some(method) = &phase.method else { return };
    for analysis in &phase.analyses {
        let fits = match analysis.value {
            "vbd" => matches!(method.value, Method::Saltelli(_)),
            "morris" => matches!(method.value, Method::Morris(_)),
            _ => true,
        };
        if !fits {
            let message = format!("{} needs rows of its own design", analysis.value);
            let error = context.error(analysis.span, message);
            let expected = format!("method = \"{}\"", analysis.value);
            let found = format!("rows of {}", method.value.word());
            let hint = "change the method, or use correlation, rbd-fast, delta or pawn, which take any rows";
            diagnostics.push(error.expected_found(expected, found).with_hint(hint));
        }
    }
}

/// The sequence behind the base rows fills the space evenly at powers of two only.
fn balance(context: &Context<'_>, phase: &PhaseEntry, diagnostics: &mut Diagnostics) {
    let Some(Located { value: Method::Saltelli(saltelli), span }) = &phase.method else { return };
    // More replicates than base rows are an error of their own.
    if saltelli.is_balanced() || saltelli.base < saltelli.replicates {
        return;
    }
    let note = Diagnostic::note(format!("the base rows of `{}` are not evenly spread", phase.name.value));
    let expected = match saltelli.replicates.max(1) {
        1 => "a power of two".to_owned(),
        replicates => format!("{replicates} (the replicates) times a power of two"),
    };
    let mut note =
        note.at(&context.file.source, *span, "").expected_found(expected, saltelli.base.to_string());
    let hint = |better: u64| format!("write base = {better}, which is");
    note.hint = saltelli.balanced_base().map(hint);
    diagnostics.push(note);
}

/// What a phase improves must be there, and so must what it holds out.
fn tuned(context: &Context<'_>, phase: &PhaseEntry, diagnostics: &mut Diagnostics) {
    let Some(Located { value: Method::Tune(tune), span }) = &phase.method else { return };
    let metrics: Vec<_> = context.file.metrics.iter().map(|m| m.name.value.as_str()).collect();
    for metric in tune.metrics.iter().filter(|m| !metrics.contains(&m.as_str())) {
        let name = Located { value: metric.clone(), span: *span };
        let message = format!("the study has no metric `{metric}`");
        diagnostics.push(context.unknown(&name, message, "one of its metrics", &metrics));
    }
    let HoldOut::Names(names) = &tune.hold_out else { return };
    let images: Vec<_> = context.images.iter().map(|entry| &entry.image).collect();
    let known: Vec<&str> = images.iter().flat_map(|image| [image.slide(), image.name.as_str()]).collect();
    let is_known = |name: &str| {
        let of_column = |image: &&crate::StudyImage| {
            image.columns.iter().any(|(column, value)| column == "slide" && value == name)
        };
        known.contains(&name) || images.iter().any(of_column)
    };
    for held in names.iter().filter(|name| !is_known(name)) {
        let name = Located { value: held.clone(), span: *span };
        let message = format!("`hold_out` names `{held}`, which is no slide, patient or image of the study");
        diagnostics.push(context.unknown(&name, message, "a slide, a patient or an image", &known));
    }
}

fn keep_of(
    context: &Context<'_>,
    place: usize,
    keep: &KeepEntry,
    parameters: &ResolvedParameters,
    diagnostics: &mut Diagnostics,
) {
    let earlier: Vec<_> = context.file.phases[..place].iter().map(|p| p.name.value.as_str()).collect();
    if let Some(phase) = keep.phase.as_ref().filter(|p| !earlier.contains(&p.value.as_str())) {
        let message = format!("`keep` refers to `{}`, which is not an earlier phase", phase.value);
        diagnostics.push(context.unknown(phase, message, "one of the phases before this one", &earlier));
    }
    let metrics: Vec<_> = context.file.metrics.iter().map(|m| m.name.value.as_str()).collect();
    if let Some(metric) = keep.metric.as_ref().filter(|m| !metrics.contains(&m.value.as_str())) {
        let message = format!("the study has no metric `{}`", metric.value);
        diagnostics.push(context.unknown(metric, message, "one of its metrics", &metrics));
    }
    effects(context, place, keep, diagnostics);
    names(context, keep, parameters, diagnostics);
    dropped_without_default(context, keep, parameters, diagnostics);
}

/// A rule compares effects, which only moat and vbd estimate.
fn effects(context: &Context<'_>, place: usize, keep: &KeepEntry, diagnostics: &mut Diagnostics) {
    let (Some(name), None) = (&keep.phase, &keep.names) else { return };
    let earlier = context.file.phases[..place].iter().find(|phase| phase.name.value == name.value);
    let Some((earlier, method)) = earlier.and_then(|phase| Some((phase, phase.method.as_ref()?))) else {
        return;
    };
    let analyses = earlier.analyses_of(&method.value);
    if analyses.iter().any(|analysis| ["morris", "vbd"].contains(analysis)) {
        return;
    }
    let message = format!("phase `{}` estimates no effects by which parameters could be kept", name.value);
    let error = context.error(name.span, message);
    let error = error.expected_found("a phase with method = \"moat\" or \"vbd\"", analyses.join(", "));
    diagnostics.push(error.with_hint("keep parameters by name: keep = [\"…\"]"));
}

fn names(
    context: &Context<'_>,
    keep: &KeepEntry,
    parameters: &ResolvedParameters,
    diagnostics: &mut Diagnostics,
) {
    let Some(names) = &keep.names else { return };
    let known = parameters.factor_names();
    for name in names.iter().filter(|n| !known.contains(&n.value.as_str())) {
        let message = format!("`keep` names `{}`, which does not vary", name.value);
        diagnostics.push(context.unknown(name, message, "parameters or groups that vary", &known));
    }
    if names.is_empty() {
        let error = context.error(keep.span, "`keep` names no parameter, so the phase would vary nothing");
        diagnostics.push(error.expected_found("at least one name", "an empty list"));
    }
}

/// A parameter that a phase leaves out stands at its default, so it must have one.
fn dropped_without_default(
    context: &Context<'_>,
    keep: &KeepEntry,
    parameters: &ResolvedParameters,
    diagnostics: &mut Diagnostics,
) {
    let without = parameters.varying.iter().filter(|p| p.parameter.default.is_none());
    let names: Vec<_> = without.map(|p| p.parameter.name.clone()).collect();
    if names.is_empty() {
        return;
    }
    let message = format!(
        "no default of {}: a parameter that `keep` leaves out stands at its default",
        super::and(&names)
    );
    let mut diagnostic = context.error(keep.span, message).with_hint("write default = … beside the range");
    if context.file.workflow.is_none() {
        diagnostic.severity = crate::Severity::Warning;
    }
    diagnostics.push(diagnostic);
}
