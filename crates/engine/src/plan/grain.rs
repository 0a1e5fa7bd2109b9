//! How fine the tasks of a study are: what it costs decides, or who asks.

mod prices;

use std::collections::BTreeMap;

use onceflow_costs::FindingSum;
use onceflow_reuse::{
    ChosenGrain, Flow, FlowTask, Grain, Granularity, Level, ParameterRows, Prices, TaskOrigin, grain,
};
use onceflow_study::{OpSpec, Scope};
use serde_json::Value;

use crate::open::granularity::GranularityChoice;
use crate::open::kept::KeptOutputs;
use crate::open::reading::reserve_reading;
use crate::plan::digests::DIGESTED;
use crate::{EngineError, Merge, OpenStudy, PhaseGrain};

/// The tasks of a phase as they are run.
pub(crate) struct Grained {
    pub(crate) flow: Flow,
    pub(crate) kept: KeptOutputs,
    pub(crate) grain: PhaseGrain,
}

/// Seconds that an instance takes beside its operation: it is planned, scheduled, handed to a worker, its outputs are
/// allocated, kept and let go. Traces of runs without digests show 11 to 12 µs between two tasks of a worker.
const BOOKKEEPING: f64 = 12e-6;

impl OpenStudy {
    /// Says how fine tasks are; with [`None`] costs decide once earlier runs have measured those of all tasks, save at levels below
    /// dataflow and where instances are grouped, which are the papers' ways. What is found does not depend on it.
    #[must_use]
    pub fn with_granularity(mut self, granularity: Option<Granularity>) -> Self {
        self.grain = granularity.map_or(GranularityChoice::Auto, GranularityChoice::By);
        self
    }

    /// The grain of an earlier run, as [`grain_json`](onceflow_report::grain_json) wrote it; any other text changes nothing.
    #[must_use]
    pub fn with_grain_of(mut self, told: &Value) -> Self {
        if let Some(phases) = told.get("phases").and_then(Value::as_array) {
            self.grain = GranularityChoice::As(phases.iter().filter_map(from_json).collect());
        }
        self
    }

    /// How fine tasks are to be for work that is done here.
    pub(crate) fn granularity(&self, level: Level, merge: &Merge) -> GranularityChoice {
        let is_measured = || self.cost_origin(&self.written, level).declared == 0;
        match &self.grain {
            GranularityChoice::Auto
                if level >= Level::Dataflow && *merge == Merge::Nothing && is_measured() =>
            {
                GranularityChoice::By(Granularity::Auto)
            }
            granularity => granularity.or_written(),
        }
    }

    /// The tasks of a phase with these rows, as fine as is wished.
    pub(crate) fn grained(
        &self,
        phase: &str,
        rows: &ParameterRows,
        level: Level,
        granularity: &GranularityChoice,
    ) -> Result<Grained, EngineError> {
        let found = match granularity {
            GranularityChoice::Auto => self.choose(rows, level, Granularity::Written)?,
            GranularityChoice::By(granularity) => self.choose(rows, level, *granularity)?,
            GranularityChoice::As(phases) => {
                let chosen = phases.get(phase).cloned().unwrap_or_default();
                let flow = self.written.of_grain(&chosen, &self.catalogue);
                Grain { flow, chosen, changes: Vec::new(), seconds: (0.0, 0.0) }
            }
        };
        let Grain { mut flow, chosen, changes, seconds } = found;
        reserve_reading(&mut flow, &self.inputs);
        let kept = KeptOutputs::new(&self.study, &flow)?;
        Ok(Grained { flow, kept, grain: PhaseGrain { phase: phase.into(), chosen, changes, seconds } })
    }

    fn choose(
        &self,
        rows: &ParameterRows,
        level: Level,
        granularity: Granularity,
    ) -> Result<Grain, EngineError> {
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
            duplicates: FindingSum::default().same(),
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

/// Whether a task stands for the task of a workflow with that name, or for a step of it, alone or with others.
pub(crate) fn stands_for(task: &FlowTask, name: &str) -> bool {
    let of =
        |part: &&FlowTask| part.name == name || matches!(&part.made, TaskOrigin::Step { of } if of == name);
    task.name == name || task.parts().iter().any(of)
}

fn from_json(phase: &Value) -> Option<(String, ChosenGrain)> {
    let words = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|word| Some(word.as_str()?.to_owned())).collect()
    };
    let split = words(phase.get("split")?)?;
    let fused = phase.get("fused")?.as_array()?.iter().map(words).collect::<Option<_>>()?;
    Some((phase.get("phase")?.as_str()?.to_owned(), ChosenGrain { split, fused }))
}
