//! What a search found: the row to recommend, what changed, and reasons to doubt it.

use onceflow_report::{RangeEnd, RowRecord, TriedRow, TuneAnswer, TunedMetric, TunedRow, ValueChange};
use onceflow_sensitivity::{TuneOutcome, pareto_front};
use onceflow_study::{Diagnostic, Metric};

use super::widen::wider;
use super::{Runner, TunePhase, finish};
use crate::EngineError;

impl Runner<'_> {
    pub(super) fn tune_answer(&self, tune: &TunePhase<'_>) -> Result<TuneAnswer, EngineError> {
        let (table, objective, images) = (&self.table, &tune.objective, &tune.split.tuning);
        let reference = &table.rows[0];
        let row = self.chosen(tune).ok_or_else(|| nothing_found(&tune.name))?;
        let value = |row: &RowRecord| objective.value(row, objective.metrics[0], images).unwrap_or(f64::NAN);
        let best = &table.rows[row];
        let metric = |(place, name): (usize, &String)| TunedMetric {
            name: name.clone(),
            default: objective.value(reference, place, images),
            best: objective.value(best, place, images),
        };
        let metrics: Vec<TunedMetric> = table.metrics.iter().enumerate().map(metric).collect();
        let varied = tune.varied(&best.values);
        let parameters = tune.space.parameters();
        let is_changed = |place: &usize| {
            let column = tune.columns[*place];
            reference.values[column] != best.values[column]
        };
        let ends = tune.tuner.at_ends(&varied).into_iter().filter(is_changed);
        let change = |column: usize| ValueChange {
            parameter: table.parameters[column].clone(),
            from: reference.values[column].clone(),
            to: best.values[column].clone(),
        };
        let changed = (0..table.parameters.len()).filter(|c| reference.values[*c] != best.values[*c]);
        let given = |row: &RowRecord| match objective.outcome(row, images) {
            TuneOutcome::Values(values) if values.iter().all(|x| x.is_finite()) => Some(values),
            _ => None,
        };
        let history = table
            .rows
            .iter()
            .enumerate()
            .filter(|(place, row)| tune.is_own(*place, row))
            .map(|(place, row)| TriedRow { place, objectives: given(row) });
        let front = if objective.metrics.len() > 1 { self.front(tune) } else { Vec::new() };
        let warnings = fallen(&metrics, &self.others(tune), "the images that took part");
        Ok(TuneAnswer {
            phase: tune.name.clone(),
            tuner: tune.design.tuner.word().into(),
            objectives: objective.names(table),
            maximize: objective.maximize.clone(),
            over: objective.over.word().into(),
            evaluations: tune.evaluations,
            images: images.iter().map(|image| table.images[*image].clone()).collect(),
            held_images: tune.split.held().iter().map(|image| table.images[*image].clone()).collect(),
            row,
            values: best.values.clone(),
            default: value(reference),
            best: value(best),
            metrics,
            changes: changed.map(change).collect(),
            returned: tune_returned(self, tune, row),
            ends: ends
                .map(|place| RangeEnd {
                    parameter: parameters[place].name.clone(),
                    value: varied[place].clone(),
                    wider: wider(&parameters[place], &varied[place]),
                })
                .collect(),
            flips: tune.flips.clone(),
            untried: tune.untried,
            front,
            history: history.collect(),
            random: Vec::new(),
            held_out: None,
            failed_on: Vec::new(),
            left_out: Vec::new(),
            warnings,
        })
    }

    /// The place of the row to recommend: the best one; with several objectives the one nearest to all of their best values.
    pub(super) fn chosen(&self, tune: &TunePhase<'_>) -> Option<usize> {
        let rows = self.tuned_values(tune);
        let best = if tune.objective.metrics.len() == 1 {
            // Of equal rows the first.
            let better = |a: &&(usize, Vec<f64>), b: &&(usize, Vec<f64>)| {
                tune.objective.gain(a.1[0], b.1[0]).total_cmp(&0.0).then(b.0.cmp(&a.0))
            };
            rows.iter().max_by(better)?
        } else {
            nearest_to_best(tune, &rows)?
        };
        // A row of the end with fewer changes is chosen when it is as good.
        let tolerated = self.tolerated(tune, &best.1, finish::TOLERANCE);
        let simple = rows.iter().rev().find(|row| {
            let gains = tune.objective.gains(&row.1, &best.1);
            let is_as_good = gains.iter().zip(&tolerated).all(|(gain, tolerated)| *gain >= -tolerated);
            self.table.rows[row.0].role == "returned" && is_as_good
        });
        Some(simple.unwrap_or(best).0)
    }

    /// Places of the metrics from 0 to 1 that are not improved.
    pub(super) fn others(&self, tune: &TunePhase<'_>) -> Vec<usize> {
        let is_bounded = |metric: &Metric| {
            matches!(metric.measure.as_deref(), Some("dice" | "jaccard" | "object_f1" | "panoptic_quality"))
        };
        let metrics = self.study.study.metrics.iter().enumerate();
        let others =
            metrics.filter(|(place, metric)| !tune.objective.metrics.contains(place) && is_bounded(metric));
        others.map(|(place, _)| place).collect()
    }

    fn front(&self, tune: &TunePhase<'_>) -> Vec<TunedRow> {
        let rows = self.tuned_values(tune);
        let values: Vec<Vec<f64>> = rows.iter().map(|row| row.1.clone()).collect();
        let front = pareto_front(&values, &tune.objective.maximize).into_iter();
        front
            .map(|place| TunedRow {
                row: self.table.rows[rows[place].0].row,
                objectives: values[place].clone(),
            })
            .collect()
    }

    /// The rows of the phase and the defaults, with their objectives; those that failed are left out.
    pub(super) fn tuned_values(&self, tune: &TunePhase<'_>) -> Vec<(usize, Vec<f64>)> {
        let rows = self.table.rows.iter().enumerate().filter(|(place, row)| tune.is_own(*place, row));
        let values = rows.filter_map(|(place, row)| match tune.objective.outcome(row, &tune.split.tuning) {
            TuneOutcome::Values(values) if values.iter().all(|x| x.is_finite()) => Some((place, values)),
            _ => None,
        });
        values.collect()
    }

    /// For each objective so much less is as good: a share of what values gain over the defaults.
    pub(super) fn tolerated(&self, tune: &TunePhase<'_>, values: &[f64], share: f64) -> Vec<f64> {
        let default = tune.objective.outcome(&self.table.rows[0], &tune.split.tuning);
        match default {
            TuneOutcome::Values(default) => {
                let gains = tune.objective.gains(values, &default);
                gains.into_iter().map(|gain| share * gain.max(0.0)).collect()
            }
            TuneOutcome::Failed => vec![0.0; values.len()],
        }
    }
}

