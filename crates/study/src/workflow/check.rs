//! Checks of a workflow: regions, parameters, statuses and order, against a catalogue of operations.

mod bindings;
mod command;
mod flow;
mod operations;
mod stages;
mod units;

pub(crate) use command::is_container_file;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use super::{RegionDeclaration, SourceLocation, Task, TaskOperation, Workflow, WorkflowParameter};
use crate::{Catalogue, Diagnostic, Diagnostics, ParameterKind, Severity, Value, nearest};

/// All messages about a workflow; it can be used when none is an error.
pub fn check_workflow(workflow: &Workflow, catalogue: &Catalogue) -> Diagnostics {
    let mut checker = WorkflowChecker::new(workflow, catalogue);
    checker.check_names();
    checker.check_parameters();
    checker.check_stages();
    for task in workflow.tasks() {
        checker.check_task(task);
    }
    checker.check_flow();
    checker.check_order();
    checker.report_foreign();
    checker.diagnostics
}

/// Most messages of one severity; also bounds the work spent on a hostile text.
const MOST_MESSAGES: usize = 100;

struct WorkflowChecker<'w> {
    workflow: &'w Workflow,
    catalogue: &'w Catalogue,
    regions: HashMap<&'w str, &'w RegionDeclaration>,
    parameters: HashMap<&'w str, &'w WorkflowParameter>,
    /// The task that makes a region; the first one when several do.
    makers: HashMap<&'w str, &'w Task>,
    /// How often tasks take or hand on a region.
    uses: HashMap<&'w str, usize>,
    outputs: HashSet<&'w str>,
    diagnostics: Diagnostics,
}

impl<'w> WorkflowChecker<'w> {
    fn new(workflow: &'w Workflow, catalogue: &'w Catalogue) -> Self {
        let mut makers = HashMap::new();
        let mut uses = HashMap::new();
        for task in workflow.tasks() {
            for region in &task.outputs {
                makers.entry(region.as_str()).or_insert(task);
            }
            for region in task.taken() {
                *uses.entry(region).or_insert(0) += 1;
            }
        }
        Self {
            workflow,
            catalogue,
            regions: workflow.regions.iter().map(|r| (r.name.as_str(), r)).collect(),
            parameters: workflow.parameters.iter().map(|p| (p.name.as_str(), p)).collect(),
            makers,
            uses,
            outputs: workflow.outputs.iter().map(String::as_str).collect(),
            diagnostics: Diagnostics::default(),
        }
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        // Counted by severity: warnings must not suppress an error.
        if self.diagnostics.count(diagnostic.severity) < MOST_MESSAGES {
            self.diagnostics.push(diagnostic);
        }
    }

