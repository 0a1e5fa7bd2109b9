//! Types and values that the Region Templates framework hides in the annotations of input ports.

use std::sync::Arc;

use super::document::InputPort;
use crate::located::{LocatedNode, LocatedTable, parse_json};
use crate::value::whole;
use crate::{
    Diagnostic, Diagnostics, Domain, ParameterKind, RegionKind, SourceLocation, SourceText, Value,
    WorkflowParameter,
};

/// The meaning of an input port.
pub(super) enum PortMeaning {
    /// A number or word that a study may vary.
    Parameter(WorkflowParameter),
    /// Data.
    Region(RegionKind),
}

/// Reads `{"type": "integer", "values": [4, 8]}`; a port with any other annotation is data.
pub(super) fn input_from(
    source: &Arc<SourceText>,
    input: &InputPort,
    messages: &mut Diagnostics,
) -> PortMeaning {
    let annotation =
        input.annotation.as_ref().map(|text| SourceText::new(source.name.as_str(), text.as_str()));
    let node = annotation.and_then(|text| parse_json(&text).ok());
    let Some(table) = node.as_ref().and_then(LocatedNode::as_table) else {
        return PortMeaning::Region(RegionKind::Any);
    };
    let Some(word) = table.get("type").and_then(LocatedNode::as_text) else {
        return PortMeaning::Region(RegionKind::Any);
    };
    let kind = match word {
        "integer" => ParameterKind::Integer,
        "float" => ParameterKind::Real,
        "string" => ParameterKind::Category,
        "rt" => return PortMeaning::Region(RegionKind::Any),
        "floatarray" => {
            if table.get("values").is_some() {
                let message = format!(
                    "the values of `{}` are an array, which is no parameter here; they are not kept",
                    input.port.name
                );
                messages.push(Diagnostic::warning(message).at(source, input.port.span, ""));
            }
            return PortMeaning::Region(RegionKind::Table);
        }
        other => {
            let message =
                format!("the annotation of port `{}` names a type that is not known", input.port.name);
            let diagnostic = Diagnostic::warning(message).at(source, input.port.span, "");
            messages.push(diagnostic.expected_found("integer, float, string, floatarray or rt", other));
            return PortMeaning::Region(RegionKind::Any);
        }
    };
    let mut parameter = WorkflowParameter::new(&input.port.name, kind);
    parameter.place = Some(SourceLocation::new(source, input.port.span));
    if !take_values(table, &mut parameter) {
        let message =
            format!("the values of `{}` do not fit its type {word}; they are not kept", input.port.name);
        messages.push(Diagnostic::warning(message).at(source, input.port.span, ""));
    }
    PortMeaning::Parameter(parameter)
}

/// What an output port holds, by its annotation.
pub(super) fn output_kind(annotation: &str) -> RegionKind {
    let node = parse_json(&SourceText::new("annotation", annotation)).ok();
    let word = node
        .as_ref()
        .and_then(LocatedNode::as_table)
        .and_then(|table| table.get("type"))
        .and_then(LocatedNode::as_text);
    if word == Some("floatarray") { RegionKind::Table } else { RegionKind::Any }
}

/// One value is the default, several are the range. Whether all fitted the type.
fn take_values(table: &LocatedTable, parameter: &mut WorkflowParameter) -> bool {
    let nodes = table.get("values").and_then(LocatedNode::as_list).unwrap_or_default();
    let values: Option<Vec<Value>> = nodes.iter().map(|node| value_of(parameter.kind, node)).collect();
    let Some(values) = values else { return false };
    if let [value] = values.as_slice() {
        parameter.default = Some(value.clone());
    } else if !values.is_empty() {
        let numbers: Option<Vec<f64>> = values.iter().map(Value::as_f64).collect();
        let words = || values.iter().map(ToString::to_string).collect();
        let range = numbers.map_or_else(|| Domain::Categories(words()), Domain::Values);
        if range.check(false).is_err() {
            return false;
        }
        parameter.range = Some(range);
    }
    true
}

fn value_of(kind: ParameterKind, node: &LocatedNode) -> Option<Value> {
    match (kind, node.as_text(), node.as_number()) {
        (ParameterKind::Category, Some(text), _) => Some(Value::Text(text.into())),
        (ParameterKind::Real, None, Some(x)) if x.is_finite() => Some(Value::Real(x)),
        (ParameterKind::Integer, None, Some(x)) => whole(x).map(Value::Integer),
        _ => None,
    }
}
