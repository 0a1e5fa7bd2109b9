//! The parameters of a command: those of a file, then those of the command line.

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

/// Parameters that are set by name.
pub(in crate::verb) trait NamedValues {
    /// The shipped workflows whose results have them.
    const WORKFLOWS: [&'static str; 2];

    /// Which commands run these workflows.
    const COMMANDS: &'static str;

    /// One of them with a value.
    const EXAMPLE: &'static str;

    /// Whether there is one of that name.
    fn knows(&self, name: &str) -> bool;

    /// Sets one.
    fn change(&mut self, name: &str, value: &Value) -> Result<(), Box<Diagnostic>>;
}

impl NamedValues for NucleiParameters {
    const WORKFLOWS: [&'static str; 2] = ["nuclei", "nuclei"];

    const COMMANDS: &'static str = "segment and features run";

    const EXAMPLE: &'static str = "G1=40";

    fn knows(&self, name: &str) -> bool {
        self.values().any(|(known, _)| known == name)
    }

    fn change(&mut self, name: &str, value: &Value) -> Result<(), Box<Diagnostic>> {
        self.set(name, value)
    }
}

/// Defaults, changed by the file and then by the command line.
pub(in crate::verb) fn read(file: Option<&Path>, words: &[String]) -> Result<SegmentValues, Failure> {
    let mut parameters = NucleiParameters::new().map_err(engine_failure)?;
    let um_per_pixel = read_values(&mut parameters, file, words)?;
    Ok(SegmentValues { parameters, um_per_pixel })
}

/// Changes parameters by the file and then by the command line; gives the resolution that they were found at, where the file is
/// that of a run.
pub(in crate::verb) fn read_values<P: NamedValues>(
    parameters: &mut P,
    file: Option<&Path>,
    words: &[String],
) -> Result<Option<f64>, Failure> {
    let um_per_pixel = file.map_or(Ok(None), |path| from_file(path, parameters))?;
    let mut messages = Diagnostics::default();
    for word in words {
        from_word(word, parameters).unwrap_or_else(|message| messages.push(*message));
    }
    if messages.has_errors() { Err(messages.into()) } else { Ok(um_per_pixel) }
}

/// Reports all errors of the file, each with its position.
fn from_file<P: NamedValues>(path: &Path, parameters: &mut P) -> Result<Option<f64>, Failure> {
    let source = read_text(path, TextLimit::Description)?;
    let node = parse_json(&source).map_err(|message| *message)?;
    let mut messages = Diagnostics::default();
    let Some(table) = node.as_table() else { return Err(no_object(&source, &node).into()) };
    // An object of Onceflow (best.json of a run, the JSON of segment) has a version, and its values in a table of their own.
    let (table, um_per_pixel) = match table.get("version") {
        Some(_) => of_result::<P>(&source, table)?,
        None => (table, None),
    };
    for entry in &table.entries {
        set(entry, &source, parameters, &mut messages);
    }
    if messages.has_errors() { Err(messages.into()) } else { Ok(um_per_pixel) }
}

/// The values in the object of a run, which must be one of a workflow with these parameters and have a best row.
fn of_result<'a, P: NamedValues>(
    source: &Arc<SourceText>,
    table: &'a LocatedTable,
) -> Result<(&'a LocatedTable, Option<f64>), Failure> {
    let workflow = table.get("workflow").and_then(|node| Some((node, node.as_text()?)));
    let is_other = |name: &str| !P::WORKFLOWS.contains(&name.split(' ').next().unwrap_or_default());
    if let Some((node, name)) = workflow.filter(|(_, name)| is_other(name)) {
        let [first, _] = P::WORKFLOWS;
        let message = Diagnostic::error("these are the values of another workflow").at(source, node.span, "");
        let message = message.expected_found(format!("the workflow `{first}`"), format!("`{name}`"));
        return Err(message.with_hint(format!("{} the shipped workflow `{first}`", P::COMMANDS)).into());
    }
    let um_per_pixel = table.get("um_per_pixel").and_then(LocatedNode::as_number);
    let values = table.get("parameters").and_then(LocatedNode::as_table).ok_or_else(|| no_values(source))?;
    Ok((values, um_per_pixel))
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

fn set<P: NamedValues>(
    entry: &TableEntry,
    source: &Arc<SourceText>,
    parameters: &mut P,
    messages: &mut Diagnostics,
) {
    // A name that is not known is said before its value is looked at.
    let known = parameters.knows(&entry.key);
    let span = if known { entry.value.span } else { entry.key_span };
    let value = if known {
        TableReader::read(source, &entry.key, &entry.value, messages)
    } else {
        Some(Value::Integer(0))
    };
    if let Some(Err(message)) = value.map(|value: Value| parameters.change(&entry.key, &value)) {
        messages.push(message.at(source, span, ""));
    }
}

fn from_word<P: NamedValues>(word: &str, parameters: &mut P) -> Result<(), Box<Diagnostic>> {
    let Some((name, value)) = word.split_once('=') else {
        let message = Diagnostic::error(format!("invalid argument `-p {word}`"));
        return Err(Box::new(
            message
                .expected_found("-p NAME=VALUE", format!("`{word}`"))
                .with_hint(format!("write -p {}", P::EXAMPLE)),
        ));
    };
    parameters.change(name.trim(), &value_of(value.trim()))
}

/// A number where it is one; what the parameter makes of it is its kind's.
fn value_of(text: &str) -> Value {
    let whole = text.parse().ok().map(Value::Integer);
    let real = || text.parse().ok().map(Value::Real);
    whole.or_else(real).unwrap_or_else(|| Value::Text(text.into()))
}
