//! The parameters of a segmentation: those of a file, then those of the command line.

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::NucleiParameters;
use onceflow_study::{
    Diagnostic, Diagnostics, LocatedNode, SourceText, TableEntry, TableReader, Value, parse_json,
};

use crate::file::read_text;
use onceflow_engine::TextLimit;
use onceflow_terminal::{Failure, engine_failure};

/// Defaults, changed by the file and then by the command line.
pub(in crate::verb) fn read(file: Option<&Path>, words: &[String]) -> Result<NucleiParameters, Failure> {
    let mut parameters = NucleiParameters::new().map_err(engine_failure)?;
    if let Some(path) = file {
        from_file(path, &mut parameters)?;
    }
    let mut messages = Diagnostics::default();
    for word in words {
        from_word(word, &mut parameters).unwrap_or_else(|message| messages.push(*message));
    }
    if messages.has_errors() { Err(messages.into()) } else { Ok(parameters) }
}

/// Reports all errors of the file, each with its position.
fn from_file(path: &Path, parameters: &mut NucleiParameters) -> Result<(), Failure> {
    let source = read_text(path, TextLimit::Description)?;
    let node = parse_json(&source).map_err(|message| *message)?;
    let mut messages = Diagnostics::default();
    let Some(table) = node.as_table() else { return Err(no_object(&source, &node).into()) };
    for entry in &table.entries {
        set(entry, &source, parameters, &mut messages);
    }
    if messages.has_errors() { Err(messages.into()) } else { Ok(()) }
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
