//! Stages and tasks of a descriptor.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::{Binding, Bound, EndedAs, Marks, Operation, Place, Role, Scope, Stage, Step, Task};
use super::operation::operation_from;
use super::{Name, names};
use crate::located::{Data, Fields, FromNode, Mismatch, Node, Table};
use crate::{Diagnostics, Source, Value};

/// Reads stages and counts their tasks.
pub(super) struct StageReader<'a, 'd> {
    pub(super) source: &'a Arc<Source>,
    pub(super) diagnostics: &'d mut Diagnostics,
    pub(super) tasks: usize,
}

impl<'a> StageReader<'a, '_> {
    /// A stage; a nested one has the scope of the one around it.
    pub(super) fn stage(&mut self, node: &'a Node, around: Option<Scope>) -> Option<Stage> {
        let mut fields = Fields::new(self.source, node, "stage", self.diagnostics)?;
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
        let inputs = names(self.source, &mut fields, &mut marks, "in", Role::Input, true);
        let outputs = names(self.source, &mut fields, &mut marks, "out", Role::Output, true);
        let after = names(self.source, &mut fields, &mut marks, "after", Role::After, false);
        let ended = ended_from(self.source, &mut fields, &mut marks);
        let nodes: &[Node] = fields.required("tasks").unwrap_or_default();
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

    fn step(&mut self, node: &'a Node, scope: Scope) -> Option<Step> {
        let is_stage = node.as_table().is_some_and(|t| t.get("stage").is_some() && t.get("task").is_none());
        if is_stage {
            self.stage(node, Some(scope)).map(Step::Stage)
        } else {
            self.task(node).map(Step::Task)
        }
    }

    fn task(&mut self, node: &'a Node) -> Option<Task> {
        self.tasks += 1;
        let mut fields = Fields::new(self.source, node, "task", self.diagnostics)?;
        let mut marks = Marks::default();
        let name = name_from(&mut fields, "task");
        let op: Option<&Node> = fields.required("op");
        let takes_known = fields.has("in");
        let inputs = names(self.source, &mut fields, &mut marks, "in", Role::Input, false);
        let reads_node: Option<&Node> = fields.optional("reads");
        let outputs = names(self.source, &mut fields, &mut marks, "out", Role::Output, false);
        let forwards = names(self.source, &mut fields, &mut marks, "forwards", Role::Forwards, false);
        let ends = names(self.source, &mut fields, &mut marks, "ends", Role::Ends, false);
        let after = names(self.source, &mut fields, &mut marks, "after", Role::After, false);
        let place = name_place(self.source, &fields, "task");
        fields.finish();
        let reads = reads_node.map(|node| self.bindings(node, &mut marks)).unwrap_or_default();
        let mut op = operation_from(self.source, op?, &mut marks, self.diagnostics)?;
        if let Operation::Python(python) = &mut op {
            python.takes_known = takes_known;
            python.reads_known = reads_node.is_some();
        }
        Some(Task { name: name?, op, inputs, reads, outputs, forwards, ends, after, place, marks })
    }

    /// A list when the operation's names are the workflow's, a table when they are not.
    fn bindings(&mut self, node: &Node, marks: &mut Marks) -> Vec<Binding> {
        let (bindings, mismatches): (Vec<_>, Vec<_>) = match &node.data {
            Data::List(list) => split(list.iter().map(|node| same_name(node, marks))),
            Data::Table(table) => split(table.entries.iter().map(|entry| {
                marks.set(Role::Reads, &entry.key, entry.value.span);
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

fn same_name(node: &Node, marks: &mut Marks) -> Result<Binding, Mismatch> {
    let Name { text, span } = Name::from_node(node)?;
    marks.set(Role::Reads, text, span);
    Ok(Binding::same(text))
}

/// `"minSize"` is a parameter, `8` and `{ "value": "fast" }` are constants.
fn bound_from(node: &Node) -> Result<Bound, Mismatch> {
    if let Some(table) = node.as_table() {
        let value = table.get("value").filter(|_| table.entries.len() == 1);
        let value = value.ok_or_else(|| Mismatch::new(node, "a table with the one key `value`"))?;
        return Value::from_node(value).map(Bound::Constant);
    }
    match Value::from_node(node) {
        Ok(Value::Text(_)) => Name::from_node(node).map(|name| Bound::Parameter(name.text.into())),
        Ok(number) => Ok(Bound::Constant(number)),
        Err(_) => Err(Mismatch::new(node, "a parameter's name, a number, or { \"value\": … }")),
    }
}

fn name_from(fields: &mut Fields<'_, '_>, key: &str) -> Option<String> {
    fields.required::<Name<'_>>(key).map(|name| name.text.to_owned())
}

/// A stage or task is pointed at by its name: the whole of it may be many lines.
fn name_place(source: &Arc<Source>, fields: &Fields<'_, '_>, key: &str) -> Option<Place> {
    Some(Place::new(source, fields.span(key)))
}

fn ended_from(
    source: &Arc<Source>,
    fields: &mut Fields<'_, '_>,
    marks: &mut Marks,
) -> Option<BTreeMap<String, EndedAs>> {
    let table: &Table = fields.optional("ended")?;
    let mut ended = BTreeMap::new();
    for entry in &table.entries {
        marks.set(Role::Ended, &entry.key, entry.key_span);
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
