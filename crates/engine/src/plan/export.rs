//! A plan as lines that any engine can carry out: one JSON object for each task of each part.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Write};

use onceflow_region::Budget;
use onceflow_reuse::{NodeId, NodeInput, StaticKeys};
use onceflow_runtime::{InputProvider, PartLayout};
use onceflow_study::{Canonical, Diagnostic, Scope};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Merge, PhasePlan};
use crate::open::sources::{References, Sources};
use crate::{EngineError, Level, OpenStudy};

impl OpenStudy {
    /// Writes the plan of the phase at a place; each line comes after those it waits for.
    ///
    /// The key of a task is the digest of its operation, what it reads, and the contents it comes from, so that images are
    /// read. Tasks of scope image stand before those of its parts. They stand as they are written, unless the settings ask for
    /// another grain: other engines know nothing of tasks in one. A later phase begins with the tasks of the reference row,
    /// whose keys are those of the first phase.
    ///
    /// # Errors
    /// When it cannot be planned, an image cannot be read, or nothing can be written.
    pub fn export(
        &self,
        place: usize,
        level: Level,
        merge: &Merge,
        to: &mut dyn Write,
    ) -> Result<u64, EngineError> {
        let planned = self.plan_of_grain(place, level, merge, &self.grain.or_written(), true)?;
        let plan = &planned.plan;
        let sources = plan.flow().sources.clone();
        let sources = Sources::new(&self.inputs, sources, References::new(), Budget::new(u64::MAX), 0);
        let (layout, costs) = (self.inputs.layout(), self.seconds(plan.flow(), level));
        let prefix = if place == 0 { String::new() } else { format!("{}/", planned.phase) };
        let buckets = planned.merged.iter().map(|stage| (stage.instances.stage, stage.of_row())).collect();
        let export =
            Export { planned: &planned, prefix, buckets, layout: &layout, costs: &costs, sources: &sources };
        let unwritable = |error: io::Error| {
            EngineError::from(Diagnostic::error(format!("the plan cannot be exported: {error}")))
        };
        let mut lines = 0;
        for scope in [Scope::Study, Scope::Image, Scope::Part] {
            let sites = match scope {
                Scope::Study => 1,
                Scope::Image => layout.images.len(),
                Scope::Part => layout.parts.len(),
            };
            for site in 0..sites {
                lines += export.site(scope, site, to).map_err(unwritable)?;
            }
        }
        Ok(lines)
    }
}

/// A task as a line.
#[derive(Serialize)]
struct TaskLine<'a> {
    id: String,
    task: &'a str,
    operation: &'a str,
    version: u64,
    phase: &'a str,
    row: usize,
    rows: usize,
    reads: Map<String, Value>,
    #[serde(rename = "in")]
    inputs: Vec<Value>,
    out: Vec<&'a str>,
    after: Vec<String>,
    cost: f64,
    key: Option<String>,
    bucket: Option<u32>,
}

struct Export<'a> {
    planned: &'a PhasePlan,
    /// What stands before the numbers of tasks, so that those of several phases differ.
    prefix: String,
    /// The bucket of each row, by stage.
    buckets: Vec<(usize, Vec<u32>)>,
    layout: &'a PartLayout,
    costs: &'a [f64],
    sources: &'a Sources<'a>,
}

impl Export<'_> {
    fn site(&self, scope: Scope, site: usize, to: &mut dyn Write) -> io::Result<u64> {
        let unreadable = RefCell::new(None);
        let read = |source: usize, of: Scope| {
            let digest = self.sources.digest(source, of, self.wider(scope, site, of));
            digest.inspect_err(|error| drop(unreadable.replace(Some(error.to_string())))).ok()
        };
        // Each source is read once for all tasks that take it.
        let known = RefCell::new(HashMap::new());
        let digest = |source: usize, of: Scope| {
            let found = known.borrow().get(&(source, of.word())).copied();
            found
                .unwrap_or_else(|| *known.borrow_mut().entry((source, of.word())).or_insert(read(source, of)))
        };
        let plan = &self.planned.plan;
        let mut keys = StaticKeys::default();
        let nodes = (0..plan.planned() as u32).map(NodeId);
        let mut lines = 0;
        for node in nodes.filter(|node| plan.flow().scope(plan.task_of(*node)) == scope) {
            let stage = plan.flow().tasks[plan.task_of(node)].stage;
            let row = plan.first_row(node) as usize;
            let of_stage = self.buckets.iter().find(|(known, _)| *known == stage);
            let bucket = of_stage.map(|(_, of_row)| of_row[row]);
            let key = keys.key(plan, node, &digest).map(|key| key.to_string());
            serde_json::to_writer(&mut *to, &TaskLine { key, bucket, ..self.line(scope, site, node) })?;
            to.write_all(b"\n")?;
            lines += 1;
        }
        match unreadable.take() {
            Some(error) => Err(io::Error::other(error)),
            None => Ok(lines),
        }
    }

    fn line(&self, scope: Scope, site: usize, node: NodeId) -> TaskLine<'_> {
        let plan = &self.planned.plan;
        let flow = plan.flow();
        let why = plan.spelled(node);
        let task = &flow.tasks[why.task];
        let id = |node: NodeId| {
            let of = flow.scope(plan.task_of(node));
            format!("{}{}{}/{}", self.prefix, of.word(), self.wider(scope, site, of), node.0)
        };
        let input = |input: &NodeInput| match input {
            NodeInput::Source(source) => {
                json!({ "source": flow.sources[*source], "site": format!("{}{site}", scope.word()) })
            }
            NodeInput::Node { node, output } => json!({ "task": id(*node), "output": output }),
            NodeInput::Empty { kind } => json!({ "empty": kind.word() }),
        };
        let after = why.inputs.iter().filter_map(|input| match input {
            NodeInput::Node { node, .. } => Some(id(*node)),
            _ => None,
        });
        let reads = task.reads.iter().zip(&why.parameters);
        let reads: Map<String, Value> =
            reads.map(|(read, value)| (read.name.clone(), canonical(value))).collect();
        TaskLine {
            id: id(node),
            task: &task.name,
            operation: &task.spec.id,
            version: task.spec.version,
            phase: &self.planned.phase,
            row: self.planned.numbers.of(why.row as usize),
            rows: plan.rows_of(node).len(),
            reads,
            inputs: why.inputs.iter().map(input).collect(),
            out: task.outputs.iter().map(|region| region.name.as_str()).collect(),
            after: after.collect(),
            cost: self.costs[why.task],
            key: None,
            bucket: None,
        }
    }

    /// The site of a wider scope that holds one.
    fn wider(&self, scope: Scope, site: usize, of: Scope) -> usize {
        match (scope, of) {
            (Scope::Part, Scope::Image) => self.layout.parts.get(site).map_or(0, |part| part.image),
            (one, other) if one == other => site,
            _ => 0,
        }
    }
}

fn canonical(value: &Canonical) -> Value {
    match value {
        Canonical::Real(bits) => json!(f64::from_bits(*bits)),
        Canonical::Integer(number) => json!(number),
        Canonical::Connectivity8(eight) => json!(if *eight { 8 } else { 4 }),
        Canonical::Text(text) => json!(text),
    }
}
