//! Values in the words of a study file.

use crate::{Distribution, Domain, Method, Parameter, ParameterKind, Trajectories, Value};

/// A TOML text in double quotes.
pub(super) fn text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A TOML key, in quotes when it needs them.
pub(super) fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if bare { name.to_owned() } else { text(name) }
}

/// `[a, b]`.
pub(super) fn list(parts: &[String]) -> String {
    format!("[{}]", parts.join(", "))
}

/// The value of a parameter's key: a list of values when that is all, else a table.
pub(super) fn parameter_value(parameter: &Parameter) -> String {
    let mut keys = domain_keys(&parameter.domain);
    let usual = if parameter.domain.is_categorical() { ParameterKind::Category } else { ParameterKind::Real };
    if parameter.kind != usual {
        keys.push(("type", text(parameter.kind.word())));
    }
    keys.extend(distribution_keys(&parameter.distribution));
    keys.extend(parameter.default.as_ref().map(|d| ("default", value(d))));
    let texts = [("group", &parameter.group), ("unit", &parameter.unit), ("about", &parameter.about)];
    keys.extend(texts.into_iter().filter_map(|(key, word)| Some((key, text(word.as_ref()?)))));
    match keys.as_slice() {
        [("values", list)] => list.clone(),
        keys => table(keys),
    }
}

type TemplateKeys = Vec<(&'static str, String)>;

fn table(keys: &[(&str, String)]) -> String {
    let keys: Vec<_> = keys.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", keys.join(", "))
}

fn value(value: &Value) -> String {
    match value {
        Value::Text(word) => text(word),
        number => number.to_string(),
    }
}

/// `Display` of an `f64` is its shortest decimal; infinite ends are left out where the distribution allows them.
fn domain_keys(domain: &Domain) -> TemplateKeys {
    let number = |x: f64| x.to_string();
    match domain {
        Domain::Continuous { from, to } => {
            let ends = [("from", *from), ("to", *to)].into_iter().filter(|(_, end)| end.is_finite());
            ends.map(|(key, end)| (key, number(end))).collect()
        }
        Domain::Integers { from, to } => vec![("from", from.to_string()), ("to", to.to_string())],
        Domain::Steps { from, to, step } => {
            vec![("from", number(*from)), ("to", number(*to)), ("step", number(*step))]
        }
        Domain::Values(values) => {
            vec![("values", list(&values.iter().copied().map(number).collect::<Vec<_>>()))]
        }
        Domain::Categories(words) => {
            vec![("values", list(&words.iter().map(|w| text(w)).collect::<Vec<_>>()))]
        }
    }
}

fn distribution_keys(distribution: &Distribution) -> TemplateKeys {
    let numbers: Vec<(&str, String)> = match distribution {
        Distribution::Uniform => return Vec::new(),
        Distribution::LogUniform => Vec::new(),
        Distribution::Triangular { peak } => vec![("peak", peak.to_string())],
        Distribution::Normal { mean, sd } | Distribution::LogNormal { mean, sd } => {
            vec![("mean", mean.to_string()), ("sd", sd.to_string())]
        }
        Distribution::Weibull { shape, scale, location } => {
            vec![
                ("shape", shape.to_string()),
                ("scale", scale.to_string()),
                ("location", location.to_string()),
            ]
        }
        Distribution::Weights(weights) => {
            vec![("weights", list(&weights.iter().map(f64::to_string).collect::<Vec<_>>()))]
        }
    };
    let mut keys = vec![("distribution", text(distribution.word()))];
    keys.extend(numbers);
    keys
}

/// `[[phase]]` of a design.
pub(super) fn phase(name: &str, method: &Method) -> String {
    let mut keys = vec![("name", text(name))];
    keys.extend(method_keys(method));
    let lines: Vec<_> = keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect();
    format!("\n[[phase]]\n{}", lines.concat())
}

fn method_keys(method: &Method) -> TemplateKeys {
    // `sobol` in a study means the indices; the sequence has a word of its own.
    let word = if let Method::Sobol { .. } = method { "sobol-sequence" } else { method.word() };
    let mut keys = vec![("method", text(word))];
    match method {
        Method::MonteCarlo { rows } => keys.push(("rows", rows.to_string())),
        Method::LatinHypercube { rows, kind } => {
            keys.extend([("rows", rows.to_string()), ("kind", text(kind.word()))]);
        }
        Method::Halton { rows, scrambled }
        | Method::Hammersley { rows, scrambled }
        | Method::Sobol { rows, scrambled } => {
            keys.extend([("rows", rows.to_string()), ("scrambled", scrambled.to_string())]);
        }
        Method::Grid(grid) => {
            keys.extend([("values", grid.values.to_string()), ("fraction", grid.fraction.to_string())]);
        }
        Method::Morris(morris) => {
            keys.extend([
                ("trajectories", morris.trajectories.to_string()),
                ("values", morris.values.to_string()),
            ]);
            keys.extend(trajectory_keys(morris.kind));
        }
        Method::Saltelli(saltelli) => {
            keys.extend([
                ("base", saltelli.base.to_string()),
                ("replicates", saltelli.replicates.to_string()),
            ]);
            keys.push(("second_order", saltelli.second_order.to_string()));
        }
        Method::Tune(tune) => {
            keys.extend([("evaluations", tune.evaluations.to_string()), ("tuner", text(tune.tuner.word()))]);
        }
    }
    keys
}

fn trajectory_keys(kind: Trajectories) -> TemplateKeys {
    let mut keys = vec![("kind", text(kind.word()))];
    if let Trajectories::Optimised { candidates } = kind {
        keys.push(("candidates", candidates.to_string()));
    }
    keys
}