    /// An error about an unknown name, with the nearest known one.
    fn unknown<'k>(
        &mut self,
        message: String,
        place: Option<&SourceLocation>,
        name: &str,
        known: impl FnOnce() -> Vec<&'k str>,
    ) {
        if self.diagnostics.count(Severity::Error) >= MOST_MESSAGES {
            return;
        }
        let known = known();
        let expected = match known.len() {
            0 => "none".into(),
            1..=FEW => known.join(" or "),
            _ => "a known name".into(),
        };
        let mut diagnostic = Diagnostic::error(message).at_place(place, "").expected_found(expected, name);
        diagnostic.hint = nearest(name, known).map(|near| format!("write `{near}`"));
        self.push(diagnostic);
    }

    fn check_names(&mut self) {
        for (name, parameter) in sorted(&self.parameters) {
            if let Some(region) = self.regions.get(name) {
                let diagnostic = Diagnostic::error(format!("`{name}` is both a parameter and a region"))
                    .at_place(region.place.as_ref(), "the region")
                    .at_place(parameter.place.as_ref(), "the parameter")
                    .with_hint("give one of them another name");
                self.push(diagnostic);
            }
        }
        let parameters = self.workflow.parameters.iter().map(|p| (p.name.as_str(), p.place.as_ref()));
        let regions = self.workflow.regions.iter().map(|r| (r.name.as_str(), r.place.as_ref()));
        self.check_repeated("parameters", parameters);
        self.check_repeated("regions", regions);
    }

    /// Reports repeated names.
    fn check_repeated<'n>(
        &mut self,
        what: &str,
        names: impl Iterator<Item = (&'n str, Option<&'n SourceLocation>)>,
    ) {
        let mut seen: HashMap<&str, Option<&SourceLocation>> = HashMap::new();
        for (name, place) in names {
            if let Some(first) = seen.insert(name, place) {
                let diagnostic = Diagnostic::error(format!("two {what} are called `{name}`"));
                self.push(diagnostic.at_place(place, "").at_place(first, "the other one"));
            }
        }
    }

    fn check_parameters(&mut self) {
        // A Python function whose arguments are not repeated in the descriptor may read any of them.
        let all_known = self.workflow.tasks().all(|task| task.op.reads_are_known());
        let read: HashSet<&str> = self.workflow.tasks().flat_map(Task::parameters_read).collect();
        for parameter in &self.workflow.parameters {
            let name = &parameter.name;
            if all_known && !read.contains(name.as_str()) {
                let diagnostic = Diagnostic::warning(format!("no task reads the parameter `{name}`"))
                    .at_place(parameter.place.as_ref(), "")
                    .with_why("varying it cannot change anything")
                    .with_hint("take it away, or name it in the `reads` of a task");
                self.push(diagnostic);
            }
            if let (ParameterKind::Connectivity, Some(Value::Integer(value))) =
                (parameter.kind, &parameter.default)
                && !matches!(value, 4 | 8)
            {
                let diagnostic = Diagnostic::warning(format!("the default of `{name}` is read as 4"))
                    .at_place(parameter.place.as_ref(), "")
                    .expected_found("4 or 8", value.to_string());
                self.push(diagnostic);
            }
        }
    }

    fn check_order(&mut self) {
        let cycle = match self.workflow.stage_order().err() {
            Some(cycle) => Some(("stages", cycle)),
            None => self.workflow.graph().order().err().map(|cycle| ("tasks", cycle)),
        };
        if let Some((what, cycle)) = cycle {
            let place = cycle.path.first().and_then(|name| self.place_of_step(name));
            let diagnostic = Diagnostic::error(format!("{what} wait for each other: {cycle}"))
                .at_place(place.as_ref(), "")
                .expected_found("an order in which each comes after what it needs", "a cycle");
            self.push(diagnostic);
        }
    }

    /// Where a task or stage stands, by the name a cycle gives it.
    fn place_of_step(&self, name: &str) -> Option<SourceLocation> {
        let last = name.rsplit('/').next()?;
        let stage = self.workflow.stage(name).and_then(|s| s.place.clone());
        stage.or_else(|| self.workflow.tasks().find(|t| t.name == last).and_then(|t| t.place.clone()))
    }

    fn report_foreign(&mut self) {
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for task in self.workflow.tasks().filter(|t| matches!(t.op, TaskOperation::Foreign(_))) {
            *kinds.entry(task.op.to_string()).or_insert(0) += 1;
        }
        if kinds.is_empty() {
            return;
        }
        let count: usize = kinds.values().sum();
        let kinds: Vec<_> = kinds.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
        let message =
            format!("{count} tasks belong to another system and cannot be run here: {}", kinds.join(", "));
        let hint =
            "write a descriptor that gives each of them a built-in operation, a command or a Python function";
        self.push(Diagnostic::warning(message).with_hint(hint));
    }
}

/// A message lists that many names; of more it says only what they are.
const FEW: usize = 6;

/// Entries in the order of their keys: messages must not depend on how a map is hashed.
fn sorted<K: Copy + Ord + Hash, V: Copy>(map: &HashMap<K, V>) -> Vec<(K, V)> {
    let mut entries: Vec<_> = map.iter().map(|(key, value)| (*key, *value)).collect();
    entries.sort_by_key(|(key, _)| *key);
    entries
}

impl Task {
    /// The regions it takes or hands on.
    fn taken(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().chain(&self.forwards).map(String::as_str)
    }
}

impl TaskOperation {
    /// Whether the descriptor says all that it reads.
    fn reads_are_known(&self) -> bool {
        !matches!(self, Self::Python(python) if !python.reads_known)
    }

    /// Whether the descriptor says all that it takes.
    fn takes_are_known(&self) -> bool {
        !matches!(self, Self::Python(python) if !python.takes_known)
    }
}
