//! `[parameters]`: what varies, and what is fixed at another value than the workflow's default.

use std::sync::Arc;

use crate::located::{Data, FromNode, Located, LocatedNode, Mismatch, TableEntry, TableReader};
use crate::{Diagnostic, Diagnostics, Distribution, ParameterKind, SourceSpan, SourceText, Value};

/// A parameter as it is written.
#[derive(Clone, Debug)]
pub(crate) struct ParameterEntry {
    /// With the place of the key.
    pub(crate) name: Located<String>,
    /// With the place of everything behind the key; `None` when they could not be read.
    pub(crate) values: Option<Located<WrittenValues>>,
    pub(crate) kind: Option<Located<ParameterKind>>,
    pub(crate) default: Option<Located<Value>>,
    pub(crate) distribution: Option<Located<Distribution>>,
    pub(crate) group: Option<Located<String>>,
    pub(crate) unit: Option<String>,
    pub(crate) about: Option<String>,
}

/// The values of a parameter as they are written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum WrittenValues {
    /// `G1 = 40`: it does not vary.
    Fixed(Value),
    /// `{ from = 2, to = 40 }`, with or without a step.
    Range { from: f64, to: f64, step: Option<f64> },
    /// `[4, 8]`.
    List(Vec<Value>),
}

/// Most values of a list.
const MOST_VALUES: usize = 10_000;

/// More parameters than any design can vary: Sobol's sequence has 21201 dimensions, two for each.
const MOST_PARAMETERS: usize = 10_000;

/// Reads the entries of `[parameters]`.
pub(crate) fn read_parameters(
    source: &Arc<SourceText>,
    node: Option<&LocatedNode>,
    diagnostics: &mut Diagnostics,
) -> Vec<ParameterEntry> {
    let fields = node.and_then(|node| TableReader::new(source, node, "table [parameters]", diagnostics));
    let mut entries = fields.map(|mut fields| fields.others()).unwrap_or_default();
    if let Some(first) = entries.get(MOST_PARAMETERS) {
        let error = Diagnostic::error("there are too many parameters").at(source, first.key_span, "");
        let found = entries.len().to_string();
        diagnostics.push(error.expected_found(format!("at most {MOST_PARAMETERS}"), found));
        entries.truncate(MOST_PARAMETERS);
    }
    entries.into_iter().map(|entry| read_parameter(source, entry, diagnostics)).collect()
}

fn read_parameter(
    source: &Arc<SourceText>,
    entry: &TableEntry,
    diagnostics: &mut Diagnostics,
) -> ParameterEntry {
    let mut parameter = ParameterEntry {
        name: Located { value: entry.key.clone(), span: entry.key_span },
        values: None,
        kind: None,
        default: None,
        distribution: None,
        group: None,
        unit: None,
        about: None,
    };
    let node = &entry.value;
    match &node.data {
        Data::Table(_) => {
            let what = format!("parameter `{}`", entry.key);
            if let Some(fields) = TableReader::new(source, node, &what, diagnostics) {
                read_table(&mut parameter, node.span, fields);
            }
        }
        Data::List(_) => {
            let list = TableReader::read(source, &entry.key, node, diagnostics);
            parameter.values =
                list.map(|ValueList(list)| Located { value: WrittenValues::List(list), span: node.span });
        }
        _ => {
            let value = TableReader::read(source, &entry.key, node, diagnostics);
            parameter.values =
                value.map(|v: Fixed| Located { value: WrittenValues::Fixed(v.0), span: node.span });
        }
    }
    parameter
}

fn read_table(parameter: &mut ParameterEntry, span: SourceSpan, mut fields: TableReader<'_, '_>) {
    let kind = fields.word("type", &ParameterKind::ALL.map(|kind| (kind.word(), kind)));
    parameter.kind = kind.map(|value| Located { value, span: fields.span("type") });
    parameter.default = fields.optional("default");
    parameter.group = fields.optional("group");
    parameter.unit = fields.optional("unit");
    parameter.about = fields.optional("about");
    parameter.distribution = read_distribution(&mut fields);
    let unbounded = parameter.distribution.as_ref().is_some_and(|d| d.value.is_unbounded());
    parameter.values = read_values(&mut fields, unbounded).map(|value| Located { value, span });
    fields.finish();
}

