//! Making a space from the parameters of a text, with each error at the parameter's position.

use std::collections::HashMap;

use super::ImportReport;
use crate::{Parameter, SourceSpan, Space};

/// A parameter and the spans that errors about it mark.
pub(super) struct ImportedParameter {
    pub(super) parameter: Parameter,
    /// Its name.
    pub(super) name: SourceSpan,
    /// Its bounds or values.
    pub(super) values: SourceSpan,
}

/// Checks names, domains and distributions, and makes the space.
pub(super) fn space_of(placed: Vec<ImportedParameter>, report: &mut ImportReport) -> Option<Space> {
    check_names(&placed, report);
    for ImportedParameter { parameter, values, .. } in &placed {
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

fn check_names(placed: &[ImportedParameter], report: &mut ImportReport) {
    let mut seen: HashMap<&str, SourceSpan> = HashMap::new();
    for ImportedParameter { parameter, name, .. } in placed {
        if parameter.name.trim().is_empty() {
            report.error(*name, "a parameter has no name", "a name", "an empty text");
        } else if seen.insert(&parameter.name, *name).is_some() {
            let found = format!("`{}` twice", parameter.name);
            report.error(*name, "two parameters have the same name", "different names", found);
        }
    }
}

fn check_parameter(parameter: &Parameter, span: SourceSpan, report: &mut ImportReport) {
    let name = &parameter.name;
    if let Err(error) = parameter.domain.check(parameter.distribution.is_unbounded()) {
        let message = format!("the values of `{name}` are not a valid range");
        report.error(span, message, error.expected(), error.found());
    } else if let Err(error) = parameter.distribution.check(&parameter.domain) {
        let message = format!("the distribution of `{name}` is not valid");
        report.error(span, message, error.expected, error.found);
    }
}
