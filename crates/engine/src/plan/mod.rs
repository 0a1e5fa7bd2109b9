//! What running a study would take, before anything is computed.

mod ahead;
mod buckets;
pub(crate) mod digests;
pub(crate) mod duplicates;
mod export;
pub(crate) mod findings;
pub(crate) mod grain;
mod graph;
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

use onceflow_report::PhaseGrain;
use onceflow_reuse::{
    Flow, GrainChange, Level, LevelComparison, MergedStage, ParameterRows, Plan, RuleReport, plan,
};
use onceflow_study::{Method, Phase, Scope, Seams, Study};

pub use buckets::BucketFigures;
use buckets::Grouped;
pub use duplicates::FoundSame;
pub use findings::Foreseen;
pub use graph::{GraphForm, GraphOf};
pub use looks::PlannedLook;
pub use measure::Scheduling;
pub use predicted::CostOrigin;
pub use replay::Replay;
pub use side_by_side::Alternative;
pub(crate) use simulated::check_threads_policy;
pub use simulated::{SimulatedStudy, SimulationOptions};
pub use why::{Explanation, Question};

use crate::open::granularity::GranularityChoice;
use crate::open::study::no_phase;
use crate::plan::phase::PhaseRows;
use crate::{EngineError, Merge, OpenStudy};

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
    /// Most bytes that regions and scratch take at once, by their declared sizes.
    pub peak: u64,
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
    /// Rows of later phases by the number of parameters they keep.
    pub later: Vec<LaterPhase>,
    /// Seconds it took to plan.
    pub seconds: f64,
    /// Where the seconds of tasks come from.
    pub costs: CostOrigin,
    /// Tasks that stand otherwise than they are written.
    pub grain: PhaseGrain,
}

/// The first phase as it would be run.
#[derive(Debug)]
pub(crate) struct FirstPlan {
    pub(crate) phase: String,
    /// Rows without the reference row.
    pub(crate) rows: u64,
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

/// A phase whose rows depend on what an earlier one finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaterPhase {
    /// Its name.
    pub name: String,
    /// How its size is said: `base 256`.
    pub size: String,
    /// Numbers of parameters and the rows that they make.
    pub rows: Vec<(usize, u128)>,
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
        let start = Instant::now();
        let planned = self.grouped_plan(level, merge)?;
        let FirstPlan { phase, rows, mut plan, whole, merged, grain } = planned;
        let many = self.multiplicity();
        let costs = self.seconds(plan.flow(), level);
        let levels = self.compared(&plan, level);
        let rules = plan.rules(whole.as_ref().unwrap_or(&plan), &merged, &|task| costs[task]);
        let mut rules = rules.map_err(|broken| EngineError::Internal(broken.to_string()))?;
        rules.splice(0..0, self.grain_rule(&plan, &grain));
        self.spare(&mut plan, workers, memory)?;
        let work = levels.levels.last().map_or(0.0, |level| level.seconds);
        let counts: Vec<u64> =
            plan.account().times(plan.flow(), many).tasks.iter().map(|task| task.planned).collect();
        let seconds = start.elapsed().as_secs_f64();
        Ok(Planned {
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
            peak: self.peak(&mut plan, workers)?,
            least: self.least(&mut plan, workers)?,
            later: self.study.phases.iter().skip(1).map(|phase| later(&self.study, phase)).collect(),
            seconds,
            costs: self.cost_origin(plan.flow(), level),
            grain,
        })
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

    /// The plan of the first phase, with its buckets.
    pub(crate) fn grouped_plan(&self, level: Level, merge: &Merge) -> Result<FirstPlan, EngineError> {
        self.plan_of_grain(level, merge, self.wish(level, merge))
    }

    /// The same with a chosen granularity.
    pub(crate) fn plan_of_grain(
        &self,
        level: Level,
        merge: &Merge,
        wish: GranularityChoice,
    ) -> Result<FirstPlan, EngineError> {
        let (phase, rows) = self.first_rows()?;
        let count = rows.len() as u64 - 1;
        let grained = self.grained(&phase, &rows, level, &wish)?;
        let Grouped { plan, whole, merged } =
            self.grouped(plan(grained.flow, &rows, level)?, merge, level)?;
        Ok(FirstPlan { phase, rows: count, plan, whole, merged, grain: grained.grain })
    }

    /// The name of the first phase and its rows, the reference row first.
    fn first_rows(&self) -> Result<(String, ParameterRows), EngineError> {
        let Some(phase) = self.study.phases.first() else { return Err(no_phase()) };
        let sampled = PhaseRows::new(&self.study, phase, &[])?;
        Ok((phase.name.clone(), self.rows(&sampled, true)?))
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

fn later(study: &Study, phase: &Phase) -> LaterPhase {
    let all = study.space.factors().len();
    let mut counts = vec![3, 7, all];
    counts.retain(|n| *n <= all);
    counts.dedup();
    let rows = |kept: usize| phase.design.method.rows(kept).unwrap_or(u128::MAX);
    let size = match &phase.design.method {
        Method::Saltelli(saltelli) => format!("base {}", saltelli.base),
        Method::Morris(morris) => format!("{} trajectories", morris.trajectories),
        other => other.word().to_owned(),
    };
    LaterPhase { name: phase.name.clone(), size, rows: counts.into_iter().map(|n| (n, rows(n))).collect() }
}
