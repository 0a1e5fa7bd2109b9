//! Dakota input files.

use super::{ExportError, Exported, describe};
use crate::{
    Design, Distribution, Domain, LatinHypercube, Method, Parameter, ParameterKind, Problem, SaltelliDesign,
    Space, Trajectories,
};

/// A Dakota input with the method, variables and responses of a problem and an interface to fill in. Dakota lists
/// variables by type, so their order may change; the losses name what it does not say.
pub fn dakota_input(problem: &Problem) -> Result<Exported, ExportError> {
    let Some(design) = &problem.design else {
        return Err(refusal("the problem", "a design", "none", "choose a method and a size"));
    };
    check_space(&problem.space)?;
    let method = method(design, &problem.space)?;
    let variables = variables(problem.space.parameters())?;
    let responses = responses(&problem.outputs)?;
    let text = format!(
        "method\n{method}\nvariables\n{variables}\ninterface\n  analysis_drivers = 'simulator_script'\n    fork\n\n\
         responses\n{responses}  no_gradients\n  no_hessians\n"
    );
    Ok(Exported { text, losses: losses(problem, design) })
}

fn losses(problem: &Problem, design: &Design) -> Vec<String> {
    let mut losses = Vec::new();
    let sorted: Vec<&Parameter> = in_order(problem.space.parameters()).collect();
    for of_one_type in sorted.chunk_by(|a, b| section_of(a) == section_of(b)) {
        if of_one_type.iter().any(|p| p.default.is_none()) {
            let with = of_one_type.iter().filter(|p| p.default.is_some());
            losses.extend(
                with.map(|p| {
                    format!("the default of `{}` is left out: others of its type have none", p.name)
                }),
            );
        }
    }
    if let Method::Saltelli(saltelli) = &design.method
        && saltelli.replicates != SaltelliDesign::REPLICATES
    {
        losses.push(format!("the {} replicates are left out: Dakota has none", saltelli.replicates));
    }
    losses
}

fn refusal(what: &str, expected: &str, found: impl Into<String>, hint: &str) -> ExportError {
    let (expected, hint) = (expected.into(), hint.into());
    ExportError { format: "Dakota", what: what.into(), expected, found: found.into(), hint }
}

fn check_space(space: &Space) -> Result<(), ExportError> {
    if let Some(group) = space.parameters().iter().find_map(|p| p.group.as_ref()) {
        let hint = "take the parameters out of their groups";
        return Err(refusal("the groups", "parameters without groups", format!("the group `{group}`"), hint));
    }
    if let Some(cuts) = space.cutting_constraints().next() {
        let hint = "choose ranges in which the constraint always holds";
        return Err(refusal("the constraints", "none that cuts the ranges", format!("`{cuts}`"), hint));
    }
    Ok(())
}

fn method(design: &Design, space: &Space) -> Result<String, ExportError> {
    let seed = design.seed;
    if seed > LARGEST_SEED {
        return Err(refusal("the seed", "at most 2147483647", seed.to_string(), "choose a smaller seed"));
    }
    let sampling = |kind: &str, rows: u64| {
        Ok(format!("  sampling\n    sample_type {kind}\n    samples = {rows}\n    seed = {seed}\n"))
    };
    let sequence = |kind: &str, rows: u64| Ok(format!("  fsu_quasi_mc\n    {kind}\n    samples = {rows}\n"));
    match &design.method {
        Method::MonteCarlo { rows } => sampling("random", *rows),
        Method::LatinHypercube { rows, kind: LatinHypercube::Plain } => sampling("lhs", *rows),
        Method::LatinHypercube { rows, kind: LatinHypercube::Nested } => sampling("incremental_lhs", *rows),
        Method::Halton { rows, scrambled: false } => sequence("halton", *rows),
        Method::Hammersley { rows, scrambled: false } => sequence("hammersley", *rows),
        Method::Saltelli(s) if !s.second_order => {
            sampling("random", s.base).map(|text| text + "    variance_based_decomp\n")
        }
        Method::Morris(m) if m.kind == Trajectories::Plain && m.values.is_multiple_of(2) => {
            let rows = space.rows(&design.method);
            let partitions = m.values - 1;
            Ok(format!(
                "  psuade_moat\n    samples = {rows}\n    partitions = {partitions}\n    seed = {seed}\n"
            ))
        }
        Method::Grid(grid) if grid.fraction == 1 => {
            let sides = in_order(space.parameters())
                .map(|p| p.domain.count().unwrap_or(grid.values).saturating_sub(1));
            let sides: Vec<String> = sides.map(|side| side.to_string()).collect();
            Ok(format!("  multidim_parameter_study\n    partitions = {}\n", sides.join(" ")))
        }
        other => Err(refusal("the design", EXPRESSIBLE, other.word(), "choose one of these")),
    }
}

