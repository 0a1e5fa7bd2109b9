//! A plan as lines that any engine can carry out: one JSON object for each task of each part.

use std::io::{self, Write};

use onceflow_region::Budget;
use onceflow_reuse::{MergedStage, NodeId, NodeInput, Plan, StaticKeys};
use onceflow_runtime::{InputProvider, PartLayout};
use onceflow_study::{Canonical, Diagnostic, Scope};
use serde_json::{Map, Value, json};

use super::{FirstPlan, Merge};
use crate::open::supply::{References, Sources};
use crate::{EngineError, Level, OpenStudy};

impl OpenStudy {
    /// Writes the first phase's plan; each line comes after those it waits for.
    ///
    /// The key of a task is the digest of its operation, what it reads, and the contents it comes from, so that images are
    /// read. Tasks of scope image stand before those of its parts. They stand as they are written, unless the settings ask for
    /// another grain: other engines know nothing of tasks in one.
    ///
    /// # Errors
    /// When it cannot be planned, an image cannot be read, or nothing can be written.
    pub fn export(&self, level: Level, merge: &Merge, to: &mut dyn Write) -> Result<u64, EngineError> {
        let FirstPlan { plan, merged, .. } = self.plan_of_grain(level, merge, self.grain.or_written())?;
        let sources = plan.flow().sources.clone();
        let supply = Sources::new(&self.inputs, sources, References::new(), Budget::new(u64::MAX), 0);
        let (layout, costs) = (self.inputs.layout(), self.seconds(plan.flow(), level));
        let export = Export { plan: &plan, merged: &merged, layout: &layout, costs: &costs, supply: &supply };
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

struct Export<'a> {
    plan: &'a Plan,
    merged: &'a [MergedStage],
    layout: &'a PartLayout,
    costs: &'a [f64],
    supply: &'a Sources<'a>,
}

impl Export<'_> {
    fn site(&self, scope: Scope, site: usize, to: &mut dyn Write) -> io::Result<u64> {
        let unreadable = std::cell::RefCell::new(None);
        let digest = |source: usize, of: Scope| {
            let digest = self.supply.digest(source, of, self.wider(scope, site, of));
            digest.inspect_err(|error| drop(unreadable.replace(Some(error.to_string())))).ok()
        };
        let buckets: Vec<(usize, Vec<u32>)> =
            self.merged.iter().map(|stage| (stage.instances.stage, stage.of_row())).collect();
        let mut keys = StaticKeys::default();
        let nodes = (0..self.plan.planned() as u32).map(NodeId);
        let mut lines = 0;
        for node in nodes.filter(|node| self.plan.flow().scope(self.plan.task_of(*node)) == scope) {
            let stage = self.plan.flow().tasks[self.plan.task_of(node)].stage;
            let row = self.plan.first_row(node) as usize;
            let bucket = buckets.iter().find(|(known, _)| *known == stage).map(|(_, of_row)| of_row[row]);
            let mut line = self.line(scope, site, node);
            let key = keys.key(self.plan, node, &digest);
            line.insert("key".into(), json!(key.map(|key| key.to_string())));
            line.insert("bucket".into(), json!(bucket));
            writeln!(to, "{}", Value::Object(line))?;
            lines += 1;
        }
        match unreadable.take() {
            Some(error) => Err(io::Error::other(error)),
            None => Ok(lines),
        }
    }

    fn line(&self, scope: Scope, site: usize, node: NodeId) -> Map<String, Value> {
        let flow = self.plan.flow();
        let why = self.plan.spelled(node);
        let task = &flow.tasks[why.task];
        let id = |node: NodeId| {
            let of = flow.scope(self.plan.task_of(node));
            format!("{}{}/{}", of.word(), self.wider(scope, site, of), node.0)
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
        let line = json!({
            "id": id(node),
            "task": task.name,
            "operation": task.spec.id,
            "version": task.spec.version,
            "row": why.row,
            "rows": self.plan.rows_of(node).len(),
            "reads": reads,
            "in": why.inputs.iter().map(input).collect::<Vec<_>>(),
            "out": task.outputs.iter().map(|region| region.name.as_str()).collect::<Vec<_>>(),
            "after": after.collect::<Vec<_>>(),
            "cost": self.costs[why.task],
        });
        if let Value::Object(line) = line { line } else { Map::new() }
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
