//! What is tuned: a space with a value for each of its points, and the runs of a tuner on it.

use onceflow_sensitivity::{TuneOutcome, Tuner, TunerOptions};
use onceflow_study::{Space, TuneMethod, Value};
use onceflow_terminal::Failure;

use crate::kernels::processor_time;
use crate::program::failed;

/// Something to tune.
pub(super) trait BenchObjective {
    /// Its parameters.
    fn space(&self) -> &Space;

    /// For each parameter how early the workflow reads it; empty when that is unknown.
    fn stages(&self) -> Vec<usize> {
        Vec::new()
    }

    /// How many values a point has.
    fn objectives(&self) -> usize {
        1
    }

    /// The values at a point, of which more is better.
    fn values(&mut self, at: &[Value]) -> Vec<f64>;
}

/// What a tuner found: the values of its distinct rows in their order, and the processor time of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TuneCurve {
    pub(super) rows: Vec<Vec<f64>>,
    /// Milliseconds of the processor that it took to propose and to learn.
    pub(super) own: f64,
}

impl TuneCurve {
    /// The best value of the first objective after so many rows.
    pub(super) fn best(&self, rows: usize) -> f64 {
        self.rows.iter().take(rows).map(|row| row[0]).fold(f64::NEG_INFINITY, f64::max)
    }

    /// How many rows it took to reach a value.
    pub(super) fn rows_to(&self, value: f64) -> Option<usize> {
        self.rows.iter().position(|row| row[0] >= value).map(|row| row + 1)
    }
}

/// Milliseconds that this thread has run.
pub(super) fn spent() -> Result<f64, Failure> {
    processor_time().ok_or_else(|| failed("the system does not say how long a thread has run"))
}

/// Runs one of our methods, row by row.
pub(super) fn our_curve(
    objective: &mut dyn BenchObjective,
    method: TuneMethod,
    seed: u64,
    rows: usize,
) -> Result<TuneCurve, Failure> {
    let mut tuner = our_tuner(objective, method, seed)?;
    more_rows(objective, &mut tuner, rows)
}

/// A tuner of an objective.
pub(super) fn our_tuner(
    objective: &dyn BenchObjective,
    method: TuneMethod,
    seed: u64,
) -> Result<Tuner, Failure> {
    let options = TunerOptions {
        method,
        maximize: vec![true; objective.objectives()],
        stages: objective.stages(),
        ..TunerOptions::new(seed)
    };
    Tuner::new(objective.space(), &options).map_err(failed)
}

/// So many rows of a tuner.
pub(super) fn more_rows(
    objective: &mut dyn BenchObjective,
    tuner: &mut Tuner,
    rows: usize,
) -> Result<TuneCurve, Failure> {
    let mut curve = TuneCurve::default();
    while curve.rows.len() < rows {
        let began = spent()?;
        let Some(row) = tuner.ask(1).pop() else { break };
        curve.own += spent()? - began;
        let values = objective.values(&row.values);
        let began = spent()?;
        tuner.tell(row.number, &TuneOutcome::Values(values.clone())).map_err(failed)?;
        curve.own += spent()? - began;
        curve.rows.push(values);
    }
    Ok(curve)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_the_best_so_far() {
        let rows = [0.2, 0.1, 0.5, 0.4].map(|value| vec![value]).to_vec();
        let curve = TuneCurve { rows, own: 0.0 };
        assert_eq!([1, 2, 3, 9].map(|rows| curve.best(rows)), [0.2, 0.2, 0.5, 0.5]);
        assert_eq!([0.2, 0.3, 0.6].map(|value| curve.rows_to(value)), [Some(1), Some(3), None]);
    }
}
