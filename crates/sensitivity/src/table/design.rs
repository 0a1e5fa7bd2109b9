//! Designs as JSON, stored beside a sample so that it can be extended.

use std::sync::Arc;

use onceflow_study::{
    Design, Diagnostics, Distribution, Domain, FromNode, GridDesign, LatinHypercube, LocatedNode, Method,
    Mismatch, MorrisDesign, Parameter, SaltelliDesign, SourceText, Space, TableReader, Trajectories,
    parse_json,
};
use serde_json::{Value as Json, json};

use super::TableError;

/// The text of a design and of the ranges it samples:
/// `{"version": 1, "kind": "design", "design": {"method": …}, "parameters": {"G1": "5..80 step 5"}}`.
pub fn design_to_json(space: &Space, design: &Design) -> String {
    let ranges: serde_json::Map<String, Json> =
        space.parameters().iter().map(|p| (p.name.clone(), range_text(p).into())).collect();
    let document = json!({
        "version": 1, "kind": "design", "design": design_value(design), "parameters": ranges
    });
    format!("{document:#}\n")
}

/// Reads what [`design_to_json`] writes, or its inner object alone. Ranges that are not those of the space are refused:
/// effects and indices would silently be those of other ranges.
pub fn design_from_json(space: &Space, text: &str) -> Result<Design, TableError> {
    let source = SourceText::new("design", text);
    let node = parse_json(&source).map_err(|error| TableError::from(*error))?;
    let part = |key: &str| node.as_table().and_then(|table| table.get(key));
    for parameter in space.parameters() {
        let ranges = part("parameters").and_then(LocatedNode::as_table);
        if let Some(sampled) =
            ranges.and_then(|table| table.get(&parameter.name)).and_then(LocatedNode::as_text)
        {
            check_range(parameter, sampled)?;
        }
    }
    read_design(&source, part("design").unwrap_or(&node))
}

fn check_range(parameter: &Parameter, sampled: &str) -> Result<(), TableError> {
    let asked = range_text(parameter);
    if asked == sampled {
        return Ok(());
    }
    let of = |range: &str| format!("{} {range}", parameter.name);
    let error = TableError::new("the rows were sampled from other ranges", of(sampled), of(&asked));
    Err(error.with_hint("give the problem they were sampled from, or sample again"))
}

/// The range and distribution of a parameter, in one line.
fn range_text(parameter: &Parameter) -> String {
    let list = |words: Vec<String>| words.join(", ");
    let range = match &parameter.domain {
        Domain::Continuous { from, to } => format!("{from}..{to}"),
        Domain::Integers { from, to } => format!("{from}..{to} integers"),
        Domain::Steps { from, to, step } => format!("{from}..{to} step {step}"),
        Domain::Values(values) => list(values.iter().map(f64::to_string).collect()),
        Domain::Categories(words) => list(words.clone()),
    };
    match &parameter.distribution {
        Distribution::Uniform => range,
        other => format!("{range}, {other:?}"),
    }
}

/// The object with the method, all its options and the seed.
pub(super) fn design_value(design: &Design) -> Json {
    let mut object = match &design.method {
        Method::MonteCarlo { rows } => json!({ "rows": rows }),
        Method::LatinHypercube { rows, kind } => {
            json!({ "rows": rows, "kind": kind.word() })
        }
        Method::Halton { rows, scrambled }
        | Method::Hammersley { rows, scrambled }
        | Method::Sobol { rows, scrambled } => json!({ "rows": rows, "scrambled": scrambled }),
        Method::Grid(grid) => json!({ "values": grid.values, "fraction": grid.fraction }),
        Method::Morris(morris) => morris_value(morris),
        Method::Saltelli(s) => {
            json!({ "base": s.base, "second_order": s.second_order, "replicates": s.replicates })
        }
        Method::Tune(tune) => json!({ "evaluations": tune.evaluations, "tuner": tune.tuner.word() }),
    };
    object["method"] = design.method.word().into();
    object["seed"] = seed_value(design.seed);
    object
}

fn morris_value(morris: &MorrisDesign) -> Json {
    let mut object = json!({ "trajectories": morris.trajectories, "values": morris.values });
    if let Trajectories::Optimised { candidates } = morris.kind {
        object["candidates"] = candidates.into();
    }
    object["kind"] = morris.kind.word().into();
    object
}

/// Many programs read numbers of JSON as reals, which lose the last digits of a large seed.
fn seed_value(seed: u64) -> Json {
    if seed <= 1 << 53 { seed.into() } else { seed.to_string().into() }
}

struct Seed(u64);

impl<'a> FromNode<'a> for Seed {
    fn from_node(node: &'a LocatedNode) -> Result<Self, Mismatch> {
        let said = node.as_text().and_then(|text| text.parse().ok());
        said.map_or_else(|| u64::from_node(node), Ok).map(Self)
    }
}

/// Reads the inner object; the first mistake is the error.
pub(super) fn read_design(source: &Arc<SourceText>, node: &LocatedNode) -> Result<Design, TableError> {
    let mut diagnostics = Diagnostics::default();
    let design = TableReader::new(source, node, "design", &mut diagnostics).and_then(|mut fields| {
        let seed = fields.required::<Seed>("seed").map_or(0, |seed| seed.0);
        let method = read_method(&mut fields);
        fields.finish();
        method.map(|method| Design { method, seed })
    });
    let errors = diagnostics.0.into_iter().find(|d| d.severity == onceflow_study::Severity::Error);
    match (design, errors) {
        (Some(design), None) => Ok(design),
        (_, Some(error)) => Err(error.into()),
        (None, None) => Err(TableError::new("the design cannot be read", "a design", "something else")),
    }
}

