//! What tuning takes from the workflow and from earlier phases: which parameters late tasks read, which matter, and the best
//! row that is known. Rows of a design are not told as if they were trials: near copies of each other mislead a model.

use onceflow_report::{RowRecord, RowStatus};
use onceflow_reuse::{FlowTask, ReadFrom};
use onceflow_sensitivity::{Indices, TuneOutcome};
use onceflow_study::Space;

use super::{Runner, TunePhase};
use crate::EngineError;

impl Runner<'_> {
    /// For each parameter the number of the first task that reads it; tasks stand in the order of the work.
    pub(super) fn stages(&self, space: &Space) -> Vec<usize> {
        let tasks = &self.study.flow.tasks;
        let first = |name: &str| {
            let reads = |task: &FlowTask| {
                task.reads.iter().any(|read| matches!(&read.from, ReadFrom::Parameter(own) if own == name))
            };
            tasks.iter().position(reads).unwrap_or(tasks.len())
        };
        space.parameters().iter().map(|parameter| first(&parameter.name)).collect()
    }

    /// The parameters with an effect on a metric in the last phase that estimated some, the largest first.
    pub(super) fn ranking(&self, space: &Space, metric: &str) -> Vec<String> {
        let effects = self.analyses.iter().rev().flat_map(|(_, analyses)| analyses).find_map(|analysis| {
            let output = analysis.outputs.iter().find(|output| output.name == metric)?;
            let effects: Vec<(String, f64)> = match &output.indices {
                Indices::Morris(factors) => {
                    factors.iter().map(|f| (f.name.clone(), f.mu_star.value)).collect()
                }
                Indices::Vbd { factors, .. } => {
                    factors.iter().map(|f| (f.name.clone(), f.st.value)).collect()
                }
                _ => return None,
            };
            Some(effects)
        });
        let mut effects = effects.unwrap_or_default();
        effects.retain(|(name, effect)| effect.is_finite() && space.index_of(name).is_some());
        effects.sort_by(|a, b| b.1.total_cmp(&a.1));
        effects.truncate(effects.len().div_ceil(2).max(3));
        effects.into_iter().map(|(name, _)| name).collect()
    }

    /// Tells the tuner of the defaults.
    pub(super) fn seed_defaults(&self, tune: &mut TunePhase<'_>) -> Result<(), EngineError> {
        let reference = &self.table.rows[0];
        let outcome = tune.objective.outcome(reference, &tune.split.tuning);
        tune.learn(&tune.varied(&reference.values), &outcome)
    }

    /// Tells the tuner of the defaults and of the best row of earlier phases.
    pub(super) fn seed(&self, tune: &mut TunePhase<'_>) -> Result<(), EngineError> {
        self.seed_defaults(tune)?;
        let Some((place, values)) = self.best_earlier(tune) else { return Ok(()) };
        tune.seeded = Some(place);
        tune.learn(&tune.varied(&self.table.rows[place].values), &TuneOutcome::Values(values))
    }

    /// The best row of earlier phases in which all parameters that do not vary have their defaults.
    fn best_earlier(&self, tune: &TunePhase<'_>) -> Option<(usize, Vec<f64>)> {
        let reference = &self.table.rows[0];
        let is_fixed = |row: &RowRecord| {
            let same = |column: &usize| row.values[*column] == reference.values[*column];
            (0..row.values.len()).filter(|column| !tune.columns.contains(column)).all(|column| same(&column))
        };
        let rows = self.table.rows.iter().enumerate().skip(1);
        let rows = rows.filter(|(_, row)| row.status == RowStatus::Ok && is_fixed(row));
        let values = |(place, row)| match tune.objective.outcome(row, &tune.split.tuning) {
            TuneOutcome::Values(values) => Some((place, values)),
            TuneOutcome::Failed => None,
        };
        rows.filter_map(values).max_by(|a, b| tune.objective.gain(a.1[0], b.1[0]).total_cmp(&0.0))
    }
}
