//! All levels and merging algorithms for one study, side by side.

use std::time::Instant;

use onceflow_reuse::merge::{MOST_FOR_SCA, Merging, Pruning, SmallBucket};
use onceflow_reuse::{Level, ParameterRows, plan};

use super::buckets::Grouped;
use crate::{EngineError, Limits, Merge, OpenStudy};

/// What one level, with or without buckets, leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The level.
    pub level: Level,
    /// The algorithm with its limit; nothing where workers share memory.
    pub merging: Option<String>,
    /// Tasks to be computed, over all parts.
    pub tasks: u64,
    /// Seconds of one core for them.
    pub seconds: f64,
    /// Buckets of all parts together.
    pub buckets: u64,
    /// When the last worker is done; for no buckets the time of all tasks spread evenly.
    pub makespan: f64,
    /// Seconds it took to plan.
    pub planning: f64,
}

impl OpenStudy {
    /// Plans the first phase in every way, with tasks as they are written.
    ///
    /// # Errors
    /// When the phase cannot be sampled or planned.
    pub fn alternatives(&self, limits: Limits, workers: usize) -> Result<Vec<Alternative>, EngineError> {
        let rows = self.planned_rows(0, true)?.rows;
        let mut ways: Vec<(Level, Merge)> = Level::PLANNED.map(|level| (level, Merge::Nothing)).to_vec();
        let algorithms = algorithms(limits, workers, rows.len());
        let place = ways.iter().position(|(level, _)| *level == Level::Task).map_or(0, |place| place + 1);
        let merged = algorithms.into_iter().map(|merging| (Level::Task, Merge::By(merging)));
        drop(ways.splice(place..place, merged));
        ways.push((Level::Dataflow, Merge::By(Merging::Auto { workers })));
        ways.into_iter().map(|(level, merge)| self.alternative(&rows, level, &merge, workers)).collect()
    }

    fn alternative(
        &self,
        rows: &ParameterRows,
        level: Level,
        merge: &Merge,
        workers: usize,
    ) -> Result<Alternative, EngineError> {
        let start = Instant::now();
        let Grouped { plan, merged, .. } =
            self.grouped(plan(self.flow.clone(), rows, level)?, merge, level)?;
        let planning = start.elapsed().as_secs_f64();
        let (many, costs) = (self.multiplicity(), self.seconds(plan.flow(), level));
        let account = plan.account().times(plan.flow(), many);
        let seconds = account.weighed(&|task| costs[task]).planned;
        Ok(Alternative {
            level,
            merging: merged.first().map(|stage| stage.how.clone()),
            tasks: account.total().planned,
            seconds,
            buckets: merged.iter().map(|stage| stage.buckets.len() as u64 * many.parts).sum(),
            makespan: self.makespan(&merged, seconds, workers),
            planning,
        })
    }
}

fn algorithms(limits: Limits, workers: usize, rows: usize) -> Vec<Merging> {
    let most = limits.instances;
    let sca = (rows <= MOST_FOR_SCA).then_some(Merging::Sca { most });
    let trtma = Merging::Trtma {
        buckets: limits.buckets,
        pruning: Pruning::default(),
        small: SmallBucket::default(),
    };
    let first = [Merging::Naive { most }].into_iter().chain(sca);
    first
        .chain([Merging::Rtma { most }, Merging::Packed { most }, trtma, Merging::Auto { workers }])
        .collect()
}
