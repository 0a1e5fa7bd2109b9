//! What tuning takes from the workflow and from earlier phases: which parameters late tasks read, which matter, and the best
//! row that is known. Rows of a design are not told as if they were trials: near copies of each other mislead a model.

use onceflow_report::RowStatus;
use onceflow_reuse::{FlowTask, ReadFrom};
use onceflow_sensitivity::{Indices, TuneOutcome};
use onceflow_study::{Space, Value};

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

    /// Tells the tuner of the defaults and of the best row of earlier phases.
    pub(super) fn seed(&mut self, tune: &mut TunePhase<'_>) -> Result<(), EngineError> {
        let images = tune.split.tuning.clone();
        let told = |tune: &mut TunePhase<'_>, values: &[Value], outcome: &TuneOutcome| {
            let varied: Vec<Value> = tune.columns.iter().map(|column| values[*column].clone()).collect();
            tune.tuner.learn(&varied, outcome).map_err(|error| EngineError::Internal(error.to_string()))
        };
        let reference = self.table.rows[0].clone();
        let outcome = tune.objective.outcome(&reference, &images);
        told(tune, &reference.values, &outcome)?;
        // Pooled values of earlier rows are of all images, those that are held out included.
        let comparable = tune.objective.over == onceflow_study::TuneOver::Mean;
        let fixed = |row: &&onceflow_report::RowRecord| {
            let same = |column: &usize| row.values[*column] == reference.values[*column];
            (0..row.values.len()).filter(|column| !tune.columns.contains(column)).all(|column| same(&column))
        };
        let rows =
            self.table.rows[1..].iter().filter(|row| row.status == RowStatus::Ok && comparable).filter(fixed);
        let best = rows
            .filter_map(|row| match tune.objective.outcome(row, &images) {
                TuneOutcome::Values(values) => Some((values, row)),
                TuneOutcome::Failed => None,
            })
            .max_by(|a, b| tune.objective.gain(a.0[0], b.0[0]).total_cmp(&0.0));
        if let Some((values, row)) = best.map(|(values, row)| (values, row.values.clone())) {
            self.seeded = Some(row.clone());
            told(tune, &row, &TuneOutcome::Values(values))?;
        }
        Ok(())
    }
}
