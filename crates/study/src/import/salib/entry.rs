//! One parameter as SALib writes it: a name, the numbers of a distribution, and a group label.

use std::collections::HashSet;

use super::super::ImportReport;
use super::super::checked::ImportedParameter;
use crate::{Distribution, Domain, Parameter, SourceSpan, nearest};

/// A parameter with the positions of its fields.
pub(super) struct SalibParameter {
    pub(super) name: (String, SourceSpan),
    pub(super) bounds: (Vec<f64>, SourceSpan),
    pub(super) dist: Option<(String, SourceSpan)>,
    pub(super) group: Option<(String, SourceSpan)>,
}

/// SALib's distributions, and what their `bounds` hold.
const DISTS: [(&str, &str); 7] = [
    ("unif", "2 numbers: lower end, upper end"),
    ("logunif", "2 numbers: lower end, upper end"),
    ("triang", "3 numbers: lower end, upper end, place of the peak as a fraction of the width"),
    ("norm", "2 numbers: mean, standard deviation"),
    ("truncnorm", "4 numbers: lower end, upper end, mean, standard deviation"),
    ("lognorm", "2 numbers: mean and standard deviation of the logarithm"),
    ("weibull", "2 or 3 numbers: shape, scale, and location if it is not 0"),
];

/// The parameters, with groups that hold a parameter alone under its own name left out, as SALib does.
pub(super) fn placed(entries: Vec<SalibParameter>, report: &mut ImportReport) -> Vec<ImportedParameter> {
    check_groups(&entries, report);
    let grouped = |e: &SalibParameter| {
        e.group.as_ref().map(|(label, _)| label).filter(|label| **label != e.name.0).cloned()
    };
    let mut placed = Vec::with_capacity(entries.len());
    for entry in entries {
        let group = grouped(&entry);
        if let Some((domain, distribution)) = shape(&entry, report) {
            let (name, name_span) = entry.name;
            let parameter = Parameter { distribution, group, ..Parameter::new(name, domain) };
            placed.push(ImportedParameter { parameter, name: name_span, values: entry.bounds.1 });
        }
    }
    placed
}

fn check_groups(entries: &[SalibParameter], report: &mut ImportReport) {
    let labels: Vec<&(String, SourceSpan)> = entries.iter().filter_map(|e| e.group.as_ref()).collect();
    if let [(first, span), others @ ..] = &labels[..]
        && labels.len() == entries.len()
        && !others.is_empty()
        && others.iter().all(|(label, _)| label == first)
    {
        let found = format!("only `{first}`");
        report.error(*span, "all parameters are in one group", "at least two groups", found);
    }
    let names: HashSet<&str> = entries.iter().map(|e| e.name.0.as_str()).collect();
    for SalibParameter { name: (name, _), group, .. } in entries {
        if let Some((label, span)) = group
            && label != name
            && names.contains(label.as_str())
        {
            let found = format!("`{name}` in the group `{label}`, which is a parameter");
            report.error(*span, "a group is called like a parameter", "a label that no parameter has", found);
        }
    }
}

fn shape(entry: &SalibParameter, report: &mut ImportReport) -> Option<(Domain, Distribution)> {
    let (word, span) = entry.dist.as_ref().map_or(("unif", SourceSpan::default()), |(w, s)| (w.as_str(), *s));
    let Some((_, numbers)) = DISTS.iter().find(|(dist, _)| *dist == word) else {
        let known: Vec<&str> = DISTS.iter().map(|(dist, _)| *dist).collect();
        let hint = nearest(word, known.iter().copied()).map(|meant| format!("write `{meant}`"));
        let expected = format!("one of {}", known.join(", "));
        report.error_with_hint(span, "unknown distribution", expected, format!("`{word}`"), hint);
        return None;
    };
    let made = distribution(word, &entry.bounds.0);
    if made.is_none() {
        let message = format!("the bounds of `{}` do not fit its distribution `{word}`", entry.name.0);
        report.error(entry.bounds.1, message, *numbers, format!("{:?}", entry.bounds.0));
    }
    if word == "triang" && entry.bounds.0.len() == 2 {
        report.warning(
            entry.bounds.1,
            "two numbers for `triang` are its upper end and peak; its lower end is 0",
        );
    }
    made
}

fn distribution(word: &str, bounds: &[f64]) -> Option<(Domain, Distribution)> {
    let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
    let range = |from: f64, to: f64| Domain::Continuous { from, to };
    let triangle = |from: f64, to: f64, peak: f64| {
        (range(from, to), Distribution::Triangular { peak: peak_at(from, to, peak) })
    };
    Some(match (word, bounds) {
        ("unif", [from, to]) => (range(*from, *to), Distribution::Uniform),
        ("logunif", [from, to]) => (range(*from, *to), Distribution::LogUniform),
        ("triang", [to, peak]) => triangle(0.0, *to, *peak),
        ("triang", [from, to, peak]) => triangle(*from, *to, *peak),
        ("norm", [mean, sd]) => (range(low, high), Distribution::Normal { mean: *mean, sd: *sd }),
        ("truncnorm", [from, to, mean, sd]) => {
            (range(*from, *to), Distribution::Normal { mean: *mean, sd: *sd })
        }
        ("lognorm", [mean, sd]) => (range(0.0, high), Distribution::LogNormal { mean: *mean, sd: *sd }),
        ("weibull", [shape, scale, location @ ..]) if location.len() <= 1 => {
            let location = location.first().copied().unwrap_or(0.0);
            (range(location, high), Distribution::Weibull { shape: *shape, scale: *scale, location })
        }
        _ => return None,
    })
}

/// Where the peak stands when it is given as a fraction of the width.
pub(crate) fn peak_at(from: f64, to: f64, fraction: f64) -> f64 {
    from + fraction * (to - from)
}
