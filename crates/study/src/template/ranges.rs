//! Default ranges of parameters in templates.

use super::write::parameter_value;
use crate::{Domain, Parameter, ParameterKind, Value, Workflow, WorkflowParameter, shipped_ranges};

/// The value of a parameter's key: the range its workflow proposes, the published one, or one around the default. Type and
/// default come from the workflow; a default is written only when the workflow has none.
pub(super) fn proposed(workflow: &Workflow, parameter: &WorkflowParameter) -> String {
    let domain = parameter.range.clone().filter(|range| range.check(false).is_ok());
    let domain = domain.or_else(|| published(workflow, &parameter.name)).unwrap_or_else(|| around(parameter));
    let domain = widened(domain, parameter.default.as_ref().and_then(Value::as_f64));
    let default = if parameter.default.is_some() { None } else { first(&domain) };
    let usual = if domain.is_categorical() { ParameterKind::Category } else { ParameterKind::Real };
    parameter_value(&Parameter { kind: usual, default, ..Parameter::new("", domain) })
}

/// A range of steps that reaches the default: a published one may not, and every row would differ from it in one direction.
fn widened(domain: Domain, default: Option<f64>) -> Domain {
    let (Domain::Steps { from, to, step }, Some(default)) = (&domain, default) else { return domain };
    let steps_to = |distance: f64| (distance / step).ceil().max(0.0) * step;
    let (from, to) = (from - steps_to(from - default), to + steps_to(default - to));
    Domain::Steps { from, to, step: *step }
}

fn published(workflow: &Workflow, name: &str) -> Option<Domain> {
    let ranges = shipped_ranges().into_iter().filter(|_| workflow.name.starts_with("nuclei"));
    let mut named = ranges.filter(|(known, _)| *known == name);
    named.next().map(|(_, domain)| domain)
}

fn first(domain: &Domain) -> Option<Value> {
    domain.value(0).or_else(|| domain.ends().map(|(from, _)| Value::Real(from)))
}

/// Half of the default to one and a half of it.
fn around(parameter: &WorkflowParameter) -> Domain {
    let default = parameter.default.as_ref().and_then(Value::as_f64);
    match parameter.kind {
        ParameterKind::Connectivity => Domain::Values(vec![4.0, 8.0]),
        ParameterKind::Category => {
            let word = parameter.default.as_ref().map_or_else(|| "one".into(), ToString::to_string);
            Domain::Categories(vec![word, "another".into()])
        }
        ParameterKind::Integer => whole(default.unwrap_or(0.0).clamp(-1e15, 1e15).trunc()),
        ParameterKind::Real => match default {
            Some(x) if x != 0.0 => ordered(x / 2.0, x * 1.5),
            _ => ordered(0.0, 1.0),
        },
    }
}

fn whole(default: f64) -> Domain {
    let (near, far) = ((default / 2.0).trunc(), (default * 1.5).trunc());
    if near == far { ordered(near, near + 10.0) } else { ordered(near, far) }
}

fn ordered(a: f64, b: f64) -> Domain {
    Domain::Continuous { from: a.min(b), to: a.max(b) }
}
