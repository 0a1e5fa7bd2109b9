//! Reads a workflow descriptor: its shape, keys and types. What it means is checked by `check_workflow`.

mod operation;
mod stage;

use std::collections::HashSet;
use std::sync::Arc;

use self::operation::ProgramDefaults;
use self::stage::StageReader;
use super::{Marks, NameRole, RegionDeclaration, RegionKind, SourceLocation, Workflow, WorkflowParameter};
use crate::located::{FromNode, LocatedNode, LocatedTable, Mismatch, TableEntry, TableReader, parse_json};
use crate::value::whole;
use crate::{Diagnostic, Diagnostics, ParameterKind, SourceSpan, SourceText, Value, nearest};

/// More tasks than a workflow has; keeps whatever grows with their square small.
pub(crate) const MOST_TASKS: usize = 2000;

/// Reads a workflow descriptor, or says everything that is wrong with its form.
pub fn read_workflow(source: &Arc<SourceText>) -> Result<Workflow, Diagnostics> {
    let node = parse_json(source).map_err(|diagnostic| Diagnostics::from(*diagnostic))?;
    let mut diagnostics = Diagnostics::default();
    match workflow_from(source, &node, &mut diagnostics) {
        Some(workflow) if !diagnostics.has_errors() => Ok(workflow),
        _ => Err(diagnostics),
    }
}

fn workflow_from(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    diagnostics: &mut Diagnostics,
) -> Option<Workflow> {
    let mut fields = TableReader::new(source, node, "workflow", diagnostics)?;
    let _: Option<&str> = fields.optional("$schema");
    let name = fields.required::<Name<'_>>("workflow").map(|name| name.text.to_owned());
    let version = fields.parsed("version", positive);
    let about = fields.optional("about");
    let parameters = entries_of(&mut fields, source, "parameters", false, parameter_from);
    let regions = entries_of(&mut fields, source, "regions", true, region_from);
    let programs = fields.optional::<&LocatedNode>("programs");
    let programs = programs.and_then(|node| ProgramDefaults::from(source, node, fields.diagnostics()));
    let stages = match fields.required::<&[LocatedNode]>("stages") {
        Some(nodes) => stages_from(source, nodes, programs.unwrap_or_default(), &mut fields),
        None => Vec::new(),
    };
    let mut marks = Marks::default();
    let outputs = names(source, &mut fields, &mut marks, "outputs", NameRole::Output, true);
    if outputs.is_empty() && is_empty_list(node, "outputs") {
        fields.error("outputs", "the workflow has no result", "at least one region");
    }
    fields.finish();
    let (source, version) = (Some(Arc::clone(source)), version.unwrap_or(1));
    Some(Workflow { name: name?, version, about, parameters, regions, stages, outputs, source, marks })
}

fn stages_from(
    source: &Arc<SourceText>,
    nodes: &[LocatedNode],
    programs: ProgramDefaults,
    fields: &mut TableReader<'_, '_>,
) -> Vec<super::Stage> {
    if nodes.is_empty() {
        fields.error("stages", "the workflow does nothing", "at least one stage");
    }
    let mut reader = StageReader { source, diagnostics: fields.diagnostics(), programs, tasks: 0 };
    let stages = nodes.iter().filter_map(|node| reader.stage(node, None)).collect();
    let tasks = reader.tasks;
    if tasks > MOST_TASKS {
        let expected = format!("at most {MOST_TASKS} tasks");
        fields.error("stages", format!("the workflow has {tasks} tasks"), expected);
    }
    stages
}

/// Reads a table whose keys are names the user chose.
fn entries_of<T>(
    fields: &mut TableReader<'_, '_>,
    source: &Arc<SourceText>,
    key: &str,
    required: bool,
    read: impl Fn(&Arc<SourceText>, &TableEntry, &mut Diagnostics) -> Option<T>,
) -> Vec<T> {
    let table = if required { fields.required(key) } else { fields.optional::<&LocatedTable>(key) };
    let entries = table.map_or(&[][..], |table| table.entries.as_slice());
    entries.iter().filter_map(|entry| read(source, entry, fields.diagnostics())).collect()
}

fn parameter_from(
    source: &Arc<SourceText>,
    entry: &TableEntry,
    diagnostics: &mut Diagnostics,
) -> Option<WorkflowParameter> {
    check_key(source, entry, "parameter", is_parameter_name, diagnostics);
    let mut fields = TableReader::new(source, &entry.value, "parameter", diagnostics)?;
    let words = ParameterKind::ALL.map(|kind| (kind.word(), kind));
    let kind = fields.required::<&LocatedNode>("type").and_then(|_| fields.word("type", &words));
    let default = fields.parsed("default", |value: Value| typed(kind.unwrap_or_default(), value));
    let unit = fields.optional("unit");
    let about = fields.optional("about");
    fields.finish();
    let place = Some(SourceLocation::new(source, entry.key_span));
    Some(WorkflowParameter { default, unit, about, place, ..WorkflowParameter::new(&entry.key, kind?) })
}

