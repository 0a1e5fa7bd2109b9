//! Domains and distributions of the variables of a section, from its lists.

use super::super::ImportReport;
use super::block::{Literal, Statement, StatementValue, find};
use super::variables::{SetElement, Type, VariableSection};
use crate::value::whole;
use crate::{Distribution, Domain, ParameterKind, SourceSpan};

/// A parameter without its name.
pub(super) struct UnnamedParameter {
    pub(super) domain: Domain,
    pub(super) distribution: Distribution,
    pub(super) kind: ParameterKind,
    pub(super) span: SourceSpan,
}

impl UnnamedParameter {
    fn real(from: f64, to: f64, distribution: Distribution, span: SourceSpan) -> Self {
        Self { domain: Domain::Continuous { from, to }, distribution, kind: ParameterKind::Real, span }
    }
}

/// One parameter for each variable of a section; `None` after an error.
pub(super) fn shapes(
    section: &VariableSection<'_>,
    report: &mut ImportReport,
) -> Option<Vec<UnnamedParameter>> {
    match section.of {
        Type::ContinuousDesign | Type::Uniform => bounded(section, |_| Distribution::Uniform, report),
        Type::LogUniform => bounded(section, |_| Distribution::LogUniform, report),
        Type::Triangular => {
            let (_, modes) = section.required("modes", report)?;
            bounded(section, |i| Distribution::Triangular { peak: modes[i] }, report)
        }
        Type::Normal => {
            let (_, means) = section.required("means", report)?;
            let (_, sds) = section.required("std_deviations", report)?;
            let normal = |i: usize| Distribution::Normal { mean: means[i], sd: sds[i] };
            open(section, f64::NEG_INFINITY, normal, report)
        }
        Type::LogNormal => {
            let logs = log_moments(section, report)?;
            let normal = |i: usize| Distribution::LogNormal { mean: logs[i].0, sd: logs[i].1 };
            open(section, 0.0, normal, report)
        }
        Type::Weibull => {
            let (_, shapes) = section.required("alphas", report)?;
            let (_, scales) = section.required("betas", report)?;
            let of = |i: usize| Distribution::Weibull { shape: shapes[i], scale: scales[i], location: 0.0 };
            open(section, 0.0, of, report)
        }
        Type::DesignRange => ranges(section, report),
        Type::DesignSet(element) | Type::UncertainSet(element) => sets(section, element, report),
    }
}

fn place(list: &Statement, i: usize) -> SourceSpan {
    list.values.get(i).map_or(list.span, |item| item.span)
}

fn bounded(
    section: &VariableSection<'_>,
    distribution: impl Fn(usize) -> Distribution,
    report: &mut ImportReport,
) -> Option<Vec<UnnamedParameter>> {
    let lower = section.required("lower_bounds", report);
    let upper = section.required("upper_bounds", report);
    let ((list, from), (_, to)) = (lower?, upper?);
    let shape = |i: usize| UnnamedParameter::real(from[i], to[i], distribution(i), place(list, i));
    Some((0..section.count).map(shape).collect())
}

/// Variables whose bounds may be left out.
fn open(
    section: &VariableSection<'_>,
    least: f64,
    distribution: impl Fn(usize) -> Distribution,
    report: &mut ImportReport,
) -> Option<Vec<UnnamedParameter>> {
    let lower = section.optional("lower_bounds", report);
    let upper = section.optional("upper_bounds", report);
    let span = |i: usize| lower.as_ref().map_or(section.span, |(list, _)| place(list, i));
    let from = |i: usize| lower.as_ref().map_or(least, |(_, bounds)| bounds[i]);
    let to = |i: usize| upper.as_ref().map_or(f64::INFINITY, |(_, bounds)| bounds[i]);
    Some(
        (0..section.count)
            .map(|i| UnnamedParameter::real(from(i), to(i), distribution(i), span(i)))
            .collect(),
    )
}

/// Mean and standard deviation of the logarithm, from whichever pair of lists is given.
fn log_moments(section: &VariableSection<'_>, report: &mut ImportReport) -> Option<Vec<(f64, f64)>> {
    if section.has("lambdas") {
        let (lambdas, zetas) = (section.required("lambdas", report), section.required("zetas", report));
        return Some(lambdas?.1.into_iter().zip(zetas?.1).collect());
    }
    let (_, means) = section.required("means", report)?;
    let zetas: Vec<f64> = if section.has("error_factors") {
        let (_, factors) = section.required("error_factors", report)?;
        factors.iter().map(|factor| factor.ln() / QUANTILE_95).collect()
    } else {
        let (_, sds) = section.required("std_deviations", report)?;
        means.iter().zip(sds).map(|(mean, sd)| (sd / mean).powi(2).ln_1p().sqrt()).collect()
    };
    Some(means.iter().zip(zetas).map(|(mean, zeta)| (mean.ln() - zeta * zeta / 2.0, zeta)).collect())
}

/// An error factor is the ratio of the 95 % quantile to the median; Dakota's own rounding of the normal quantile.
const QUANTILE_95: f64 = 1.645;

