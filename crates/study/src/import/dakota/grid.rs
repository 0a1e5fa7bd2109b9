//! `multidim_parameter_study`: a grid whose sides may differ, while ours has one number for all continuous sides.

use super::super::ImportReport;
use super::super::checked::ImportedParameter;
use crate::{Domain, GridDesign, ParameterKind, SourceSpan, Value};

/// More values than any grid could be run over; checked before they are written out.
const MOST_VALUES: u64 = 1 << 20;

/// Leaves out variables that stay at their lower end, and makes continuous variables discrete when their numbers of values
/// differ.
pub(super) fn cut(
    placed: Vec<ImportedParameter>,
    (span, partitions): (SourceSpan, Vec<u64>),
    report: &mut ImportReport,
) -> (Vec<ImportedParameter>, GridDesign) {
    let (fixed, varied): (Vec<_>, Vec<_>) = placed.into_iter().zip(partitions).partition(|(_, p)| *p == 0);
    for (stays, _) in &fixed {
        report.note(span, format!("`{}` has 0 partitions and stays at its lower end", stays.parameter.name));
    }
    if varied.is_empty() && !fixed.is_empty() {
        report.error(span, "the grid is a single point", "some partitions above 0", "only 0");
    }
    let total = varied.iter().fold(0_u64, |sum, (_, p)| sum.saturating_add(*p));
    if total > MOST_VALUES {
        let expected = format!("at most {MOST_VALUES} partitions in all");
        report.error(span, "the grid is too fine", expected, total.to_string());
        return (Vec::new(), GridDesign { values: 2, fraction: 1 });
    }
    let continuous = |(p, _): &&(ImportedParameter, u64)| p.parameter.domain.count().is_none();
    let mut sides = varied.iter().filter(continuous).map(|(_, p)| *p);
    let first = sides.next();
    let equal = sides.all(|p| Some(p) == first);
    let values = if equal { first.unwrap_or(1) + 1 } else { 2 };
    let cut =
        |(placed, p)| if equal { keep(placed, p, span, report) } else { cut_one(placed, p, span, report) };
    (varied.into_iter().map(cut).collect(), GridDesign { values, fraction: 1 })
}

fn keep(
    placed: ImportedParameter,
    partitions: u64,
    span: SourceSpan,
    report: &mut ImportReport,
) -> ImportedParameter {
    if placed.parameter.domain.count().is_some() { cut_one(placed, partitions, span, report) } else { placed }
}

fn cut_one(
    mut placed: ImportedParameter,
    partitions: u64,
    span: SourceSpan,
    report: &mut ImportReport,
) -> ImportedParameter {
    let domain = &placed.parameter.domain;
    match (domain.count(), domain.ends()) {
        (Some(count), _) if count == partitions.saturating_add(1) => {}
        (Some(count), _) => match every(domain, count, partitions) {
            Some(part) => placed.parameter.domain = part,
            None => complain(&placed, count, partitions, span, report),
        },
        (None, Some((from, to))) if from.is_finite() && to.is_finite() && from < to => {
            placed.parameter.domain = Domain::Values(places(from, to, partitions));
            placed.parameter.kind = ParameterKind::Real;
        }
        // Left as it is: the check of its domain or the next message says why.
        (None, Some((from, to))) if from.is_infinite() || to.is_infinite() => {
            let name = &placed.parameter.name;
            report.error(span, format!("`{name}` cannot be cut"), "finite bounds", format!("{from}..{to}"));
        }
        (None, _) => {}
    }
    placed
}

fn places(from: f64, to: f64, partitions: u64) -> Vec<f64> {
    let step = (to - from) / partitions as f64;
    (0..=partitions).map(|i| if i == partitions { to } else { from + i as f64 * step }).collect()
}

/// Every n-th of the values, when that ends at the last one.
fn every(domain: &Domain, count: u64, partitions: u64) -> Option<Domain> {
    let steps = count.checked_sub(1)?;
    if steps == 0 || !steps.is_multiple_of(partitions) {
        return None;
    }
    let values: Vec<Value> =
        (0..=partitions).filter_map(|i| domain.value(i * (steps / partitions))).collect();
    Some(match domain {
        Domain::Categories(_) => Domain::Categories(values.iter().map(ToString::to_string).collect()),
        _ => Domain::Values(values.iter().filter_map(Value::as_f64).collect()),
    })
}

fn complain(
    placed: &ImportedParameter,
    count: u64,
    partitions: u64,
    span: SourceSpan,
    report: &mut ImportReport,
) {
    let name = &placed.parameter.name;
    let expected = format!("a divisor of {}, for it has {count} values", count.saturating_sub(1));
    report.error(span, format!("`{name}` cannot be cut evenly"), expected, partitions.to_string());
}
