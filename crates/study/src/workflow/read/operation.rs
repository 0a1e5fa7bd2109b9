//! The operation of a task: the id of a built-in one, a program, or a Python function.

use std::sync::Arc;
use std::time::Duration;

use super::super::{
    DeviceKind, Halo, Marks, NameRole, OperationDeclaration, ProgramCommand, Python, Repeats, TaskOperation,
};
use super::Name;
use crate::located::{Data, FromNode, LocatedNode, Mismatch, TableReader};
use crate::units::Size;
use crate::{Diagnostics, SourceSpan, SourceText};

/// What all programs of a workflow declare, unless they say otherwise themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct ProgramDefaults {
    container: Option<(String, SourceSpan)>,
    memory: Option<u64>,
    time: Option<Duration>,
    device: Option<DeviceKind>,
    repeats: Option<Repeats>,
}

impl ProgramDefaults {
    /// Reads the value of `programs`.
    pub(super) fn from(
        source: &Arc<SourceText>,
        node: &LocatedNode,
        diagnostics: &mut Diagnostics,
    ) -> Option<ProgramDefaults> {
        let mut fields = TableReader::new(source, node, "programs", diagnostics)?;
        let container = container_from(source, &mut fields, &mut Marks::default());
        let defaults = ProgramDefaults {
            container: container.map(|name| (name, fields.span("container"))),
            memory: fields.optional::<Size>("memory").map(|size| size.0),
            time: fields.optional::<Duration>("time"),
            device: fields.word("device", &DeviceKind::WORDS),
            repeats: fields.word("repeats", &Repeats::WORDS),
        };
        fields.finish();
        Some(defaults)
    }

    /// What an operation does not declare itself; `null` as a container declares that there is none.
    fn complete(&self, node: &LocatedNode, declared: &mut OperationDeclaration) {
        let is_said = |key: &str| node.as_table().is_some_and(|table| table.get(key).is_some());
        declared.memory = declared.memory.or(self.memory);
        declared.time = declared.time.or(self.time);
        declared.device = self.device.filter(|_| !is_said("device")).unwrap_or(declared.device);
        declared.repeats = self.repeats.filter(|_| !is_said("repeats")).unwrap_or(declared.repeats);
    }

    fn container(&self, node: &LocatedNode, marks: &mut Marks) -> Option<String> {
        let is_said = node.as_table().is_some_and(|table| table.get("container").is_some());
        let (name, span) = self.container.as_ref().filter(|_| !is_said)?;
        marks.set(NameRole::File, name, *span);
        Some(name.clone())
    }
}

/// Reads the value of `op`.
pub(super) fn operation_from(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    defaults: &ProgramDefaults,
    marks: &mut Marks,
    diagnostics: &mut Diagnostics,
) -> Option<TaskOperation> {
    marks.set(NameRole::Operation, "", node.span);
    match &node.data {
        Data::Text(id) => Some(TaskOperation::BuiltIn(id.clone())),
        Data::Table(table) if table.get("python").is_some() => {
            let mut python = python_from(source, node, marks, diagnostics)?;
            defaults.complete(node, &mut python.declared);
            Some(TaskOperation::Python(Box::new(python)))
        }
        Data::Table(_) => {
            let mut command = command_from(source, node, marks, diagnostics)?;
            defaults.complete(node, &mut command.declared);
            command.container = command.container.or_else(|| defaults.container(node, marks));
            Some(TaskOperation::Command(Box::new(command)))
        }
        _ => {
            let expected = "the id of an operation, or a table with `command` or `python`";
            diagnostics.push(Mismatch::new(node, expected).diagnostic(source, "op"));
            None
        }
    }
}

fn command_from(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    marks: &mut Marks,
    diagnostics: &mut Diagnostics,
) -> Option<ProgramCommand> {
    let mut fields = TableReader::new(source, node, "command", diagnostics)?;
    let arguments: Option<&LocatedNode> = fields.required("command");
    let command: Option<Vec<String>> = arguments.and_then(|_| fields.parsed("command", not_empty));
    for argument in arguments.and_then(LocatedNode::as_list).unwrap_or_default() {
        marks.set(NameRole::Declares, argument.as_text().unwrap_or_default(), argument.span);
    }
    let files = files_from(&mut fields, marks);
    let container = container_from(source, &mut fields, marks);
    let serve = fields.optional("serve").unwrap_or_default();
    let declared = declared_from(source, &mut fields, marks);
    fields.finish();
    Some(ProgramCommand { command: command?, files, container, serve, declared })
}