fn read_method(fields: &mut TableReader<'_, '_>) -> Option<Method> {
    let words =
        ["mc", "lhs", "halton", "hammersley", "sobol", "grid", "morris", "saltelli"].map(|word| (word, word));
    if !fields.has("method") {
        return fields.required::<String>("method").and(None);
    }
    match fields.word("method", &words)? {
        "mc" => Some(Method::MonteCarlo { rows: fields.required("rows")? }),
        "lhs" => {
            let rows = fields.required("rows")?;
            let kind = fields.word("kind", &LatinHypercube::WORDS).unwrap_or_default();
            Some(Method::LatinHypercube { rows, kind })
        }
        "halton" => read_sequence(fields).map(|(rows, scrambled)| Method::Halton { rows, scrambled }),
        "hammersley" => read_sequence(fields).map(|(rows, scrambled)| Method::Hammersley { rows, scrambled }),
        "sobol" => read_sequence(fields).map(|(rows, scrambled)| Method::Sobol { rows, scrambled }),
        "grid" => {
            let (values, fraction) = (fields.required("values")?, fields.required("fraction")?);
            Some(Method::Grid(GridDesign { values, fraction }))
        }
        "morris" => read_morris(fields).map(Method::Morris),
        _ => {
            let (base, second_order) = (fields.required("base")?, fields.required("second_order")?);
            let replicates = fields.required("replicates")?;
            Some(Method::Saltelli(SaltelliDesign { base, second_order, replicates }))
        }
    }
}

fn read_sequence(fields: &mut TableReader<'_, '_>) -> Option<(u64, bool)> {
    Some((fields.required("rows")?, fields.required("scrambled")?))
}

fn read_morris(fields: &mut TableReader<'_, '_>) -> Option<MorrisDesign> {
    let (trajectories, values) = (fields.required("trajectories")?, fields.required("values")?);
    let kinds = [("plain", 0), ("radial", 1), ("optimised", 2)];
    let kind = match fields.word("kind", &kinds).unwrap_or(0) {
        0 => Trajectories::Plain,
        1 => Trajectories::Radial,
        _ => Trajectories::Optimised { candidates: fields.required("candidates")? },
    };
    Some(MorrisDesign { trajectories, values, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(to: f64) -> Space {
        let weights = Distribution::Weights(vec![1.0, 2.0]);
        let words = Domain::Categories(vec!["one".into(), "two".into()]);
        let word = Parameter { distribution: weights, ..Parameter::new("word", words) };
        let size = Parameter::new("size", Domain::Steps { from: 1.0, to, step: 2.0 });
        Space::new(vec![size, word], Vec::new()).unwrap()
    }

    #[test]
    fn rows_of_other_ranges_are_refused() {
        let text = design_to_json(&space(9.0), &Design { method: Method::MonteCarlo { rows: 4 }, seed: 1 });
        let error = design_from_json(&space(11.0), &text).unwrap_err();
        assert_eq!(
            (error.expected.as_str(), error.found.as_str()),
            ("size 1..9 step 2", "size 1..11 step 2")
        );
        assert!(text.contains("one, two, Weights([1.0, 2.0])"), "{text}");
    }

    #[test]
    fn every_design_comes_back() {
        let methods = [
            Method::MonteCarlo { rows: 7 },
            Method::LatinHypercube { rows: 7, kind: LatinHypercube::Maximin },
            Method::Halton { rows: 7, scrambled: true },
            Method::Hammersley { rows: 7, scrambled: false },
            Method::Sobol { rows: 8, scrambled: true },
            Method::Grid(GridDesign { values: 3, fraction: 2 }),
            Method::Morris(MorrisDesign { trajectories: 4, values: 6, kind: Trajectories::Plain }),
            Method::Morris(MorrisDesign { trajectories: 4, values: 6, kind: Trajectories::Radial }),
            Method::Morris(MorrisDesign {
                trajectories: 4,
                values: 6,
                kind: Trajectories::Optimised { candidates: 99 },
            }),
            Method::Saltelli(SaltelliDesign { base: 16, second_order: true, replicates: 8 }),
        ];
        for method in methods {
            for seed in [0, 2026, u64::MAX] {
                let design = Design { method: method.clone(), seed };
                assert_eq!(
                    design_from_json(&space(9.0), &design_to_json(&space(9.0), &design)),
                    Ok(design.clone())
                );
                assert_eq!(design_from_json(&space(9.0), &design_value(&design).to_string()), Ok(design));
            }
        }
    }

    #[test]
    fn mistakes_are_pointed_at() {
        let refuse = |text: &str| design_from_json(&space(9.0), text).unwrap_err().to_string();
        assert!(
            refuse("{\"seed\": 1,\n \"method\": \"moris\"}").starts_with("line 2: `method` cannot be read")
        );
        assert!(refuse("{\"seed\": 1}").contains("the key `method`"));
        assert!(refuse("{\"method\": \"mc\", \"rows\": 5}").contains("the key `seed`"));
        assert!(
            refuse("{\"method\": \"mc\", \"rows\": 5, \"seed\": 1, \"base\": 2}").contains("no key `base`")
        );
        assert!(refuse("{").contains("expected"));
    }
}
