//! How fine the tasks of a study are: what it costs decides, or who asks.

mod prices;

use std::collections::BTreeMap;

use onceflow_costs::Found;
use onceflow_reuse::{
    Chosen, Flow, FlowTask, Grain, GrainChange, GrainTask, Granularity, Level, Made, Prices, Rows, grain,
};
use onceflow_study::{Catalogue, Diagnostic, OpSpec, Scope};
use serde_json::{Value, json};

use crate::contents::DIGESTED;
use crate::keep::Keeper;
use crate::reading::reserve_reading;
use crate::{EngineError, Merge, Prepared};

/// Who decides how fine tasks are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Nobody said: costs, once all were measured here and where work is merged by what it reads.
    Unsaid,
    /// Somebody said.
    By(Granularity),
    /// As an earlier run had it, by phase.
    As(BTreeMap<String, Chosen>),
}

impl Default for Wish {
    fn default() -> Self {
        Self::By(Granularity::Written)
    }
}

impl Wish {
    /// For work that others do.
    pub(crate) fn or_written(&self) -> Self {
        match self {
            Self::Unsaid => Self::By(Granularity::Written),
            wish => wish.clone(),
        }
    }
}

/// The tasks of a phase that stand otherwise than they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhaseGrain {
    /// The phase.
    pub phase: String,
    /// What is split and fused.
    pub chosen: Chosen,
    /// The same with reasons.
    pub changes: Vec<GrainChange>,
    /// Seconds that all tasks are expected to take with their bookkeeping: as they are written, and so.
    pub seconds: (f64, f64),
}

/// The tasks of a phase as they are run.
pub(crate) struct Grained {
    pub(crate) flow: Flow,
    pub(crate) keeper: Keeper,
    pub(crate) grain: PhaseGrain,
}

/// Seconds that an instance takes beside its operation: it is planned, scheduled, handed to a worker, its outputs are
/// allocated, kept and let go. Traces of runs without digests show 11 to 12 µs between two tasks of a worker.
const BOOKKEEPING: f64 = 12e-6;

impl Prepared<'_> {
    /// Says how fine tasks are; with [`None`] costs decide once earlier runs have measured those of all tasks, save at levels below
    /// dataflow and where instances are grouped, which are the papers' ways. What is found does not depend on it.
    #[must_use]
    pub fn with_granularity(mut self, granularity: Option<Granularity>) -> Self {
        self.grain = granularity.map_or(Wish::Unsaid, Wish::By);
        self
    }

    /// The grain of an earlier run, as [`grain_json`] told it; a text that is none leaves everything as it is.
    #[must_use]
    pub fn with_grain_of(mut self, told: &Value) -> Self {
        if let Some(phases) = told.get("phases").and_then(Value::as_array) {
            self.grain = Wish::As(phases.iter().filter_map(from_json).collect());
        }
        self
    }

    /// How fine tasks are to be for work that is done here.
    pub(crate) fn wish(&self, level: Level, merge: &Merge) -> Wish {
        let is_measured = || self.cost_origin(&self.written, level).declared == 0;
        match &self.grain {
            Wish::Unsaid if level >= Level::Dataflow && *merge == Merge::Nothing && is_measured() => {
                Wish::By(Granularity::Auto)
            }
            wish => wish.or_written(),
        }
    }

    /// The tasks of a phase with these rows, as fine as is wished.
    pub(crate) fn grained(
        &self,
        phase: &str,
        rows: &Rows,
        level: Level,
        wish: &Wish,
    ) -> Result<Grained, EngineError> {
        let found = match wish {
            Wish::Unsaid => self.choose(rows, level, Granularity::Written)?,
            Wish::By(granularity) => self.choose(rows, level, *granularity)?,
            Wish::As(phases) => {
                let chosen = phases.get(phase).cloned().unwrap_or_default();
                let flow = self.written.of_grain(&chosen, &self.catalogue);
                Grain { flow, chosen, changes: Vec::new(), seconds: (0.0, 0.0) }
            }
        };
        let Grain { mut flow, chosen, changes, seconds } = found;
        reserve_reading(&mut flow, &self.inputs);
        let keeper = Keeper::new(self.study, &flow)?;
        Ok(Grained { flow, keeper, grain: PhaseGrain { phase: phase.into(), chosen, changes, seconds } })
    }

    fn choose(&self, rows: &Rows, level: Level, granularity: Granularity) -> Result<Grain, EngineError> {
        let sizes = [Scope::Part, Scope::Image, Scope::Study].map(|scope| self.sizes(scope));
        let of = |scope: Scope| match scope {
            Scope::Part => &sizes[0],
            Scope::Image => &sizes[1],
            Scope::Study => &sizes[2],
        };
        let digests = if level >= Level::Convergent { 1.0 / DIGESTED } else { 0.0 };
        let bytes = |spec: &OpSpec, scope| f64::from(spec.output_bytes_per_pixel) * mean(of(scope));
        let here = self.beside_declared(level);
        let prices = Prices {
            seconds: &|task, scope| self.step_seconds(task, of(scope), level, here),
            bookkeeping: &|spec, scope| BOOKKEEPING + bytes(spec, scope) * digests,
            converging: Found::default().same(),
            many: self.multiplicity(),
            // A program is started and fed for far more than a task's bookkeeping, and has a log of its own.
            alone: &|task| self.own.iter().any(|own| own.spec.id == task.spec.id),
            seen: &self.study.run.keep_regions,
        };
        Ok(grain(&self.written, &self.catalogue, rows, level, granularity, &prices)?)
    }
}

