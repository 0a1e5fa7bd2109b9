//! What running a study would take, before anything is computed.

mod ahead;
mod attributes;
mod basis;
mod buckets;
pub(crate) mod digests;
pub(crate) mod duplicates;
pub(crate) mod earlier;
mod export;
pub(crate) mod findings;
pub(crate) mod grain;
mod graph;
mod later;
pub(crate) mod looks;
mod measure;
mod memory;
pub(crate) mod object_origins;
pub(crate) mod phase;
mod predicted;
mod replay;
mod row;
mod side_by_side;
mod simulated;
mod why;

use std::time::Instant;

use onceflow_nuclei::StepProgress;
use onceflow_report::PhaseGrain;
use onceflow_reuse::{Flow, GrainChange, Level, LevelComparison, MergedStage, Plan, RuleReport, plan};
use onceflow_study::{Scope, Seams};

pub use attributes::described_attributes;
pub use basis::PhaseBasis;
use basis::{PlanNumbers, PlannedRows};
pub use buckets::BucketFigures;
use buckets::Grouped;
pub use duplicates::FoundSame;
pub use findings::Foreseen;
pub use graph::{GraphForm, GraphOf};
pub use later::{LaterFigures, LaterPhase};
pub use looks::PlannedLook;
pub use measure::Scheduling;
pub use predicted::CostOrigin;
pub use replay::Replay;
pub use side_by_side::Alternative;
pub(crate) use simulated::check_threads_policy;
pub use simulated::{SimulatedStudy, SimulationOptions};
pub use why::{Explanation, Question};

use crate::open::granularity::GranularityChoice;
use crate::{EngineError, Merge, OpenStudy};

/// Steps of planning before later phases: rows, levels, memory.
const STEPS: u64 = 3;

/// The plan of a study's first phase, and what can be said of the others.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Name of the first phase.
    pub phase: String,
    /// Its rows, without the reference row.
    pub rows: u64,
    /// Parts of all images.
    pub parts: u64,
    /// What happens where parts meet.
    pub seams: Seams,
    /// Pixels that parts see around themselves; 0 where they see nothing.
    pub halo: u64,
    /// Tasks and seconds at each level, up to the one that was asked for.
    pub levels: LevelComparison,
    /// Most bytes that regions and scratch take at once within the bound, by their declared sizes.
    pub peak: u64,
    /// The same without a bound.
    pub unbounded: u64,
    /// Each task: how many are asked for, and how many each level leaves, over all parts.
    pub tasks: Vec<TaskFigures>,
    /// The least bound of memory under which it was found to run.
    pub least: u64,
    /// The rules that made the plan, and what each left for one part.
    pub rules: Vec<RuleReport>,
    /// The buckets of each stage that has some.
    pub buckets: Vec<BucketFigures>,
    /// Seconds until the last worker is done: list scheduling of the buckets, the other tasks spread evenly.
    pub makespan: f64,
    /// What is expected to be found while it runs, as in earlier runs; all of it comes off the plan.
    pub expected: Foreseen,
    /// The later phases.
    pub later: Vec<LaterPhase>,
    /// Seconds it took to plan.
    pub seconds: f64,
    /// Where the seconds of tasks come from.
    pub costs: CostOrigin,
    /// Tasks that stand otherwise than they are written.
    pub grain: PhaseGrain,
}

/// A phase as it would be run.
#[derive(Debug)]
pub(crate) struct PhasePlan {
    pub(crate) phase: String,
    /// Rows without the reference row.
    pub(crate) rows: u64,
    /// The numbers of the plan's rows in the table.
    pub(crate) numbers: PlanNumbers,
    pub(crate) basis: PhaseBasis,
    /// Parameters and groups that vary.
    pub(crate) factors: usize,
    pub(crate) plan: Plan,
    /// The plan before it was cut into buckets, when it was.
    pub(crate) whole: Option<Plan>,
    pub(crate) merged: Vec<MergedStage>,
    /// Tasks that stand otherwise than they are written.
    pub(crate) grain: PhaseGrain,
}

/// How many of one task there are.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskFigures {
    /// Its name.
    pub name: String,
    /// What each level leaves, from `none` up to the plan's own.
    pub left: Vec<(Level, u64)>,
    /// Seconds of one.
    pub seconds: f64,
}

