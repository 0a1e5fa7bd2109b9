//! Defaults against ranges: the reference row has them, and so have parameters that a phase leaves out.

use super::parameters::LocatedParameter;
use super::{Context, ResolvedParameters, and};
use crate::{Diagnostic, Diagnostics, Domain, Value};

/// A default outside its range is a warning for each; those between two values share one note.
pub(crate) fn defaults(
    context: &Context<'_>,
    parameters: &ResolvedParameters,
    diagnostics: &mut Diagnostics,
) {
    let mut between = Vec::new();
    for placed in &parameters.varying {
        let Some(default) = &placed.parameter.default else { continue };
        if !placed.parameter.domain.spans(default) {
            diagnostics.push(outside(context, placed, default));
        } else if placed.parameter.domain.count().is_some()
            && placed.parameter.domain.index_of(default).is_none()
        {
            between.push(format!("{} ({default})", placed.parameter.name));
        }
    }
    match between.as_slice() {
        [] => {}
        [one] => diagnostics.push(Diagnostic::note(format!(
            "the default of {one} lies between two values of its range; the reference row is run as it is"
        ))),
        many => diagnostics.push(Diagnostic::note(format!(
            "the defaults of {} lie between two values of their ranges; the reference row is run as it is",
            and(many)
        ))),
    }
}

fn outside(context: &Context<'_>, placed: &LocatedParameter, default: &Value) -> Diagnostic {
    let LocatedParameter { parameter, span, default: place } = placed;
    let warning = Diagnostic::warning(format!("the default of {} lies outside its range", parameter.name));
    let mut warning = warning
        .at(&context.file.source, *span, "")
        .at_place(place.as_ref(), format!("the default is {default}"))
        .expected_found("a range that holds the default", shown(&parameter.domain));
    if let Some(metric) = context.metric_against_default() {
        warning.why = Some(format!(
            "metric `{metric}` compares with the default, so every row differs from it in the same direction"
        ));
    } else if context.file.phases.iter().any(|p| p.keep.is_some()) {
        warning.why =
            Some("a parameter that `keep` leaves out stands at its default, where no earlier row was".into());
    }
    warning.hint = remedy(&parameter.domain, default);
    warning
}

/// `2..40` or `4, 8`.
fn shown(domain: &Domain) -> String {
    match (domain, domain.ends()) {
        (Domain::Values(values), _) => values.iter().map(f64::to_string).collect::<Vec<_>>().join(", "),
        (Domain::Categories(words), _) => words.join(", "),
        (_, Some((from, to))) => format!("{from}..{to}"),
        (_, None) => String::new(),
    }
}

fn remedy(domain: &Domain, default: &Value) -> Option<String> {
    let (Some(x), Some((from, to))) = (default.as_f64(), domain.ends()) else {
        return Some(format!("add \"{default}\" to the values, or write default = … here"));
    };
    let nearest = if x < from { from } else { to };
    let wider = match domain {
        Domain::Values(_) => format!("add {default} to the values"),
        Domain::Steps { step, .. } => {
            let steps = if x < from { -((from - x) / step).ceil() } else { ((x - to) / step).ceil() };
            format!("widen the range to {}", Value::Real(nearest + steps * step))
        }
        _ => format!("widen the range to {default}"),
    };
    Some(format!("{wider}, or write default = {} here", Value::Real(nearest)))
}