fn python_from(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    marks: &mut Marks,
    diagnostics: &mut Diagnostics,
) -> Option<Python> {
    let mut fields = TableReader::new(source, node, "Python operation", diagnostics)?;
    let place = fields.parsed("python", file_and_function);
    let files = files_from(&mut fields, marks);
    let declared = declared_from(source, &mut fields, marks);
    fields.finish();
    let (file, function) = place?;
    Some(Python { file, function, files, declared, ..Python::default() })
}

/// Files, each at its place.
fn files_from(fields: &mut TableReader<'_, '_>, marks: &mut Marks) -> Vec<String> {
    for file in fields.optional::<&LocatedNode>("files").and_then(LocatedNode::as_list).unwrap_or_default() {
        marks.set(NameRole::File, file.as_text().unwrap_or_default(), file.span);
    }
    fields.parsed("files", file_names).unwrap_or_default()
}

/// A container, or `null` for none.
fn container_from(
    source: &Arc<SourceText>,
    fields: &mut TableReader<'_, '_>,
    marks: &mut Marks,
) -> Option<String> {
    let node =
        fields.optional::<&LocatedNode>("container").filter(|node| !matches!(node.data, Data::Null))?;
    let name = node.as_text().filter(|name| !name.is_empty());
    if name.is_none() {
        let mismatch = Mismatch::new(node, "a file such as \"flood.sif\", the name of an image, or null");
        fields.diagnostics().push(mismatch.diagnostic(source, "container"));
    }
    marks.set(NameRole::File, name.unwrap_or_default(), node.span);
    name.map(str::to_owned)
}

fn declared_from(
    source: &Arc<SourceText>,
    fields: &mut TableReader<'_, '_>,
    marks: &mut Marks,
) -> OperationDeclaration {
    let per_object = fields.optional::<Name<'_>>("per_object").map(|name| name.text.to_owned());
    let per_tile = fields.parsed("per_tile", tile_side);
    for name in ["per_object", "per_tile"] {
        marks.set(NameRole::Declares, name, fields.span(name));
    }
    OperationDeclaration {
        halo: halo_from(source, fields),
        per_object,
        per_tile,
        memory: fields.optional::<Size>("memory").map(|size| size.0),
        time: fields.optional::<Duration>("time"),
        device: fields.word("device", &DeviceKind::WORDS).unwrap_or_default(),
        repeats: fields.word("repeats", &Repeats::WORDS).unwrap_or_default(),
    }
}

fn halo_from(source: &Arc<SourceText>, fields: &mut TableReader<'_, '_>) -> Halo {
    let Some(node) = fields.optional::<&LocatedNode>("halo") else { return Halo::None };
    let pixels = u64::from_node(node).ok().and_then(|pixels| u32::try_from(pixels).ok());
    match (pixels, node.as_text()) {
        (Some(0), _) => Halo::None,
        (Some(pixels), _) => Halo::Pixels(pixels),
        (None, Some("whole")) => Halo::Whole,
        _ => {
            let mismatch = Mismatch::new(node, "a number of pixels, or \"whole\"");
            fields.diagnostics().push(mismatch.diagnostic(source, "halo"));
            Halo::None
        }
    }
}

/// Smaller tiles cost more to tell apart than they save.
const SMALLEST_TILE: u32 = 16;

fn tile_side(side: u64) -> Result<u32, String> {
    let side = u32::try_from(side).ok().filter(|side| *side >= SMALLEST_TILE);
    side.ok_or_else(|| format!("the side of a tile in pixels, {SMALLEST_TILE} or more"))
}

fn not_empty(arguments: Vec<String>) -> Result<Vec<String>, String> {
    match arguments.first() {
        Some(program) if !program.is_empty() => Ok(arguments),
        _ => Err("a list that begins with a program".into()),
    }
}

fn file_names(names: Vec<&str>) -> Result<Vec<String>, String> {
    names.into_iter().map(file_name).collect()
}

fn file_name(name: &str) -> Result<String, String> {
    if name.is_empty() { Err("the name of a file".into()) } else { Ok(name.into()) }
}

/// `steps.py:flood`.
fn file_and_function(text: &str) -> Result<(String, String), String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match text.rsplit_once(':') {
        Some((file, function))
            if !file.is_empty()
                && function.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && function.chars().all(is_word) =>
        {
            Ok((file.into(), function.into()))
        }
        _ => Err("a file and a function such as \"steps.py:flood\"".into()),
    }
}