/// Dakota keeps seeds in a signed integer of 32 bits.
const LARGEST_SEED: u64 = 0x7fff_ffff;

const EXPRESSIBLE: &str = "mc, plain or nested lhs, halton or hammersley without scrambling, saltelli without second \
                           order, morris with plain trajectories and an even number of values, or a full grid";

/// Parameters sorted as Dakota sorts variables.
fn in_order(parameters: &[Parameter]) -> impl Iterator<Item = &Parameter> {
    let mut sorted: Vec<&Parameter> = parameters.iter().collect();
    sorted.sort_by_key(|p| section_of(p));
    sorted.into_iter()
}

/// The types of variables that are written, in Dakota's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum VariableType {
    Continuous,
    Range,
    Integers,
    Texts,
    Reals,
    Normal,
    LogNormal,
    LogUniform,
    Triangular,
    Weibull,
    WeightedIntegers,
    WeightedTexts,
    WeightedReals,
}

fn section_of(parameter: &Parameter) -> VariableType {
    let weighted = matches!(parameter.distribution, Distribution::Weights(_));
    let whole = parameter.kind != ParameterKind::Real;
    match (&parameter.domain, &parameter.distribution) {
        (Domain::Integers { .. }, Distribution::Weights(_)) => VariableType::WeightedIntegers,
        (Domain::Integers { .. }, _) => VariableType::Range,
        (Domain::Categories(_), _) if weighted => VariableType::WeightedTexts,
        (Domain::Categories(_), _) => VariableType::Texts,
        (Domain::Values(_) | Domain::Steps { .. }, _) => match (weighted, whole) {
            (true, true) => VariableType::WeightedIntegers,
            (true, false) => VariableType::WeightedReals,
            (false, true) => VariableType::Integers,
            (false, false) => VariableType::Reals,
        },
        (Domain::Continuous { .. }, distribution) => match distribution {
            Distribution::Uniform | Distribution::Weights(_) => VariableType::Continuous,
            Distribution::LogUniform => VariableType::LogUniform,
            Distribution::Triangular { .. } => VariableType::Triangular,
            Distribution::Normal { .. } => VariableType::Normal,
            Distribution::LogNormal { .. } => VariableType::LogNormal,
            Distribution::Weibull { .. } => VariableType::Weibull,
        },
    }
}

impl VariableType {
    /// Whether a list of only this value says nothing: the bounds of a distribution that is not cut.
    fn implies(self, list: &str, value: &str) -> bool {
        match (self, list) {
            (Self::Normal, "lower_bounds") => value == "-inf",
            (Self::LogNormal, "lower_bounds") => value == "0",
            (Self::Normal | Self::LogNormal, "upper_bounds") => value == "inf",
            _ => false,
        }
    }

    fn keyword(self) -> &'static str {
        match self {
            Self::Continuous => "continuous_design",
            Self::Range => "discrete_design_range",
            Self::Integers => "discrete_design_set integer",
            Self::Texts => "discrete_design_set string",
            Self::Reals => "discrete_design_set real",
            Self::Normal => "normal_uncertain",
            Self::LogNormal => "lognormal_uncertain",
            Self::LogUniform => "loguniform_uncertain",
            Self::Triangular => "triangular_uncertain",
            Self::Weibull => "weibull_uncertain",
            Self::WeightedIntegers => "discrete_uncertain_set integer",
            Self::WeightedTexts => "discrete_uncertain_set string",
            Self::WeightedReals => "discrete_uncertain_set real",
        }
    }
}

fn variables(parameters: &[Parameter]) -> Result<String, ExportError> {
    let sorted: Vec<&Parameter> = in_order(parameters).collect();
    let mut text = String::from("  active all\n");
    for of_one_type in sorted.chunk_by(|a, b| section_of(a) == section_of(b)) {
        text += &section(of_one_type)?;
    }
    Ok(text)
}

fn section(parameters: &[&Parameter]) -> Result<String, ExportError> {
    let section = section_of(parameters[0]);
    let mut text = format!("  {} = {}\n", section.keyword(), parameters.len());
    let columns = parameters.iter().map(|p| columns(p)).collect::<Result<Vec<_>, _>>()?;
    let names =
        columns.first().map(|c| c.iter().map(|(name, _)| *name).collect::<Vec<_>>()).unwrap_or_default();
    for (i, name) in names.into_iter().enumerate() {
        let values: Vec<&str> = columns.iter().map(|c| c[i].1.as_str()).collect();
        if values.iter().all(|value| section.implies(name, value)) {
            continue;
        }
        text += &format!("    {name} = {}\n", values.join(" "));
    }
    let names = parameters.iter().map(|p| quoted(&p.name)).collect::<Result<Vec<_>, _>>()?;
    text += &format!("    descriptors = {}\n", names.join(" "));
    let defaults: Option<Vec<String>> = parameters.iter().map(|p| default(p)).collect();
    Ok(text + &defaults.map_or_else(String::new, |d| format!("    initial_point = {}\n", d.join(" "))))
}

