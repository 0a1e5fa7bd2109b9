//! The parameters of a segmentation: those of a file, then those of the command line.

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::NucleiParameters;
use onceflow_study::{
    Diagnostic, Diagnostics, LocatedNode, LocatedTable, SourceText, TableEntry, TableReader, Value,
    parse_json,
};

use crate::file::read_text;
use onceflow_engine::TextLimit;
use onceflow_terminal::{Failure, engine_failure};

/// The values of a segmentation, and the resolution they were found at, where the file is that of a run.
pub(in crate::verb) struct SegmentValues {
    pub(in crate::verb) parameters: NucleiParameters,
    pub(in crate::verb) um_per_pixel: Option<f64>,
}

/// Defaults, changed by the file and then by the command line.
pub(in crate::verb) fn read(file: Option<&Path>, words: &[String]) -> Result<SegmentValues, Failure> {
    let parameters = NucleiParameters::new().map_err(engine_failure)?;
    let mut values = SegmentValues { parameters, um_per_pixel: None };
    if let Some(path) = file {
        from_file(path, &mut values)?;
    }
    let mut messages = Diagnostics::default();
    for word in words {
        from_word(word, &mut values.parameters).unwrap_or_else(|message| messages.push(*message));
    }
    if messages.has_errors() { Err(messages.into()) } else { Ok(values) }
}

/// Reports all errors of the file, each with its position.
fn from_file(path: &Path, values: &mut SegmentValues) -> Result<(), Failure> {
    let source = read_text(path, TextLimit::Description)?;
    let node = parse_json(&source).map_err(|message| *message)?;
    let mut messages = Diagnostics::default();
    let Some(table) = node.as_table() else { return Err(no_object(&source, &node).into()) };
    // An object of Onceflow (best.json of a run, the JSON of segment) has a version, and its values in a table of their own.
    let table = match table.get("version") {
        Some(_) => of_result(&source, table, values)?,
        None => table,
    };
    for entry in &table.entries {
        set(entry, &source, &mut values.parameters, &mut messages);
    }
    if messages.has_errors() { Err(messages.into()) } else { Ok(()) }
}

/// The values in the object of a run, which must be one of the workflow `nuclei` and have a best row.
fn of_result<'a>(
    source: &Arc<SourceText>,
    table: &'a LocatedTable,
    values: &mut SegmentValues,
) -> Result<&'a LocatedTable, Failure> {
    let workflow = table.get("workflow").and_then(|node| Some((node, node.as_text()?)));
    if let Some((node, name)) = workflow.filter(|(_, name)| name.split(' ').next() != Some("nuclei")) {
        let message = Diagnostic::error("these are the values of another workflow").at(source, node.span, "");
        let message = message.expected_found("the workflow `nuclei`", format!("`{name}`"));
        return Err(message.with_hint("segment and features run the shipped workflow `nuclei`").into());
    }
    values.um_per_pixel = table.get("um_per_pixel").and_then(LocatedNode::as_number);
    table.get("parameters").and_then(LocatedNode::as_table).ok_or_else(|| no_values(source))
}

fn no_values(source: &Arc<SourceText>) -> Failure {
    let message = Diagnostic::error(format!("{} has no best row", source.name));
    let message = message.expected_found("`parameters` with the values of a row", "none");
    let hint = "a run has a best row when its first metric is better in one direction, such as dice, and a row succeeded";
    message.with_hint(hint).into()
}

fn no_object(source: &Arc<SourceText>, node: &LocatedNode) -> Diagnostic {
    let message = Diagnostic::error("invalid parameters").at(source, node.span, "");
    let message = message.expected_found("an object of names and values", node.describe());
    message.with_hint(r#"write {"G1": 40, "T1": 5.5}"#)
}

fn set(
    entry: &TableEntry,
    source: &Arc<SourceText>,
    parameters: &mut NucleiParameters,
    messages: &mut Diagnostics,
) {
    // A name that is not known is said before its value is looked at.
    let known = parameters.values().any(|(name, _)| name == entry.key);
    let span = if known { entry.value.span } else { entry.key_span };
    let value = if known {
        TableReader::read(source, &entry.key, &entry.value, messages)
    } else {
        Some(Value::Integer(0))
    };
    if let Some(Err(message)) = value.map(|value: Value| parameters.set(&entry.key, &value)) {
        messages.push(message.at(source, span, ""));
    }
}

fn from_word(word: &str, parameters: &mut NucleiParameters) -> Result<(), Box<Diagnostic>> {
    let Some((name, value)) = word.split_once('=') else {
        let message = Diagnostic::error(format!("invalid argument `-p {word}`"));
        return Err(Box::new(
            message.expected_found("-p NAME=VALUE", format!("`{word}`")).with_hint("write -p G1=40"),
        ));
    };
    parameters.set(name.trim(), &value_of(value.trim()))
}

/// A number where it is one; what the parameter makes of it is its kind's.
fn value_of(text: &str) -> Value {
    let whole = text.parse().ok().map(Value::Integer);
    let real = || text.parse().ok().map(Value::Real);
    whole.or_else(real).unwrap_or_else(|| Value::Text(text.into()))
}
