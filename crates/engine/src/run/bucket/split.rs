//! How the rows of a phase are cut for many workers, and what that costs: equal work in different buckets is done in each.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;
use std::rc::Rc;

use onceflow_cluster::SplitRules;
use onceflow_reuse::merge::{Merging, Pruning, SmallBucket};
use onceflow_reuse::{Level, Plan, plan};
use onceflow_study::{Method, Scope, counted};

use crate::plan::phase::PhaseRows;
use crate::{EngineError, Merge, OpenStudy, RunSettings};

/// What cutting a phase for many workers costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SplitCost {
    /// The workers.
    pub workers: usize,
    /// The buckets.
    pub buckets: usize,
    /// Seconds of the work in one piece, and in these buckets, as expected.
    pub seconds: (f64, f64),
}

impl SplitCost {
    /// The share of the work that is done more than by one worker.
    pub fn more(&self) -> f64 {
        let (whole, split) = self.seconds;
        if whole > 0.0 { (split / whole - 1.0).max(0.0) } else { 0.0 }
    }

    /// `16 buckets for 8 workers: 4 % more work than one`.
    pub fn words(&self) -> String {
        let (buckets, workers) = (counted(self.buckets, "bucket"), counted(self.workers, "worker"));
        match (self.more() * 100.0).round() {
            0.0 => format!("{buckets} for {workers}: no more work than one"),
            share => format!("{buckets} for {workers}: {share} % more work than one"),
        }
    }
}

/// A run of parts with the groups of rows that are carried out there, each group in a bucket of its own.
pub(super) struct CutRun {
    pub(super) parts: Range<usize>,
    pub(super) groups: Rc<Vec<Vec<usize>>>,
    /// Seconds of all rows at these parts in one piece.
    pub(super) seconds: f64,
    /// The share that the groups do more.
    pub(super) more: f64,
}

/// Seconds of the work of some runs in one piece, and in their buckets.
pub(super) fn seconds_of(runs: &[CutRun]) -> (f64, f64) {
    let sum = |of: fn(&CutRun) -> f64| runs.iter().map(of).sum::<f64>();
    (sum(|run| run.seconds), sum(|run| run.seconds * (1.0 + run.more)))
}

impl OpenStudy {
    /// What cutting the first phase costs where so many workers take buckets; nothing where it tunes, which workers do not.
    ///
    /// # Errors
    /// When the phase cannot be sampled or planned.
    pub fn split_cost(
        &self,
        settings: &RunSettings,
        workers: usize,
    ) -> Result<Option<SplitCost>, EngineError> {
        let rules = SplitRules { workers, ..SplitRules::default() };
        let (merge, level) = (&settings.merge, settings.level);
        let first = self.study.phases.first().filter(|phase| !matches!(phase.design.method, Method::Tune(_)));
        let Some(phase) = first else { return Ok(None) };
        let sampled = PhaseRows::new(&self.study, phase, &[])?;
        let rows = self.rows(&sampled, true)?;
        let whole = plan(self.flow.clone(), &rows, level.min(Level::Dataflow))?;
        let seconds = self.planned_seconds(&whole, level);
        let weights = self.part_weights();
        let all: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let costs: Vec<f64> = weights.iter().map(|weight| seconds * weight / all).collect();
        let runs = self.cut_runs(&whole, &costs, (merge, level), &rules)?;
        let buckets = runs.iter().map(|run| run.groups.len()).sum();
        Ok(Some(SplitCost { workers, buckets, seconds: seconds_of(&runs) }))
    }

    /// Parts in runs, by the seconds of each, and rows in groups where there are too few parts.
    pub(super) fn cut_runs(
        &self,
        whole: &Plan,
        costs: &[f64],
        (merge, level): (&Merge, Level),
        rules: &SplitRules,
    ) -> Result<Vec<CutRun>, EngineError> {
        let (total, rows) = (costs.iter().sum::<f64>(), whole.rows());
        let mut known = BTreeMap::new();
        let cut = |parts: Range<usize>| {
            let seconds: f64 = costs[parts.clone()].iter().sum();
            let asked = match merge {
                Merge::Nothing => rules.row_groups(seconds, total, rows),
                _ => 0,
            };
            let (groups, more) = match known.entry(asked) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let (groups, more) = self.groups_of(whole, merge, asked, level.min(Level::Dataflow))?;
                    new.insert((Rc::new(groups), more))
                }
            };
            Ok(CutRun { parts, groups: Rc::clone(groups), seconds, more: *more })
        };
        rules.runs(costs).map(cut).collect()
    }

    /// The rows of a plan in so many groups of about equal cost, or as the user grouped them, and the share of the work that
    /// they do more than all rows together.
    fn groups_of(
        &self,
        whole: &Plan,
        merge: &Merge,
        groups: usize,
        level: Level,
    ) -> Result<(Vec<Vec<usize>>, f64), EngineError> {
        if groups == 1 {
            return Ok((vec![(0..whole.rows()).collect()], 0.0));
        }
        let by = Merging::Trtma { buckets: groups, pruning: Pruning::Siblings, small: SmallBucket::Smallest };
        let merge = if groups == 0 { merge.clone() } else { Merge::By(by) };
        let grouped = self.grouped(whole.clone(), &merge, level)?;
        let [one, all] = [whole, &grouped.plan].map(|plan| self.planned_seconds(plan, level));
        let more = if one > 0.0 { (all / one - 1.0).max(0.0) } else { 0.0 };
        Ok((self.row_groups(whole.clone(), &merge, level)?, more))
    }

    /// Seconds that a plan is expected to take on one worker.
    pub(super) fn planned_seconds(&self, plan: &Plan, level: Level) -> f64 {
        let costs = self.seconds(plan.flow(), level);
        let account = plan.account().times(plan.flow(), self.multiplicity());
        account.tasks.iter().zip(&costs).map(|(task, seconds)| task.planned as f64 * seconds).sum()
    }

    /// Seconds that the tasks of a plan are expected to take which belong to one of so many images, or to the study.
    pub(super) fn wide_seconds(&self, plan: &Plan, level: Level, images: usize) -> f64 {
        let (flow, costs) = (plan.flow(), self.seconds(plan.flow(), level));
        let times = |task: usize| match flow.scope(task) {
            Scope::Part => 0,
            Scope::Image => images,
            Scope::Study => 1,
        };
        let account = plan.account();
        let tasks = account.tasks.iter().zip(&costs).enumerate();
        tasks.map(|(at, (task, seconds))| (task.planned as usize * times(at)) as f64 * seconds).sum()
    }

    /// The rows of a plan in the buckets of the stage that costs most; all of them in one when nothing is merged.
    pub(super) fn row_groups(
        &self,
        whole: Plan,
        merge: &Merge,
        level: Level,
    ) -> Result<Vec<Vec<usize>>, EngineError> {
        let rows = whole.rows();
        let merged = self.grouped(whole, merge, level)?.merged;
        let dearest = merged.iter().max_by(|one, other| one.cost().total_cmp(&other.cost()));
        Ok(dearest.map_or_else(
            || vec![(0..rows).collect()],
            |stage| {
                let groups = stage.rows().into_iter();
                groups.map(|group| group.into_iter().map(|row| row as usize).collect()).collect()
            },
        ))
    }
}
