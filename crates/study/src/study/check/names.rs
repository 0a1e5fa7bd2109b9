//! Names that must differ.

use std::collections::HashMap;

use super::Context;
use crate::{Diagnostic, Diagnostics, SourceLocation, SourceSpan};

/// Two images, metrics or phases with one name; a group that is called like a parameter; names that are empty.
pub(crate) fn names(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    let here = |span| SourceLocation::new(&context.file.source, span);
    let images = context.images.iter().map(|i| (i.image.name.as_str(), i.place.clone()));
    repeated("images", images, diagnostics);
    let metrics = context.file.metrics.iter().map(|m| (m.name.value.as_str(), here(m.name.span)));
    repeated("metrics", metrics, diagnostics);
    let phases = context.file.phases.iter().map(|p| (p.name.value.as_str(), here(p.name.span)));
    repeated("phases", phases, diagnostics);
    let study = context.file.name.iter().map(|n| (n.value.as_str(), here(n.span)));
    let parameters = context.file.parameters.iter().map(|p| (p.name.value.as_str(), here(p.name.span)));
    let groups_of = context.file.parameters.iter().filter_map(|p| p.group.as_ref());
    let groups_of = groups_of.map(|g| (g.value.as_str(), here(g.span)));
    study.chain(parameters).chain(groups_of).for_each(|(name, place)| empty(name, &place, diagnostics));
    groups(context, diagnostics);
    metrics_and_parameters(context, diagnostics);
}

fn repeated<'a>(
    what: &str,
    names: impl Iterator<Item = (&'a str, SourceLocation)>,
    diagnostics: &mut Diagnostics,
) {
    let mut seen: HashMap<&str, SourceLocation> = HashMap::new();
    for (name, place) in names {
        empty(name, &place, diagnostics);
        if let Some(first) = seen.get(name) {
            let error = Diagnostic::error(format!("two {what} have the name `{name}`"));
            let error = error.at_place(Some(&place), "").at_place(Some(first), "the first one");
            diagnostics.push(error.expected_found("different names", format!("`{name}` twice")));
        } else {
            seen.insert(name, place);
        }
    }
}

fn empty(name: &str, place: &SourceLocation, diagnostics: &mut Diagnostics) {
    if name.trim().is_empty() {
        let error = Diagnostic::error("this name is empty").at_place(Some(place), "");
        diagnostics.push(error.expected_found("a name", "an empty text"));
    }
}

fn groups(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    let parameters = &context.file.parameters;
    let names: HashMap<&str, SourceSpan> =
        parameters.iter().map(|p| (p.name.value.as_str(), p.name.span)).collect();
    for parameter in parameters {
        let Some(group) = parameter.group.as_ref().filter(|g| g.value != parameter.name.value) else {
            continue;
        };
        if let Some(other) = names.get(group.value.as_str()) {
            let name = &group.value;
            let error = context.error(group.span, format!("the group `{name}` is called like a parameter"));
            let error = error.at(&context.file.source, *other, "the parameter");
            let expected = "a group name that no other parameter has";
            diagnostics.push(error.expected_found(expected, format!("`{name}`")));
        }
    }
}

/// Rows are written as one table whose columns are parameters and metrics.
fn metrics_and_parameters(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    for metric in &context.file.metrics {
        let name = &metric.name.value;
        let varied = context.file.parameters.iter().any(|p| p.name.value == *name);
        if varied || context.workflow.is_some_and(|w| w.parameter(name).is_some()) {
            let error =
                context.error(metric.name.span, format!("the metric `{name}` is called like a parameter"));
            diagnostics.push(error.expected_found("a name that no parameter has", format!("`{name}`")));
        }
    }
}
