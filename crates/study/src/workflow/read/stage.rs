//! Stages and tasks of a descriptor.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::{
    Binding, BoundValue, EndedAs, Marks, NameRole, Scope, SourceLocation, Stage, StageStep, Task,
    TaskOperation,
};
use super::operation::{ProgramDefaults, operation_from};
use super::{Name, names};
use crate::located::{Data, FromNode, LocatedNode, LocatedTable, Mismatch, TableReader};
use crate::{Diagnostics, SourceText, Value};

/// Reads stages and counts their tasks.
pub(super) struct StageReader<'a, 'd> {
    pub(super) source: &'a Arc<SourceText>,
    pub(super) diagnostics: &'d mut Diagnostics,
    /// What programs declare unless they say otherwise.
    pub(super) programs: ProgramDefaults,
    pub(super) tasks: usize,
}

impl<'a> StageReader<'a, '_> {
    /// A stage; a nested one has the scope of the one around it.
    pub(super) fn stage(&mut self, node: &'a LocatedNode, around: Option<Scope>) -> Option<Stage> {
        let mut fields = TableReader::new(self.source, node, "stage", self.diagnostics)?;
        let mut marks = Marks::default();
        let name = name_from(&mut fields, "stage");
        let scope = fields.word("scope", &Scope::ALL.map(|scope| (scope.word(), scope)));
        if around.is_some() && scope.is_some() && scope != around {
            fields.error(
                "scope",
                "a nested stage has a scope of its own",
                "the scope of the stage around it",
            );
        }
        let scope = scope.or(around).unwrap_or_default();
        let inputs = names(self.source, &mut fields, &mut marks, "in", NameRole::Input, true);
        let outputs = names(self.source, &mut fields, &mut marks, "out", NameRole::Output, true);
        let after = names(self.source, &mut fields, &mut marks, "after", NameRole::After, false);
        let ended = ended_from(self.source, &mut fields, &mut marks);
        let nodes: &[LocatedNode] = fields.required("tasks").unwrap_or_default();
        if fields.has("tasks") && nodes.is_empty() {
            fields.error("tasks", "the stage does nothing", "a list with at least one task");
        }
        let place = name_place(self.source, &fields, "stage");
        fields.finish();
        let steps = nodes.iter().filter_map(|node| self.step(node, scope)).collect();
        let ended = ended.unwrap_or_default();
        Some(Stage {
            name: name?,
            scope,
            inputs,
            outputs,
            ended,
            after,
            iteration: vec![],
            steps,
            place,
            marks,
        })
    }

    fn step(&mut self, node: &'a LocatedNode, scope: Scope) -> Option<StageStep> {
        let is_stage = node.as_table().is_some_and(|t| t.get("stage").is_some() && t.get("task").is_none());
        if is_stage {
            self.stage(node, Some(scope)).map(StageStep::Stage)
        } else {
            self.task(node).map(StageStep::Task)
        }
    }

    fn task(&mut self, node: &'a LocatedNode) -> Option<Task> {
        self.tasks += 1;
        let mut fields = TableReader::new(self.source, node, "task", self.diagnostics)?;
        let mut marks = Marks::default();
        let name = name_from(&mut fields, "task");
        let op: Option<&LocatedNode> = fields.required("op");
        let takes_known = fields.has("in");
        let inputs = names(self.source, &mut fields, &mut marks, "in", NameRole::Input, false);
        let reads_node: Option<&LocatedNode> = fields.optional("reads");
        let outputs = names(self.source, &mut fields, &mut marks, "out", NameRole::Output, false);
        let forwards = names(self.source, &mut fields, &mut marks, "forwards", NameRole::Forwards, false);
        let ends = names(self.source, &mut fields, &mut marks, "ends", NameRole::Ends, false);
        let after = names(self.source, &mut fields, &mut marks, "after", NameRole::After, false);
        let place = name_place(self.source, &fields, "task");
        fields.finish();
        let reads = reads_node.map(|node| self.bindings(node, &mut marks)).unwrap_or_default();
        let mut op = operation_from(self.source, op?, &self.programs, &mut marks, self.diagnostics)?;
        if let TaskOperation::Python(python) = &mut op {
            python.takes_known = takes_known;
            python.reads_known = reads_node.is_some();
        }
        Some(Task { name: name?, op, inputs, reads, outputs, forwards, ends, after, place, marks })
    }

    /// A list when the operation's names are the workflow's, a table when they are not.
    fn bindings(&mut self, node: &LocatedNode, marks: &mut Marks) -> Vec<Binding> {
        let (bindings, mismatches): (Vec<_>, Vec<_>) = match &node.data {
            Data::List(list) => split(list.iter().map(|node| same_name(node, marks))),
            Data::Table(table) => split(table.entries.iter().map(|entry| {
                marks.set(NameRole::Reads, &entry.key, entry.value.span);
                let bound = bound_from(&entry.value)?;
                Ok(Binding { operation_parameter: entry.key.clone(), bound })
            })),
            _ => (
                vec![],
                vec![Mismatch::new(node, "a list of parameters, or a table of what they are bound to")],
            ),
        };
        for mismatch in mismatches {
            self.diagnostics.push(mismatch.diagnostic(self.source, "reads"));
        }
        bindings
    }
}

