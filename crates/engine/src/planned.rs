//! What running a study would take, before anything is computed.

use std::time::Instant;

use onceflow_reuse::{Comparison, Level, plan};
use onceflow_study::{Method, Phase, Scope, Study};

use crate::phase::PhaseRows;
use crate::prepared::no_phase;
use crate::{CostOrigin, EngineError, Prepared};

/// The plan of a study's first phase, and what can be said of the others.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Name of the first phase.
    pub phase: String,
    /// Its rows, without the reference row.
    pub rows: u64,
    /// Parts of all images.
    pub parts: u64,
    /// Tasks and seconds at each level, up to the one that was asked for.
    pub levels: Comparison,
    /// Most bytes that regions and scratch take at once, by their declared sizes.
    pub peak: u64,
    /// Rows of later phases by the number of parameters they keep.
    pub later: Vec<LaterPhase>,
    /// Seconds it took to plan.
    pub seconds: f64,
    /// Where the seconds of tasks come from.
    pub costs: CostOrigin,
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
}

impl Prepared<'_> {
    /// Plans the first phase.
    pub fn plan(&self, level: Level, workers: usize) -> Result<Planned, EngineError> {
        let start = Instant::now();
        let Some(phase) = self.study.phases.first() else { return Err(no_phase()) };
        let sampled = PhaseRows::new(self.study, phase, &[])?;
        let rows = self.rows(&sampled, true)?;
        let mut plan = plan(self.flow.clone(), &rows, level)?;
        let many = self.multiplicity();
        let costs = self.seconds();
        let levels = Comparison::of(&plan, many, &|task| costs[task]);
        let seconds = start.elapsed().as_secs_f64();
        Ok(Planned {
            phase: phase.name.clone(),
            rows: sampled.sample.len() as u64,
            parts: many.parts,
            levels,
            peak: self.peak(&mut plan, workers)?,
            later: self.study.phases.iter().skip(1).map(|phase| later(self.study, phase)).collect(),
            seconds,
            costs: self.cost_origin(),
        })
    }

    /// Seconds that one of each task takes on a part or image of average size, by its declared cost.
    /// What was measured on this machine goes over what is declared.
    pub(crate) fn seconds(&self) -> Vec<f64> {
        let [part, image, study] = [Scope::Part, Scope::Image, Scope::Study].map(|scope| self.sizes(scope));
        let sizes = |scope: Scope| match scope {
            Scope::Part => &part,
            Scope::Image => &image,
            Scope::Study => &study,
        };
        let seconds = |task: usize| self.mean_seconds(task, sizes(self.flow.scope(task)));
        (0..self.flow.tasks.len()).map(seconds).collect()
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
