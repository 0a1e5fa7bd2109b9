//! A range whose end is the best value, made wider on that side.

use onceflow_study::{Domain, Parameter, Value};

/// A range grows by this share of its width.
const SHARE: f64 = 0.5;

/// The line of a study file with a wider range on the side of a value; `None` where there is none: lists, or a range that
/// would go below 0 where it did not before.
pub(super) fn wider(parameter: &Parameter, value: &Value) -> Option<String> {
    let (low, high) = parameter.domain.ends()?;
    let value = value.as_f64()?;
    let at_high = (value - high).abs() <= (value - low).abs();
    let (from, to, step) = match parameter.domain {
        Domain::Continuous { from, to } => (from, to, None),
        Domain::Integers { from, to } => (from as f64, to as f64, Some(1.0)),
        Domain::Steps { from, to, step } => (from, to, Some(step)),
        Domain::Values(_) | Domain::Categories(_) => return None,
    };
    let more = (high - low) * SHARE;
    let more = step.map_or(more, |step| (more / step).ceil() * step);
    let (from, to) = if at_high { (from, tidy(high + more)) } else { (lower(from, more, step)?, to) };
    let step = step.map(|step| format!(", step = {step}")).unwrap_or_default();
    Some(format!("{} = {{ from = {from}, to = {to}{step} }}", parameter.name))
}

/// The lower end: that of a range above 0 stays above 0, that of one from 0 on stays.
fn lower(from: f64, more: f64, step: Option<f64>) -> Option<f64> {
    if from < 0.0 || from - more > 0.0 {
        return Some(tidy(from - more));
    }
    let lower = match step {
        Some(step) => from - ((from / step).ceil() - 1.0).max(0.0) * step,
        None => from / 2.0,
    };
    (lower < from).then(|| tidy(lower))
}

/// Without the noise of the last digits.
fn tidy(x: f64) -> f64 {
    format!("{x:.12e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(domain: Domain, value: f64) -> Option<String> {
        wider(&Parameter::new("T1", domain), &Value::Real(value))
    }

    #[test]
    fn a_range_grows_on_the_side_of_its_value() {
        let steps = |from, to, step| Domain::Steps { from, to, step };
        assert_eq!(line(steps(2.5, 7.5, 0.5), 7.5).unwrap(), "T1 = { from = 2.5, to = 10, step = 0.5 }");
        assert_eq!(line(steps(5.0, 7.0, 0.5), 5.0).unwrap(), "T1 = { from = 4, to = 7, step = 0.5 }");
        assert_eq!(line(steps(2.0, 40.0, 2.0), 40.0).unwrap(), "T1 = { from = 2, to = 60, step = 2 }");
        assert_eq!(
            line(Domain::Integers { from: -4, to: 4 }, -4.0).unwrap(),
            "T1 = { from = -8, to = 4, step = 1 }"
        );
        assert_eq!(
            line(Domain::Continuous { from: 1.0, to: 3.0 }, 1.0).unwrap(),
            "T1 = { from = 0.5, to = 3 }"
        );
    }

    #[test]
    fn what_is_positive_stays_so() {
        let steps = |from| Domain::Steps { from, to: 7.5, step: 0.5 };
        assert_eq!(line(steps(2.5), 2.5).unwrap(), "T1 = { from = 0.5, to = 7.5, step = 0.5 }");
        assert_eq!((line(steps(0.0), 0.0), line(steps(0.5), 0.5)), (None, None));
        assert_eq!(line(Domain::Values(vec![4.0, 8.0]), 4.0), None);
    }
}
