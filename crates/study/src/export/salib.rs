//! SALib's problem dictionary as JSON, and its parameter file.

use serde_json::{Value as Json, json};

use super::{ExportError, Exported, describe};
use crate::import::peak_at;
use crate::{Distribution, Domain, Parameter, Problem, Space};

/// The problem dictionary. SALib has neither discrete parameters nor constraints: the ends of a discrete one (places of
/// words) stand for it, which is all that SALib's analyses need, and the losses say so.
pub fn salib_problem_json(problem: &Problem) -> Result<Exported, ExportError> {
    let parameters = problem.space.parameters();
    let shapes = parameters.iter().map(shape).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
    let bounds: Vec<&[f64]> = shapes.iter().map(|(_, bounds)| bounds.as_slice()).collect();
    let dists: Vec<&str> = shapes.iter().map(|(dist, _)| *dist).collect();
    let mut dictionary = json!({ "num_vars": names.len(), "names": names, "bounds": bounds });
    if parameters.iter().any(|p| p.group.is_some()) {
        check_groups(&problem.space)?;
        dictionary["groups"] = parameters.iter().map(|p| Json::from(label(p))).collect();
    }
    if dists.iter().any(|dist| *dist != "unif") {
        dictionary["dists"] = json!(dists);
    }
    if !problem.outputs.is_empty() {
        dictionary["outputs"] = json!(problem.outputs);
    }
    Ok(Exported { text: format!("{dictionary:#}\n"), losses: losses(problem) })
}

/// The parameter file, one `name lower upper group dist` a line; refuses what its two numbers cannot say.
pub fn salib_parameter_file(space: &Space) -> Result<String, ExportError> {
    let parameters = space.parameters();
    if parameters.iter().any(|p| p.group.is_some()) {
        check_groups(space)?;
    }
    let lines = parameters.iter().map(line).collect::<Result<Vec<_>, _>>()?;
    Ok(lines.concat())
}

fn line(parameter: &Parameter) -> Result<String, ExportError> {
    if !matches!(parameter.domain, Domain::Continuous { .. }) {
        let expected = "a continuous parameter";
        return Err(refusal(parameter, expected, "a list of values", "write the problem as JSON"));
    }
    let name = &parameter.name;
    let group = parameter.group.as_deref().unwrap_or("NA");
    for text in [name.as_str(), group] {
        if text.contains([',', ';', '"', '\n', '\r', '\t']) || text.starts_with('#') || text.trim() != text {
            let hint = "rename it, or write the problem as JSON";
            return Err(refusal(parameter, "a plain name", &format!("`{text}`"), hint));
        }
    }
    let (dist, bounds) = shape(parameter)?;
    match (dist, bounds.as_slice()) {
        ("triang", _) => Err(refusal(parameter, "two numbers", "a triangle", "write the problem as JSON")),
        (dist, [lower, upper]) | (dist @ "weibull", [lower, upper, 0.0]) => {
            Ok(format!("{name},{lower},{upper},{group},{dist}\n"))
        }
        (dist, _) => Err(refusal(parameter, "two numbers", dist, "write the problem as JSON")),
    }
}

/// A label for each parameter: SALib has no parameter outside all groups.
fn label(parameter: &Parameter) -> &str {
    parameter.group.as_deref().unwrap_or(&parameter.name)
}

fn check_groups(space: &Space) -> Result<(), ExportError> {
    if space.factors().len() > 1 {
        return Ok(());
    }
    let found = space.factors().first().map_or_else(String::new, |f| format!("only `{}`", f.name));
    let (expected, hint) = ("at least two groups".into(), "take the parameters out of the group".into());
    Err(ExportError { format: "SALib", what: "the groups".into(), expected, found, hint })
}

fn refusal(parameter: &Parameter, expected: &str, found: &str, hint: &str) -> ExportError {
    let what = format!("parameter `{}`", parameter.name);
    ExportError { format: "SALib", what, expected: expected.into(), found: found.into(), hint: hint.into() }
}

/// SALib's word for a distribution, and the numbers it calls bounds.
fn shape(parameter: &Parameter) -> Result<(&'static str, Vec<f64>), ExportError> {
    let Domain::Continuous { from, to } = parameter.domain else {
        return Ok(("unif", ends(&parameter.domain)));
    };
    let unbounded = from == f64::NEG_INFINITY && to == f64::INFINITY;
    let positive = from == 0.0 && to == f64::INFINITY;
    Ok(match parameter.distribution {
        Distribution::Uniform => ("unif", vec![from, to]),
        Distribution::LogUniform => ("logunif", vec![from, to]),
        Distribution::Triangular { peak } if peak < to => {
            ("triang", vec![from, to, fraction(from, to, peak)])
        }
        Distribution::Normal { mean, sd } if unbounded => ("norm", vec![mean, sd]),
        Distribution::Normal { mean, sd } if from.is_finite() && to.is_finite() => {
            ("truncnorm", vec![from, to, mean, sd])
        }
        Distribution::LogNormal { mean, sd } if positive => ("lognorm", vec![mean, sd]),
        Distribution::Weibull { shape, scale, location } if from == location && to == f64::INFINITY => {
            ("weibull", vec![shape, scale, location])
        }
        ref other => {
            let found = format!("{} over {from}..{to}", describe(other));
            let hint = "choose another range or distribution";
            return Err(refusal(parameter, "a distribution that SALib has", &found, hint));
        }
    })
}

/// Ends of a discrete domain as the columns of a sample hold it.
fn ends(domain: &Domain) -> Vec<f64> {
    let last = domain.count().unwrap_or(2).saturating_sub(1) as f64;
    let (from, to) = domain.ends().unwrap_or((0.0, last));
    vec![from, to]
}

/// The fraction of the width at which the peak stands, chosen so that reading it gives the same peak where one does.
fn fraction(from: f64, to: f64, peak: f64) -> f64 {
    let near = (peak - from) / (to - from);
    let candidates =
        [near, near.next_up(), near.next_down(), near.next_up().next_up(), near.next_down().next_down()];
    candidates.into_iter().find(|f| *f >= 0.0 && peak_at(from, to, *f) == peak).unwrap_or(near)
}

fn losses(problem: &Problem) -> Vec<String> {
    let discrete = problem.space.parameters().iter().filter(|p| p.domain.count().is_some());
    let ends = |p: &Parameter| match p.domain.is_categorical() {
        true => format!("`{}` is given by the places of its words: SALib has no words", p.name),
        false => format!("`{}` is given by its ends: SALib has no discrete parameters", p.name),
    };
    let cut =
        problem.space.cutting_constraints().map(|c| format!("`{c}` is left out: SALib has no constraints"));
    discrete.map(ends).chain(cut).collect()
}