fn split<T>(items: impl Iterator<Item = Result<T, Mismatch>>) -> (Vec<T>, Vec<Mismatch>) {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            Ok(item) => good.push(item),
            Err(mismatch) => bad.push(mismatch),
        }
    }
    (good, bad)
}

fn same_name(node: &LocatedNode, marks: &mut Marks) -> Result<Binding, Mismatch> {
    let Name { text, span } = Name::from_node(node)?;
    marks.set(NameRole::Reads, text, span);
    Ok(Binding::same(text))
}

/// `"minSize"` is a parameter, `8` and `{ "value": "fast" }` are constants.
fn bound_from(node: &LocatedNode) -> Result<BoundValue, Mismatch> {
    if let Some(table) = node.as_table() {
        let value = table.get("value").filter(|_| table.entries.len() == 1);
        let value = value.ok_or_else(|| Mismatch::new(node, "a table with the one key `value`"))?;
        return Value::from_node(value).map(BoundValue::Constant);
    }
    match Value::from_node(node) {
        Ok(Value::Text(_)) => Name::from_node(node).map(|name| BoundValue::Parameter(name.text.into())),
        Ok(number) => Ok(BoundValue::Constant(number)),
        Err(_) => Err(Mismatch::new(node, "a parameter's name, a number, or { \"value\": … }")),
    }
}

fn name_from(fields: &mut TableReader<'_, '_>, key: &str) -> Option<String> {
    fields.required::<Name<'_>>(key).map(|name| name.text.to_owned())
}

/// A stage or task is pointed at by its name: the whole of it may be many lines.
fn name_place(source: &Arc<SourceText>, fields: &TableReader<'_, '_>, key: &str) -> Option<SourceLocation> {
    Some(SourceLocation::new(source, fields.span(key)))
}

fn ended_from(
    source: &Arc<SourceText>,
    fields: &mut TableReader<'_, '_>,
    marks: &mut Marks,
) -> Option<BTreeMap<String, EndedAs>> {
    let table: &LocatedTable = fields.optional("ended")?;
    let mut ended = BTreeMap::new();
    for entry in &table.entries {
        marks.set(NameRole::Ended, &entry.key, entry.key_span);
        match entry.value.as_text() {
            Some("empty") => drop(ended.insert(entry.key.clone(), EndedAs::Empty)),
            _ => {
                let mismatch = Mismatch::new(&entry.value, "\"empty\"");
                fields.diagnostics().push(mismatch.diagnostic(source, "ended"));
            }
        }
    }
    Some(ended)
}