/// Of the rows that no other row beats in all objectives that which is nearest to the best of each.
fn nearest_to_best<'r>(tune: &TunePhase<'_>, rows: &'r [(usize, Vec<f64>)]) -> Option<&'r (usize, Vec<f64>)> {
    let values: Vec<Vec<f64>> = rows.iter().map(|row| row.1.clone()).collect();
    let front = pareto_front(&values, &tune.objective.maximize);
    let ends = |i: usize| {
        let of = front.iter().map(|place| values[*place][i]);
        (of.clone().fold(f64::INFINITY, f64::min), of.fold(f64::NEG_INFINITY, f64::max))
    };
    let distance = |place: &usize| {
        (0..tune.objective.metrics.len()).fold(0.0, |most, i| {
            let (low, high) = ends(i);
            let best = if tune.objective.maximize[i] { high } else { low };
            let range = if high > low { high - low } else { 1.0 };
            f64::max(most, (values[*place][i] - best).abs() / range)
        })
    };
    let nearest = front.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    rows.get(*nearest)
}

/// Parameters that went back to their defaults at the end.
fn tune_returned(runner: &Runner<'_>, tune: &TunePhase<'_>, row: usize) -> Vec<String> {
    let table = &runner.table;
    if table.rows[row].role != "returned" {
        return Vec::new();
    }
    let before =
        runner.tuned_values(tune).into_iter().filter(|(place, _)| table.rows[*place].role != "returned");
    let best = before.max_by(|a, b| tune.objective.gain(a.1[0], b.1[0]).total_cmp(&0.0));
    let Some((best, _)) = best else { return Vec::new() };
    let (from, to) = (&table.rows[best].values, &table.rows[row].values);
    let gone = (0..from.len()).filter(|c| from[*c] != to[*c] && to[*c] == table.rows[0].values[*c]);
    gone.map(|column| table.parameters[column].clone()).collect()
}

/// What is said of metrics from 0 to 1 that fall by more than .02; those whose place is not among `others` are left out.
pub(super) fn fallen(metrics: &[TunedMetric], others: &[usize], on: &str) -> Vec<String> {
    const TOLERATED: f64 = 0.02;
    let said = |metric: &TunedMetric| {
        let (default, best) =
            metric.default.zip(metric.best).filter(|(default, best)| default - best > TOLERATED)?;
        Some(format!(
            "{} falls from {default:.3} to {best:.3} on {on}: the values are better only by what was tuned for.",
            metric.name
        ))
    };
    others.iter().filter_map(|place| metrics.get(*place).and_then(said)).collect()
}

fn nothing_found(phase: &str) -> EngineError {
    let error = Diagnostic::error(format!(
        "phase `{phase}` found no values: every row failed, also that of the defaults"
    ));
    error.with_hint("look at rows.csv for the failures").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_that_falls_by_more_than_2_hundredths_is_a_warning() {
        let metric = |name: &str, default, best| TunedMetric { name: name.into(), default, best };
        let metrics = [
            metric("object_f1", Some(0.5), Some(0.4)),
            metric("dice", Some(0.750), Some(0.725)),
            metric("jaccard", Some(0.750), Some(0.735)),
            metric("panoptic_quality", Some(0.5), None),
        ];
        let said = fallen(&metrics, &[1, 2, 3], "held-out images");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("dice falls from 0.750 to 0.725 on held-out images"), "{said:?}");
    }
}