fn default(parameter: &Parameter) -> Option<String> {
    let default = parameter.default.as_ref()?;
    match (default.as_f64(), parameter.domain.is_categorical()) {
        (Some(x), false) => Some(x.to_string()),
        (None, true) => quoted(&default.to_string()).ok(),
        _ => None,
    }
}

/// The lists to which a parameter contributes, and what it contributes.
type VariableLists = Vec<(&'static str, String)>;

fn columns(parameter: &Parameter) -> Result<VariableLists, ExportError> {
    match &parameter.domain {
        Domain::Continuous { from, to } => continuous(parameter, *from, *to),
        Domain::Integers { from, to } if parameter.distribution == Distribution::Uniform => {
            Ok(vec![("lower_bounds", from.to_string()), ("upper_bounds", to.to_string())])
        }
        _ => set(parameter),
    }
}

fn continuous(parameter: &Parameter, from: f64, to: f64) -> Result<VariableLists, ExportError> {
    let bounds = [("lower_bounds", from.to_string()), ("upper_bounds", to.to_string())];
    let moments: VariableLists = match parameter.distribution {
        Distribution::Uniform | Distribution::LogUniform => Vec::new(),
        Distribution::Triangular { peak } => vec![("modes", peak.to_string())],
        Distribution::Normal { mean, sd } => {
            vec![("means", mean.to_string()), ("std_deviations", sd.to_string())]
        }
        Distribution::LogNormal { mean, sd } => {
            vec![("lambdas", mean.to_string()), ("zetas", sd.to_string())]
        }
        Distribution::Weibull { shape, scale, location }
            if location == 0.0 && from == 0.0 && to == f64::INFINITY =>
        {
            return Ok(vec![("alphas", shape.to_string()), ("betas", scale.to_string())]);
        }
        ref other => {
            let what = format!("parameter `{}`", parameter.name);
            let found = format!("{} over {from}..{to}", describe(other));
            return Err(refusal(&what, "a distribution that Dakota has", found, "choose another one"));
        }
    };
    Ok(moments.into_iter().chain(bounds).collect())
}

/// More values than a person would want in a file; a range says them shorter.
const MOST_VALUES: u64 = 10_000;

fn set(parameter: &Parameter) -> Result<VariableLists, ExportError> {
    let what = format!("parameter `{}`", parameter.name);
    let count = parameter.domain.count().unwrap_or(0);
    if count > MOST_VALUES {
        let found = format!("{count} values");
        return Err(refusal(
            &what,
            "at most 10000 values",
            found,
            "make it continuous, or take larger steps",
        ));
    }
    let values = (0..count).filter_map(|i| parameter.domain.value(i));
    let text = |value: crate::Value| match value {
        crate::Value::Text(text) => quoted(&text),
        number => Ok(number.to_string()),
    };
    let values = values.map(text).collect::<Result<Vec<_>, _>>()?;
    let mut columns = vec![("elements_per_variable", count.to_string()), ("elements", values.join(" "))];
    match &parameter.distribution {
        Distribution::Uniform => {}
        Distribution::Weights(weights) => {
            let weights: Vec<String> = weights.iter().map(ToString::to_string).collect();
            columns.push(("set_probabilities", weights.join(" ")));
        }
        other => {
            return Err(refusal(&what, "equal values or a weight for each", describe(other), "give weights"));
        }
    }
    Ok(columns)
}

fn responses(outputs: &[String]) -> Result<String, ExportError> {
    if outputs.is_empty() {
        return Ok("  response_functions = 1\n".into());
    }
    let names = outputs.iter().map(|name| quoted(name)).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("  response_functions = {}\n  descriptors = {}\n", outputs.len(), names.join(" ")))
}

/// Names stand between quotes and in tables separated by spaces.
fn quoted(name: &str) -> Result<String, ExportError> {
    let quote = if name.contains('\'') { '"' } else { '\'' };
    if name.is_empty() || name.contains(quote) || name.contains(char::is_whitespace) {
        let what = format!("the name `{name}`");
        return Err(refusal(
            &what,
            "a name without spaces and without both kinds of quotes",
            "one",
            "rename it",
        ));
    }
    Ok(format!("{quote}{name}{quote}"))
}
