//! The yardstick of a search: independent random rows on the same images, and what the best of so many gives on average.

use onceflow_sensitivity::{TuneOutcome, Tuner, TunerOptions};
use onceflow_study::{TuneMethod, Value};

use super::{Runner, TunePhase};
use crate::{EngineError, Progress};

/// Random rows that are planned together.
const TOGETHER: usize = 16;

impl Runner<'_> {
    /// Runs the random rows that the study asks for: for 1, 2, 3, … of them the mean of the best.
    pub(super) fn yardstick(
        &mut self,
        tune: &TunePhase<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Vec<f64>, EngineError> {
        let (phase, design, split) = (tune.phase, tune.design, tune.split.clone());
        let name = format!("{}@random", tune.name);
        let mut random = self.begin_tuning(phase, design, name, tune.space.clone(), split)?;
        let options = TunerOptions {
            method: TuneMethod::Random,
            maximize: tune.objective.maximize.clone(),
            defaults_first: false,
            ..TunerOptions::new(phase.design.seed)
        };
        random.tuner = Tuner::new(&tune.space, &options)
            .map_err(|error| EngineError::from(crate::open::sampling::cannot_sample(phase, &error)))?;
        let mut found = Vec::new();
        let mut left = usize::try_from(design.yardstick).unwrap_or(usize::MAX);
        while left > 0 {
            let asked = random.tuner.ask(left.min(TOGETHER));
            if asked.is_empty() {
                break;
            }
            left -= asked.len();
            let rows: Vec<Vec<Value>> = asked.iter().map(|row| self.whole(&random, &row.values)).collect();
            let Some(records) = self.run_tuned(&mut random, rows, "random", progress)? else { break };
            for (row, record) in asked.iter().zip(&records) {
                let outcome = random.objective.outcome(record, &random.split.tuning);
                let told = random.tuner.tell(row.number, &outcome);
                told.map_err(|error| EngineError::Internal(error.to_string()))?;
                found.extend(match outcome {
                    TuneOutcome::Values(values) => values.first().copied().filter(|x| x.is_finite()),
                    TuneOutcome::Failed => None,
                });
            }
        }
        Ok(best_of(&found, tune.objective.maximize[0]))
    }
}

/// For 1, 2, 3, … of these values, drawn without putting back, the mean of the best.
fn best_of(values: &[f64], maximize: bool) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| if maximize { b.total_cmp(a) } else { a.total_cmp(b) });
    let all = sorted.len() as f64;
    let mean = |drawn: usize| {
        let drawn = drawn as f64;
        // The probability that the best of those drawn is this one: all better ones are among the others.
        let mut is_best = drawn / all;
        let mut mean = 0.0;
        for (place, value) in sorted.iter().enumerate() {
            mean += is_best * value;
            let left = all - 1.0 - place as f64;
            is_best *= if left > 0.0 { ((left - drawn + 1.0) / left).max(0.0) } else { 0.0 };
        }
        mean
    };
    (1..=sorted.len()).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::best_of;

    #[test]
    fn the_best_of_more_is_better() {
        // Of 1, 2, 3, 4: pairs have the maxima 2, 3, 3, 4, 4, 4; triples 3, 4, 4, 4.
        let means = best_of(&[3.0, 1.0, 4.0, 2.0], true);
        let expected = [2.5, 20.0 / 6.0, 15.0 / 4.0, 4.0];
        assert!(
            means.iter().zip(expected).all(|(mean, expected)| (mean - expected).abs() < 1e-12),
            "{means:?}"
        );
        assert!((best_of(&[3.0, 1.0, 4.0, 2.0], false)[1] - 10.0 / 6.0).abs() < 1e-12);
        assert!(best_of(&[], true).is_empty());
    }
}