/// The value as its kind has it: whole numbers as such, also when they are written with a point.
fn typed(kind: ParameterKind, value: Value) -> Result<Value, String> {
    match (kind, &value, value.as_f64()) {
        (ParameterKind::Category, Value::Text(_), _) => Ok(value),
        (ParameterKind::Category, _, _) => Err("a word in quotes".into()),
        (ParameterKind::Real, _, Some(number)) => Ok(Value::Real(number)),
        (ParameterKind::Real, _, None) => Err("a number".into()),
        (_, Value::Integer(_), _) => Ok(value),
        (_, _, number) => {
            number.and_then(whole).map(Value::Integer).ok_or_else(|| "a whole number".to_owned())
        }
    }
}

fn region_from(
    source: &Arc<SourceText>,
    entry: &TableEntry,
    diagnostics: &mut Diagnostics,
) -> Option<RegionDeclaration> {
    check_key(source, entry, "region", is_name, diagnostics);
    let word = entry.value.as_text().unwrap_or_default();
    let place = Some(SourceLocation::new(source, entry.key_span));
    if let Some(kind) = RegionKind::from_word(word) {
        return Some(RegionDeclaration { name: entry.key.clone(), kind, place });
    }
    let words = RegionKind::ALL.map(RegionKind::word);
    let mut diagnostic = Diagnostic::error(format!("the type of region `{}` cannot be read", entry.key))
        .at(source, entry.value.span, "")
        .expected_found(format!("one of {}", words.join(", ")), entry.value.describe());
    diagnostic.hint = nearest(word, words).map(|word| format!("write \"{word}\""));
    diagnostics.push(diagnostic);
    None
}

fn check_key(
    source: &Arc<SourceText>,
    entry: &TableEntry,
    what: &str,
    is_good: fn(&str) -> bool,
    diagnostics: &mut Diagnostics,
) {
    if !is_good(&entry.key) {
        let diagnostic = Diagnostic::error(format!("this cannot be the name of a {what}"));
        let found = format!("\"{}\"", entry.key.chars().take(40).collect::<String>());
        diagnostics.push(diagnostic.at(source, entry.key_span, "").expected_found(NAME, found));
    }
}

const NAME: &str = "letters, digits and _ or ., beginning with a letter or _";

/// Names of regions, tasks, stages and workflows.
fn is_name(text: &str) -> bool {
    is_parameter_name(&text.replace('-', "_")) && !text.starts_with('-')
}

/// Names of parameters stand in constraints, where `-` is a sign.
fn is_parameter_name(text: &str) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    text.chars().all(good) && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// A name as it stands in the text.
struct Name<'a> {
    text: &'a str,
    span: SourceSpan,
}

impl<'a> FromNode<'a> for Name<'a> {
    fn from_node(node: &'a LocatedNode) -> Result<Self, Mismatch> {
        let text = <&str>::from_node(node)?;
        if is_name(text) { Ok(Self { text, span: node.span }) } else { Err(Mismatch::new(node, NAME)) }
    }
}

/// The names of a list, and where they stand. A region may go into two inputs; everything else is named once.
fn names(
    source: &Arc<SourceText>,
    fields: &mut TableReader<'_, '_>,
    marks: &mut Marks,
    key: &str,
    role: NameRole,
    required: bool,
) -> Vec<String> {
    let found = if required { fields.required::<Vec<Name<'_>>>(key) } else { fields.optional(key) };
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for Name { text, span } in found.unwrap_or_default() {
        if !seen.insert(text) && role != NameRole::Input {
            let mismatch =
                Mismatch { span, expected: "each name once".into(), found: format!("`{text}` twice") };
            fields.diagnostics().push(mismatch.diagnostic(source, key));
        }
        marks.set(role, text, span);
        names.push(text.to_owned());
    }
    names
}

fn is_empty_list(node: &LocatedNode, key: &str) -> bool {
    node.as_table()
        .and_then(|table| table.get(key))
        .and_then(LocatedNode::as_list)
        .is_some_and(<[LocatedNode]>::is_empty)
}

fn positive(number: u64) -> Result<u64, String> {
    if number > 0 { Ok(number) } else { Err("a whole number, 1 or more".into()) }
}