impl Planned {
    /// Rows times parts, the reference row included.
    pub fn instances(&self) -> u64 {
        (self.rows + 1) * self.parts
    }

    /// Buckets of all parts; without any, everything is one.
    pub fn bucket_count(&self) -> u64 {
        let buckets: u64 = self.buckets.iter().map(|stage| stage.buckets as u64 * self.parts).sum();
        buckets.max(1)
    }

    /// Seconds until the last worker is done when what is expected to be found is found, by all workers alike.
    pub fn likely(&self) -> f64 {
        let work = self.levels.levels.last().map_or(0.0, |level| level.seconds);
        if work > 0.0 { self.makespan * (1.0 - self.expected.seconds() / work).max(0.0) } else { 0.0 }
    }

    /// The share of the time until the last worker is done that so many workers spend computing.
    pub fn balance(&self, workers: usize) -> f64 {
        let work = self.levels.levels.last().map_or(0.0, |level| level.seconds);
        if self.makespan > 0.0 { work / (self.makespan * workers.max(1) as f64) } else { 1.0 }
    }
}

impl OpenStudy {
    /// Plans the first phase.
    ///
    /// # Errors
    /// When it cannot be planned, or not be run within the bound of memory.
    pub fn plan(
        &self,
        level: Level,
        merge: &Merge,
        workers: usize,
        memory: u64,
    ) -> Result<Planned, EngineError> {
        self.plan_watched(level, merge, workers, memory, &|_| ())
    }

    /// The same; `watch` is told the step of the work.
    pub(crate) fn plan_watched(
        &self,
        level: Level,
        merge: &Merge,
        workers: usize,
        memory: u64,
        watch: &dyn Fn(StepProgress),
    ) -> Result<Planned, EngineError> {
        let start = Instant::now();
        let phases = self.study.phases.len() as u64;
        let at = |task, done| watch(StepProgress { task, done, of: STEPS - 1 + phases });
        at("rows", 1);
        let planned = self.grouped_plan(0, level, merge)?;
        at("levels", 2);
        let PhasePlan { phase, rows, mut plan, whole, merged, grain, .. } = planned;
        let many = self.multiplicity();
        let costs = self.seconds(plan.flow(), level);
        let levels = self.compared(&plan, level);
        let rules = plan.rules(whole.as_ref().unwrap_or(&plan), &merged, &|task| costs[task]);
        let mut rules = rules.map_err(|broken| EngineError::Internal(broken.to_string()))?;
        rules.splice(0..0, self.grain_rule(&plan, &grain));
        at("memory", 3);
        self.spare(&mut plan, workers, memory)?;
        let work = levels.levels.last().map_or(0.0, |level| level.seconds);
        let counts: Vec<u64> =
            plan.account().times(plan.flow(), many).tasks.iter().map(|task| task.planned).collect();
        let unbounded = self.peak(&mut plan, workers)?;
        let least = self.least(&mut plan, workers, unbounded)?;
        let later = (1..self.study.phases.len()).map(|place| {
            at("later phases", STEPS + place as u64);
            self.later(place, level, merge, workers)
        });
        let mut planned = Planned {
            phase,
            rows,
            parts: many.parts,
            seams: self.study.parts.seams,
            halo: self.inputs.halo,
            levels,
            buckets: merged.iter().map(|stage| self.bucket_figures(&plan, stage, workers)).collect(),
            makespan: self.makespan(&merged, work, workers),
            expected: self.expected(&plan, level, &counts, &costs),
            rules,
            tasks: self.task_figures(&plan, &costs),
            peak: unbounded.min(memory),
            unbounded,
            least,
            later: later.collect::<Result<_, _>>()?,
            seconds: 0.0,
            costs: self.cost_origin(plan.flow(), level),
            grain,
        };
        planned.seconds = start.elapsed().as_secs_f64();
        Ok(planned)
    }

    /// The levels of a plan, each by what tasks cost at it; the last is the one that was asked for.
    fn compared(&self, plan: &Plan, level: Level) -> LevelComparison {
        let asked = |other: Level| if other == plan.level() { level } else { other };
        let costs = Level::PLANNED.map(|other| self.seconds(plan.flow(), asked(other)));
        LevelComparison::of(plan, self.multiplicity(), &|level, task| costs[level as usize][task])
    }

