//! Making a space of parameters that stand in a text, with each complaint at the parameter's place.

use std::collections::HashMap;

use super::Report;
use crate::{Parameter, Space, Span};

/// A parameter and the places a complaint about it should point at.
pub(super) struct Placed {
    pub(super) parameter: Parameter,
    /// Its name.
    pub(super) name: Span,
    /// Its bounds or values.
    pub(super) values: Span,
}

/// Checks names, domains and distributions, each at its place, and makes the space.
pub(super) fn space_of(placed: Vec<Placed>, report: &mut Report) -> Option<Space> {
    check_names(&placed, report);
    for Placed { parameter, values, .. } in &placed {
        check_parameter(parameter, *values, report);
    }
    if report.diagnostics.has_errors() {
        return None;
    }
    let first = placed.first().map(|p| p.name).unwrap_or_default();
    match Space::new(placed.into_iter().map(|p| p.parameter).collect(), Vec::new()) {
        Ok(space) => Some(space),
        Err(error) => {
            report.error(first, error.to_string(), "parameters that can be sampled", "these");
            None
        }
    }
}

fn check_names(placed: &[Placed], report: &mut Report) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for Placed { parameter, name, .. } in placed {
        if parameter.name.trim().is_empty() {
            report.error(*name, "a parameter has no name", "a name", "an empty text");
        } else if seen.insert(&parameter.name, *name).is_some() {
            let found = format!("`{}` twice", parameter.name);
            report.error(*name, "two parameters have one name", "different names", found);
        }
    }
}

fn check_parameter(parameter: &Parameter, span: Span, report: &mut Report) {
    let name = &parameter.name;
    if let Err(error) = parameter.domain.check(parameter.distribution.is_unbounded()) {
        let message = format!("the values of `{name}` make no range");
        report.error(span, message, error.expected(), error.found());
    } else if let Err(error) = parameter.distribution.check(&parameter.domain) {
        let message = format!("the distribution of `{name}` makes no sense");
        report.error(span, message, error.expected, error.found);
    }
}
