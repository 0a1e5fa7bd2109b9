//! Stage descriptors of the Region Templates framework: one JSON file is one stage, a chain of calls.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::ImportedWorkflow;
use crate::located::{LocatedNode, TableReader, parse_json};
use crate::workflow::MOST_TASKS;
use crate::{
    Binding, Diagnostic, Diagnostics, Foreign, ForeignPort, NameRole, ParameterKind, RegionDeclaration,
    RegionKind, SourceLocation, SourceSpan, SourceText, Stage, StageStep, Task, TaskOperation, Workflow,
    WorkflowParameter,
};

/// Reads a stage descriptor: the workflow has one stage with the listed calls, in their order.
///
/// Scalar arguments become parameters; an argument that two calls name is one parameter. Forwarded regions are not made
/// again. Tasks carry the names of their functions, so that no sorting of names can change their order.
pub fn import_original(source: &Arc<SourceText>) -> ImportedWorkflow {
    let node = parse_json(source).map_err(|diagnostic| Diagnostics::from(*diagnostic))?;
    let mut reader = OriginalReader {
        source,
        diagnostics: Diagnostics::default(),
        workflow: Workflow::default(),
        parameter_at: HashMap::new(),
        region_names: HashSet::new(),
    };
    reader.descriptor(&node);
    let OriginalReader { diagnostics, mut workflow, .. } = reader;
    workflow.source = Some(Arc::clone(source));
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok((workflow, diagnostics)) }
}

struct OriginalReader<'a> {
    source: &'a Arc<SourceText>,
    diagnostics: Diagnostics,
    workflow: Workflow,
    /// Where parameters and regions stand in the workflow.
    parameter_at: HashMap<String, usize>,
    region_names: HashSet<String>,
}