    /// What splitting and fusing did before any row was looked at by itself.
    fn grain_rule(&self, plan: &Plan, grain: &PhaseGrain) -> Option<RuleReport> {
        let tasks = |flow: &Flow| (flow.tasks.len() * plan.rows()) as u64;
        let changes: Vec<String> = grain.changes.iter().map(GrainChange::short).collect();
        let rule = "split and fuse tasks";
        (!changes.is_empty()).then(|| RuleReport {
            rule,
            tasks: (tasks(&self.written), tasks(plan.flow())),
            cost: grain.seconds,
            did: changes.join("; "),
        })
    }

    fn task_figures(&self, plan: &Plan, costs: &[f64]) -> Vec<TaskFigures> {
        let account = plan.account().times(plan.flow(), self.multiplicity());
        let levels = || Level::PLANNED.into_iter().filter(|level| *level <= plan.level());
        let figures = |(task, entry): (usize, &onceflow_reuse::TaskAccount)| TaskFigures {
            name: plan.flow().tasks[task].name.clone(),
            left: levels().map(|level| (level, entry.left_at(level))).collect(),
            seconds: costs[task],
        };
        account.tasks.iter().enumerate().map(figures).collect()
    }

    /// The plan of a phase, with its buckets.
    pub(crate) fn grouped_plan(
        &self,
        place: usize,
        level: Level,
        merge: &Merge,
    ) -> Result<PhasePlan, EngineError> {
        self.plan_of_grain(place, level, merge, &self.granularity(level, merge), false)
    }

    /// The same with a chosen granularity, and the reference row in later phases too where it is wanted.
    pub(crate) fn plan_of_grain(
        &self,
        place: usize,
        level: Level,
        merge: &Merge,
        granularity: &GranularityChoice,
        with_reference: bool,
    ) -> Result<PhasePlan, EngineError> {
        let PlannedRows { rows, numbers, basis, factors } = self.planned_rows(place, with_reference)?;
        let phase = self.study.phases[place].name.clone();
        let count = rows.len() as u64 - u64::from(rows.reference.is_some());
        let grained = self.grained(&phase, &rows, level, granularity)?;
        let Grouped { plan, whole, merged } =
            self.grouped(plan(grained.flow, &rows, level)?, merge, level)?;
        Ok(PhasePlan {
            phase,
            rows: count,
            numbers,
            basis,
            factors,
            plan,
            whole,
            merged,
            grain: grained.grain,
        })
    }

    /// When the last worker is done, where all tasks together take `seconds`.
    fn makespan(&self, merged: &[MergedStage], seconds: f64, workers: usize) -> f64 {
        let parts = self.part_weights();
        let in_buckets: f64 = merged.iter().map(|stage| stage.cost() * parts.iter().sum::<f64>()).sum();
        let others = (seconds - in_buckets).max(0.0) / workers.max(1) as f64;
        others + merged.iter().map(|stage| stage.makespan(workers, &parts)).sum::<f64>()
    }

    /// How many pixels each part has, beside one of average size.
    pub(crate) fn part_weights(&self) -> Vec<f64> {
        let parts = self.inputs.layout().parts;
        let mean = parts.iter().map(|part| part.pixels as f64).sum::<f64>() / parts.len().max(1) as f64;
        parts.iter().map(|part| part.pixels as f64 / mean.max(1.0)).collect()
    }

    /// Seconds that one of each task takes at a level on a part or image of average size, by its declared cost.
    /// What was measured on this machine goes over what is declared.
    pub(crate) fn seconds(&self, flow: &Flow, level: Level) -> Vec<f64> {
        let [part, image, study] = [Scope::Part, Scope::Image, Scope::Study].map(|scope| self.sizes(scope));
        let sizes = |scope: Scope| match scope {
            Scope::Part => &part,
            Scope::Image => &image,
            Scope::Study => &study,
        };
        let seconds = |task: usize| self.mean_seconds(&flow.tasks[task], sizes(flow.scope(task)), level);
        (0..flow.tasks.len()).map(seconds).collect()
    }
}
