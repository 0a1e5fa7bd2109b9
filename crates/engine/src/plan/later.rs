//! What can be said of later phases before they are run.

use onceflow_study::{Method, Phase};

use super::{PhaseBasis, PhasePlan};
use crate::{EngineError, Level, Merge, OpenStudy};

/// A phase after the first one.
#[derive(Clone, Debug, PartialEq)]
pub struct LaterPhase {
    /// Its name.
    pub name: String,
    /// How its size is said: `base 256`.
    pub size: String,
    /// Numbers of parameters and the rows that they make; empty where the parameters are known.
    pub rows: Vec<(usize, u128)>,
    /// What it takes with the parameters of its basis; nothing where there are too many rows to plan twice.
    pub planned: Option<LaterFigures>,
}

/// What a later phase takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaterFigures {
    /// Where its parameters come from.
    pub basis: PhaseBasis,
    /// Parameters and groups that vary.
    pub parameters: usize,
    /// Its rows.
    pub rows: u64,
    /// Tasks that are asked for, over all parts.
    pub asked: u64,
    /// Tasks that are left.
    pub tasks: u64,
    /// Seconds until the last worker is done.
    pub makespan: f64,
}

/// Rows of a phase that are planned before it is its turn.
const MOST_ROWS: usize = 1 << 18;

impl OpenStudy {
    /// What can be said of the phase at a place.
    pub(super) fn later(
        &self,
        place: usize,
        level: Level,
        merge: &Merge,
        workers: usize,
    ) -> Result<LaterPhase, EngineError> {
        let phase = &self.study.phases[place];
        let rows = match self.basis(phase) {
            PhaseBasis::All => self.rows_by_kept(phase),
            PhaseBasis::Study | PhaseBasis::Run => Vec::new(),
        };
        let small = self.row_count(phase)? <= MOST_ROWS;
        let planned = if small { Some(self.later_figures(place, level, merge, workers)?) } else { None };
        Ok(LaterPhase { name: phase.name.clone(), size: size(phase), rows, planned })
    }

    fn later_figures(
        &self,
        place: usize,
        level: Level,
        merge: &Merge,
        workers: usize,
    ) -> Result<LaterFigures, EngineError> {
        // Buckets that a file lists are those of the first phase.
        let merge = if matches!(merge, Merge::Given(_)) { &Merge::Nothing } else { merge };
        let PhasePlan { basis, factors, rows, plan, merged, .. } = self.grouped_plan(place, level, merge)?;
        let account = plan.account().times(plan.flow(), self.multiplicity());
        let costs = self.seconds(plan.flow(), level);
        let (total, work) = (account.total(), account.weighed(&|task| costs[task]).planned);
        Ok(LaterFigures {
            basis,
            parameters: factors,
            rows,
            asked: total.asked,
            tasks: total.planned,
            makespan: self.makespan(&merged, work, workers),
        })
    }

    /// The rows that a phase has by the number of parameters it keeps.
    fn rows_by_kept(&self, phase: &Phase) -> Vec<(usize, u128)> {
        let all = self.study.space.factors().len();
        let mut counts = vec![3, 7, all];
        counts.retain(|n| *n <= all);
        counts.dedup();
        let rows = |kept: usize| phase.design.method.rows(kept).unwrap_or(u128::MAX);
        counts.into_iter().map(|n| (n, rows(n))).collect()
    }
}

fn size(phase: &Phase) -> String {
    match &phase.design.method {
        Method::Saltelli(saltelli) => format!("base {}", saltelli.base),
        Method::Morris(morris) => format!("{} trajectories", morris.trajectories),
        other => other.word().to_owned(),
    }
}
