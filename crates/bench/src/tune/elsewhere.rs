//! How much of the gain is left on the other quadrants of the slides, which took no part.

use onceflow_study::TuneMethod;
use onceflow_terminal::Failure;

use super::evaluator::{TuneEvaluator, numbers};
use super::objective::{BenchObjective, our_tuner};
use super::sections::{SEEDS, figure, mean};
use super::tile::TuneTile;
use super::tissue::{TissueGoal, TissueObjective};
use crate::figure::{BenchFigure, Goal};
use crate::program::failed;

/// Rows that are tuned with.
const ROWS: usize = 100;
/// The least gain on the other quadrants of the slides that goals speak of.
const GAIN: f64 = 0.070;

pub(super) fn figures(
    objective: &mut TissueObjective,
    others: &[TuneTile],
    has_goals: bool,
) -> Result<Vec<BenchFigure>, Failure> {
    objective.goal = TissueGoal::ObjectF1;
    let mut evaluator = TuneEvaluator::new(others.to_vec());
    let defaults: Vec<f64> =
        objective.space().parameters().iter().filter_map(|p| p.default.as_ref()?.as_f64()).collect();
    let (known, unknown) = (objective.defaults().object_f1, evaluator.scores(&defaults).object_f1);
    let mut gains = [Vec::new(), Vec::new()];
    for seed in 0..SEEDS {
        let (score, row) = best_row(objective, seed)?;
        gains[0].push(score - known);
        gains[1].push(evaluator.scores(&row).object_f1 - unknown);
    }
    let goal = has_goals.then_some(Goal::AtLeast(GAIN));
    let on =
        |which: &str| format!("object F1, {ROWS} rows: gain over the defaults on {which}, mean of 10 seeds");
    Ok(vec![
        figure(on("the tiles tuned on"), mean(&gains[0]), "", None),
        figure(on("the other quadrants"), mean(&gains[1]), "", goal),
    ])
}

/// The best value and its row.
fn best_row(objective: &mut TissueObjective, seed: u64) -> Result<(f64, Vec<f64>), Failure> {
    let mut tuner = our_tuner(objective, TuneMethod::Auto, seed)?;
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..ROWS {
        let Some(row) = tuner.ask(1).pop() else { break };
        let values = objective.values(&row.values);
        if best.as_ref().is_none_or(|(score, _)| values[0] > *score) {
            best = Some((values[0], numbers(&row.values)));
        }
        let told = tuner.tell(row.number, &onceflow_sensitivity::TuneOutcome::Values(values));
        told.map_err(failed)?;
    }
    best.ok_or_else(|| failed("a tuner without rows"))
}