fn ranges(section: &VariableSection<'_>, report: &mut ImportReport) -> Option<Vec<UnnamedParameter>> {
    let lower = section.required("lower_bounds", report);
    let upper = section.required("upper_bounds", report);
    let ((list, from), (other, to)) = (lower?, upper?);
    let (from, to) = (all_whole(list, &from, report)?, all_whole(other, &to, report)?);
    let shape = |i: usize| UnnamedParameter {
        domain: Domain::Integers { from: from[i], to: to[i] },
        distribution: Distribution::Uniform,
        kind: ParameterKind::Integer,
        span: place(list, i),
    };
    Some((0..section.count).map(shape).collect())
}

fn all_whole(list: &Statement, numbers: &[f64], report: &mut ImportReport) -> Option<Vec<i64>> {
    let bad = numbers.iter().position(|x| whole(*x).is_none());
    if let Some(i) = bad {
        let message = format!("`{}` cannot be read", list.keyword);
        report.error(place(list, i), message, "whole numbers", numbers[i].to_string());
    }
    numbers.iter().map(|x| whole(*x)).collect()
}

fn sets(
    section: &VariableSection<'_>,
    element: SetElement,
    report: &mut ImportReport,
) -> Option<Vec<UnnamedParameter>> {
    let Some(list) = find(section.lists, "elements", report) else {
        report.error(section.span, "these variables have no `elements`", "the values of each set", "none");
        return None;
    };
    let lengths = lengths(section, list, report)?;
    let weights = weights(section, list.values.len(), report)?;
    let (mut shapes, mut start) = (Vec::new(), 0);
    for length in lengths {
        let end = start + length;
        let (domain, kind) = set(list, &list.values[start..end], element, report)?;
        let distribution =
            weights.as_ref().map_or(Distribution::Uniform, |w| Distribution::Weights(w[start..end].to_vec()));
        shapes.push(UnnamedParameter { domain, distribution, kind, span: place(list, start) });
        start = end;
    }
    Some(shapes)
}

/// How many elements each variable has; without a list of them, equally many.
fn lengths(
    section: &VariableSection<'_>,
    elements: &Statement,
    report: &mut ImportReport,
) -> Option<Vec<usize>> {
    let total = elements.values.len();
    let Some(list) = find(section.lists, "elements_per_variable", report) else {
        if !total.is_multiple_of(section.count) {
            let expected = format!("elements_per_variable, or a multiple of {} elements", section.count);
            report.error(
                elements.span,
                "the elements cannot be divided among the variables",
                expected,
                total.to_string(),
            );
            return None;
        }
        return Some(vec![total / section.count; section.count]);
    };
    let numbers = list.numbers(report)?;
    let lengths = all_whole(list, &numbers, report)?;
    if let Some(negative) = lengths.iter().find(|n| **n < 0) {
        let message = "`elements_per_variable` does not fit the elements";
        report.error(list.span, message, "lengths of 0 or more", negative.to_string());
        return None;
    }
    let lengths: Vec<usize> = lengths.into_iter().filter_map(|n| usize::try_from(n).ok()).collect();
    let sum = lengths.iter().fold(0usize, |sum, n| sum.saturating_add(*n));
    if lengths.len() != section.count || sum != total {
        let expected = format!("{} lengths that add up to {total}", section.count);
        let found = format!("{} that add up to {sum}", lengths.len());
        report.error(list.span, "`elements_per_variable` does not fit the elements", expected, found);
        return None;
    }
    Some(lengths)
}

fn weights(
    section: &VariableSection<'_>,
    total: usize,
    report: &mut ImportReport,
) -> Option<Option<Vec<f64>>> {
    let Some(list) = find(section.lists, "set_probabilities", report) else { return Some(None) };
    let weights = list.numbers(report)?;
    if weights.len() != total {
        let expected = format!("{total} probabilities, one for each element");
        report.error(
            list.span,
            "`set_probabilities` has the wrong length",
            expected,
            weights.len().to_string(),
        );
        return None;
    }
    Some(Some(weights))
}

fn set(
    list: &Statement,
    items: &[StatementValue],
    element: SetElement,
    report: &mut ImportReport,
) -> Option<(Domain, ParameterKind)> {
    let expected = match element {
        SetElement::Text => "texts in quotes",
        SetElement::Integer => "whole numbers",
        SetElement::Real => "numbers",
    };
    let fits = |literal: &Literal| match (element, literal) {
        (SetElement::Text, Literal::Text(_)) | (SetElement::Real, Literal::Number(_)) => true,
        (SetElement::Integer, Literal::Number(x)) => x.fract() == 0.0 && x.is_finite(),
        _ => false,
    };
    if let Some(bad) = items.iter().find(|item| !fits(&item.value)) {
        report.error(bad.span, format!("`{}` cannot be read", list.keyword), expected, bad.value.describe());
        return None;
    }
    let number = |item: &StatementValue| if let Literal::Number(x) = item.value { x } else { f64::NAN };
    let text = |item: &StatementValue| {
        if let Literal::Text(text) = &item.value { text.clone() } else { String::new() }
    };
    Some(match element {
        SetElement::Text => (Domain::Categories(items.iter().map(text).collect()), ParameterKind::Category),
        SetElement::Integer => (Domain::Values(items.iter().map(number).collect()), ParameterKind::Integer),
        SetElement::Real => (Domain::Values(items.iter().map(number).collect()), ParameterKind::Real),
    })
}