fn mean(sizes: &BTreeMap<u64, u64>) -> f64 {
    let all: f64 = sizes.iter().map(|(pixels, many)| *pixels as f64 * *many as f64).sum();
    all / sizes.values().sum::<u64>().max(1) as f64
}

/// Refuses operations of a program's own whose steps do not fit them.
pub(crate) fn check_steps(flow: &Flow, catalogue: &Catalogue) -> Result<(), EngineError> {
    let checked = flow.tasks.iter().try_for_each(|task| catalogue.check_steps(&task.spec));
    checked.map_err(|error| {
        let message = Diagnostic::error("an operation cannot be made of the steps that it names");
        message.with_why(error.to_string()).with_hint("change its steps, or leave them out").into()
    })
}

/// Whether a task stands for the task of a workflow with that name, or for a step of it, alone or with others.
pub(crate) fn stands_for(task: &FlowTask, name: &str) -> bool {
    let of = |part: &&FlowTask| part.name == name || matches!(&part.made, Made::Step { of } if of == name);
    task.name == name || task.parts().iter().any(of)
}

/// The grains of phases as JSON: what [`Prepared::with_grain_of`] reads.
pub fn grain_json(phases: &[PhaseGrain]) -> Value {
    let phase = |grain: &PhaseGrain| {
        json!({
            "phase": grain.phase,
            "split": grain.chosen.split,
            "fused": grain.chosen.fused,
            "changes": grain.changes.iter().map(change_json).collect::<Vec<_>>(),
            "seconds": { "written": grain.seconds.0, "chosen": grain.seconds.1 },
        })
    };
    json!({ "version": 1, "phases": phases.iter().map(phase).collect::<Vec<_>>() })
}

fn change_json(change: &GrainChange) -> Value {
    let task = |task: &GrainTask| json!({ "task": task.name, "parameters": task.parameters, "instances": task.instances });
    json!({
        "kind": change.kind(),
        "written": change.written.iter().map(task).collect::<Vec<_>>(),
        "now": change.now.iter().map(task).collect::<Vec<_>>(),
        "seconds": { "written": change.seconds.0, "chosen": change.seconds.1 },
        "because": change.to_string(),
    })
}

fn from_json(phase: &Value) -> Option<(String, Chosen)> {
    let words = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|word| Some(word.as_str()?.to_owned())).collect()
    };
    let split = words(phase.get("split")?)?;
    let fused = phase.get("fused")?.as_array()?.iter().map(words).collect::<Option<_>>()?;
    Some((phase.get("phase")?.as_str()?.to_owned(), Chosen { split, fused }))
}