fn read_values(fields: &mut TableReader<'_, '_>, unbounded: bool) -> Option<WrittenValues> {
    if fields.has("values") {
        return fields.optional("values").map(|ValueList(list)| WrittenValues::List(list));
    }
    if fields.table().get("value").is_some() {
        return fields.optional("value").map(|Fixed(value)| WrittenValues::Fixed(value));
    }
    let from = end(fields, "from", unbounded.then_some(f64::NEG_INFINITY));
    let to = end(fields, "to", unbounded.then_some(f64::INFINITY));
    let step = fields.optional("step").map(|Number(x)| x);
    Some(WrittenValues::Range { from: from?, to: to?, step })
}

fn end(fields: &mut TableReader<'_, '_>, key: &str, without: Option<f64>) -> Option<f64> {
    match without {
        Some(end) if !fields.has(key) => Some(end),
        _ => fields.required(key).map(|Number(x)| x),
    }
}

#[derive(Clone, Copy)]
enum DistributionName {
    Uniform,
    LogUniform,
    Triangular,
    Normal,
    LogNormal,
    Weibull,
    Weights,
}

const SHAPES: [(&str, DistributionName); 7] = [
    ("uniform", DistributionName::Uniform),
    ("loguniform", DistributionName::LogUniform),
    ("triangular", DistributionName::Triangular),
    ("normal", DistributionName::Normal),
    ("lognormal", DistributionName::LogNormal),
    ("weibull", DistributionName::Weibull),
    ("weights", DistributionName::Weights),
];

/// Only the keys of the chosen distribution are read. `weights` alone says enough.
fn read_distribution(fields: &mut TableReader<'_, '_>) -> Option<Located<Distribution>> {
    let shape = match fields.word("distribution", &SHAPES) {
        Some(shape) => shape,
        None if fields.table().get("weights").is_some() && !fields.has("distribution") => {
            DistributionName::Weights
        }
        None => return None,
    };
    let key = if fields.has("distribution") { "distribution" } else { "weights" };
    let distribution = match shape {
        DistributionName::Uniform => Distribution::Uniform,
        DistributionName::LogUniform => Distribution::LogUniform,
        DistributionName::Triangular => Distribution::Triangular { peak: fields.required("peak")? },
        DistributionName::Normal => {
            Distribution::Normal { mean: fields.required("mean")?, sd: fields.required("sd")? }
        }
        DistributionName::LogNormal => {
            Distribution::LogNormal { mean: fields.required("mean")?, sd: fields.required("sd")? }
        }
        DistributionName::Weibull => Distribution::Weibull {
            shape: fields.required("shape")?,
            scale: fields.required("scale")?,
            location: fields.optional("location").unwrap_or(0.0),
        },
        DistributionName::Weights => Distribution::Weights(fields.required("weights")?),
    };
    Some(Located { value: distribution, span: fields.span(key) })
}

/// Any number: whether it may be infinite depends on the distribution, and NaN is refused with the range.
struct Number(f64);

impl FromNode<'_> for Number {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        node.as_number().map(Self).ok_or_else(|| Mismatch::new(node, "a number"))
    }
}

struct Fixed(Value);

impl FromNode<'_> for Fixed {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        let expected = "{ from = …, to = … }, a list of values, or one finite number or word";
        Value::from_node(node).map(Self).map_err(|_| Mismatch::new(node, expected))
    }
}

struct ValueList(Vec<Value>);

impl FromNode<'_> for ValueList {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        let list: &[LocatedNode] = FromNode::from_node(node)?;
        if list.len() > MOST_VALUES {
            return Err(Mismatch::new(
                node,
                format!("at most {MOST_VALUES} values; a range with a step has no limit"),
            ));
        }
        Vec::from_node(node).map(Self)
    }
}