/// An argument as the descriptor lists it.
struct Argument {
    name: String,
    kind: ArgumentKind,
    way: Option<ArgumentDirection>,
    span: SourceSpan,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentKind {
    Scalar(ParameterKind),
    Region(RegionKind),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArgumentDirection {
    Input,
    Output,
    Forward,
}

const WAYS: [(&str, ArgumentDirection); 3] = [
    ("input", ArgumentDirection::Input),
    ("output", ArgumentDirection::Output),
    ("forward", ArgumentDirection::Forward),
];

const TYPES: [(&str, ArgumentKind); 7] = [
    ("uchar", ArgumentKind::Scalar(ParameterKind::Integer)),
    ("int", ArgumentKind::Scalar(ParameterKind::Integer)),
    ("double", ArgumentKind::Scalar(ParameterKind::Real)),
    ("float_array", ArgumentKind::Region(RegionKind::Table)),
    ("dr", ArgumentKind::Region(RegionKind::Any)),
    ("mat", ArgumentKind::Region(RegionKind::Any)),
    ("mat_vect", ArgumentKind::Region(RegionKind::Any)),
];

impl<'a> OriginalReader<'a> {
    fn descriptor(&mut self, node: &'a LocatedNode) {
        let Some(mut fields) = TableReader::new(self.source, node, "stage descriptor", &mut self.diagnostics)
        else {
            return;
        };
        let name: Option<String> = fields.required("name");
        let includes: Option<String> = fields.optional("includes");
        let declared: Vec<&LocatedNode> = fields.optional("dr_args").unwrap_or_default();
        let single = node.as_table().is_some_and(|table| table.get("call").is_some());
        let tasks: Vec<&LocatedNode> = match single {
            true => vec![node],
            false => fields.required("tasks").unwrap_or_default(),
        };
        if single {
            for key in TASK_KEYS {
                fields.has(key);
            }
        }
        warn_others(self.source, &mut fields);
        self.check_count(node, tasks.len());
        let mut stage = Stage::new(name.clone().unwrap_or_default());
        stage.place = Some(SourceLocation::new(self.source, node.span));
        for task in tasks.into_iter().take(MOST_TASKS) {
            let task = self.task(task, single, includes.as_deref());
            stage.steps.extend(task.map(StageStep::Task));
        }
        chain(&mut stage);
        self.check_chain(&stage);
        self.set_boundary(&mut stage);
        let declared: Vec<_> = declared.into_iter().filter_map(|node| self.argument(node)).collect();
        self.check_declared(&stage, &declared);
        (self.workflow.name, self.workflow.version) = (name.unwrap_or_default(), 1);
        self.workflow.outputs.clone_from(&stage.outputs);
        self.workflow.stages.push(stage);
    }

    fn check_count(&mut self, node: &LocatedNode, count: usize) {
        if count == 0 || count > MOST_TASKS {
            let diagnostic =
                Diagnostic::error("the stage descriptor cannot be used").at(self.source, node.span, "");
            self.diagnostics
                .push(diagnostic.expected_found(format!("1 to {MOST_TASKS} tasks"), count.to_string()));
        }
    }

    fn task(&mut self, node: &'a LocatedNode, single: bool, includes: Option<&str>) -> Option<Task> {
        let mut fields = TableReader::new(self.source, node, "task", &mut self.diagnostics)?;
        let call: Option<String> = fields.required("call");
        let place = SourceLocation::new(self.source, fields.span("call"));
        let mut arguments: Vec<&LocatedNode> = fields.optional("args").unwrap_or_default();
        // The dissertation's figure calls them intertask_args; the program's files say interstage_args.
        for key in ["interstage_args", "intertask_args"] {
            arguments.extend(fields.optional::<Vec<&LocatedNode>>(key).unwrap_or_default());
        }
        if !single {
            warn_others(self.source, &mut fields);
        }
        let call = call?;
        let arguments: Vec<_> = arguments.into_iter().filter_map(|node| self.argument(node)).collect();
        let foreign =
            Foreign { kind: call.clone(), detail: includes.map(str::to_owned), ..Foreign::default() };
        let name = call.rsplit("::").next().unwrap_or_default();
        let mut task = Task::new(name, TaskOperation::Foreign(Box::new(foreign)));
        task.place = Some(place);
        for argument in arguments {
            self.bind(&mut task, argument);
        }
        Some(task)
    }

    fn argument(&mut self, node: &LocatedNode) -> Option<Argument> {
        let mut fields = TableReader::new(self.source, node, "argument", &mut self.diagnostics)?;
        let name: Option<String> = fields.required("name");
        let kind = fields.required::<&str>("type").and_then(|_| fields.word("type", &TYPES));
        let way = fields.word("io", &WAYS);
        warn_others(self.source, &mut fields);
        Some(Argument { name: name?, kind: kind?, way, span: node.span })
    }

    /// Arguments stand in the order of the call, outputs by address; what is only forwarded is not passed.
    fn bind(&mut self, task: &mut Task, argument: Argument) {
        let Argument { name, kind, way, span } = argument;
        let region = match kind {
            ArgumentKind::Scalar(kind) => {
                self.parameter(&name, kind, span);
                task.reads.push(Binding::same(&name));
                task.marks.set(NameRole::Reads, &name, span);
                None
            }
            ArgumentKind::Region(kind) => {
                self.region(&name, kind, span);
                Some(name.clone())
            }
        };
        let port = ForeignPort { name: name.clone(), depth: 0, region: region.clone() };
        let TaskOperation::Foreign(foreign) = &mut task.op else { return };
        match (region, way.unwrap_or(ArgumentDirection::Input)) {
            (None, _) => foreign.inputs.push(port),
            (Some(region), ArgumentDirection::Input) => {
                task.marks.set(NameRole::Input, &name, span);
                task.inputs.push(region);
                foreign.inputs.push(port);
            }
            (Some(region), ArgumentDirection::Output) => {
                task.marks.set(NameRole::Output, &name, span);
                task.outputs.push(region);
                foreign.outputs.push(port);
            }
            (Some(region), ArgumentDirection::Forward) => {
                task.marks.set(NameRole::Forwards, &name, span);
                task.forwards.push(region);
            }
        }
    }

    fn parameter(&mut self, name: &str, kind: ParameterKind, span: SourceSpan) {
        if let Some(known) = self.parameter_at.get(name).map(|at| &self.workflow.parameters[*at]) {
            if known.kind != kind {
                let diagnostic = Diagnostic::error(format!("two calls read `{name}` in different ways"))
                    .at(self.source, span, "")
                    .at_place(known.place.as_ref(), "the other one")
                    .expected_found(known.kind.word(), kind.word());
                self.diagnostics.push(diagnostic);
            }
            return;
        }
        let place = Some(SourceLocation::new(self.source, span));
        self.parameter_at.insert(name.to_owned(), self.workflow.parameters.len());
        self.workflow.parameters.push(WorkflowParameter { place, ..WorkflowParameter::new(name, kind) });
    }

    fn region(&mut self, name: &str, kind: RegionKind, span: SourceSpan) {
        if self.region_names.insert(name.to_owned()) {
            let place = Some(SourceLocation::new(self.source, span));
            self.workflow.regions.push(RegionDeclaration { name: name.into(), kind, place });
        }
    }

    /// In a chain a call takes only what the one before it made or forwarded.
    fn check_chain(&mut self, stage: &Stage) {
        let mut made: HashSet<&str> = HashSet::new();
        let mut handed: HashSet<&str> = HashSet::new();
        let all: HashSet<&str> = stage.tasks().flat_map(|t| &t.outputs).map(String::as_str).collect();
        for task in stage.tasks() {
            for region in task.inputs.iter().chain(&task.forwards).map(String::as_str) {
                if handed.contains(region) || !all.contains(region) {
                    continue;
                }
                let place = task.place_of(NameRole::Input, region);
                let message = format!(
                    "`{}` takes `{region}`, which the call before it neither makes nor forwards",
                    task.name
                );
                self.diagnostics.push(match made.contains(region) {
                    true => Diagnostic::warning(message)
                        .at_place(place.as_ref(), "")
                        .with_why("it is taken from the call that makes it"),
                    false => Diagnostic::error(message)
                        .at_place(place.as_ref(), "")
                        .with_hint("an earlier call must make it"),
                });
            }
            made.extend(task.outputs.iter().map(String::as_str));
            handed = task.outputs.iter().chain(&task.forwards).map(String::as_str).collect();
        }
    }

    /// Regions of the framework go in and come out; matrices stay inside.
    fn set_boundary(&self, stage: &mut Stage) {
        stage.inputs = stage.taken_from_outside();
        let made: HashSet<&str> = stage.tasks().flat_map(|t| &t.outputs).map(String::as_str).collect();
        let used: HashSet<&str> =
            stage.tasks().flat_map(|t| t.inputs.iter().chain(&t.forwards)).map(String::as_str).collect();
        let left = self.workflow.regions.iter().map(|r| &r.name);
        let left = left.filter(|name| made.contains(name.as_str()) && !used.contains(name.as_str()));
        let left: Vec<String> = left.cloned().collect();
        stage.outputs = left;
    }

    fn check_declared(&mut self, stage: &Stage, declared: &[Argument]) {
        let (inputs, outputs): (HashSet<_>, HashSet<_>) =
            (stage.inputs.iter().collect(), stage.outputs.iter().collect());
        for argument in declared {
            let names = if argument.way == Some(ArgumentDirection::Output) { &outputs } else { &inputs };
            if !names.contains(&argument.name) {
                let message = format!("`dr_args` names `{}`, which no call takes or makes so", argument.name);
                self.diagnostics.push(Diagnostic::warning(message).at(self.source, argument.span, ""));
            }
        }
    }
}

const TASK_KEYS: [&str; 4] = ["call", "args", "interstage_args", "intertask_args"];

/// Each task after the one before it, and names made different.
fn chain(stage: &mut Stage) {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut before: Option<String> = None;
    for step in &mut stage.steps {
        let StageStep::Task(task) = step else { continue };
        let count = counts.entry(task.name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            task.name = format!("{}_{count}", task.name);
        }
        task.after.extend(before.replace(task.name.clone()));
    }
}

/// Reports the keys of other versions of the program, which are not kept.
fn warn_others(source: &Arc<SourceText>, fields: &mut TableReader<'_, '_>) {
    for entry in fields.others() {
        let key: String = entry.key.chars().take(40).collect();
        let diagnostic = Diagnostic::warning(format!("the key `{key}` is not known and not kept"));
        fields.diagnostics().push(diagnostic.at(source, entry.key_span, ""));
    }
}

#[cfg(test)]
#[path = "original/tests.rs"]
mod tests;
