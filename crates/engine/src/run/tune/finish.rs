//! The end of a search: every changed parameter goes back to its default once, every parameter without an order takes its
//! other values once, and all that made no difference go back together.

use onceflow_report::RunEnding;
use onceflow_sensitivity::{TuneFlip, TuneOutcome};
use onceflow_study::Value;

use super::{Runner, TunePhase};
use crate::{EngineError, Progress};

/// A row that loses no more than this share of the gain is as good.
pub(super) const TOLERANCE: f64 = 0.02;

impl Runner<'_> {
    /// Tries the best row once more, as far as rows are left.
    pub(super) fn finish_tuning(
        &mut self,
        tune: &mut TunePhase<'_>,
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        if tune.spared() == 0 {
            return Ok(());
        }
        let Some((best, value)) = self.best_measured(tune) else { return Ok(()) };
        let varied = |values: &[Value]| -> Vec<Value> {
            tune.columns.iter().map(|column| values[*column].clone()).collect()
        };
        let (start, defaults) = (varied(&self.table.rows[best].values), varied(&self.study.reference.values));
        let mut flips = tune.tuner.flips(&start, &defaults);
        // One row stays for all that go back together.
        let left = tune.design.evaluations.saturating_sub(tune.evaluations + 1);
        let mut known = Vec::new();
        flips.retain(|flip| match self.known_value(tune, &flip.values) {
            Some(value) => {
                known.push((flip.clone(), Some(value)));
                false
            }
            None => true,
        });
        // Changes back come first when there are not rows for all.
        flips.sort_by_key(|flip| !flip.is_default);
        flips.truncate(usize::try_from(left).unwrap_or(usize::MAX));
        let mut found = known;
        let rows: Vec<Vec<Value>> = flips.iter().map(|flip| self.whole(tune, &flip.values)).collect();
        if !rows.is_empty() {
            let Some(records) = self.run_tuned(tune, rows, "flip", progress)? else { return Ok(()) };
            for (flip, record) in flips.into_iter().zip(&records) {
                let outcome = tune.objective.outcome(record, &tune.split.tuning);
                tune.learn(&flip.values, &outcome)?;
                let value =
                    if let TuneOutcome::Values(values) = outcome { values.first().copied() } else { None };
                found.push((flip, value));
            }
        }
        if self.ending == RunEnding::Complete {
            self.return_together(tune, &start, &defaults, value, &found, progress)?;
        }
        Ok(())
    }

    /// Runs the best row with all parameters at their defaults that made no difference one by one.
    fn return_together(
        &mut self,
        tune: &mut TunePhase<'_>,
        start: &[Value],
        defaults: &[Value],
        value: f64,
        found: &[(TuneFlip, Option<f64>)],
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        let tolerated = 0.5 * TOLERANCE * self.gained(tune, value);
        let gain = |flipped: &Option<f64>| flipped.map(|flipped| tune.objective.gain(flipped, value));
        let better = found.iter().filter_map(|(flip, flipped)| Some((gain(flipped)?, flip)));
        let better = better.filter(|(gain, _)| *gain > 0.0).max_by(|a, b| a.0.total_cmp(&b.0));
        let mut values = better.map_or_else(|| start.to_vec(), |(_, flip)| flip.values.clone());
        let mut returned = 0;
        for (flip, flipped) in found.iter().filter(|(flip, _)| flip.is_default) {
            if gain(flipped).is_some_and(|gain| gain >= -tolerated) {
                values[flip.parameter] = defaults[flip.parameter].clone();
                returned += 1;
            }
        }
        let is_new = self.known_value(tune, &values).is_none();
        if returned > 0 && is_new && tune.tuner.allows(&values) && tune.evaluations < tune.design.evaluations
        {
            let row = self.whole(tune, &values);
            for record in self.run_tuned(tune, vec![row], "returned", progress)?.into_iter().flatten() {
                tune.learn(&values, &tune.objective.outcome(&record, &tune.split.tuning))?;
            }
        }
        Ok(())
    }

    /// The place and value of the best row so far.
    fn best_measured(&self, tune: &TunePhase<'_>) -> Option<(usize, f64)> {
        let rows = self.tuned_values(tune).into_iter().map(|(place, values)| (place, values[0]));
        // Of equal rows the first.
        rows.fold(None, |best: Option<(usize, f64)>, row| match best {
            Some(best) if tune.objective.gain(row.1, best.1) <= 0.0 => Some(best),
            _ => Some(row),
        })
    }

    /// The objective of values that were run before.
    fn known_value(&self, tune: &TunePhase<'_>, values: &[Value]) -> Option<f64> {
        let whole = self.whole(tune, values);
        let rows = self.tuned_values(tune);
        rows.into_iter().find(|(place, _)| self.table.rows[*place].values == whole).map(|(_, found)| found[0])
    }
}
