//! What it costs to reach a value, proposals and rows together, and what reuse leaves of a row's cost.

use onceflow_study::TuneMethod;
use onceflow_terminal::Failure;

use super::objective::{TuneCurve, our_curve};
use super::peer::TunePeers;
use super::sections::{SEEDS, best_after, figure, mean};
use super::tissue::{TissueGoal, TissueObjective};
use crate::figure::{BenchFigure, Goal};

/// Rows of the tuner whose value is to be reached.
const ROWS: usize = 400;

pub(super) fn figures(
    objective: &mut TissueObjective,
    peers: Option<&TunePeers>,
) -> Result<Vec<BenchFigure>, Failure> {
    objective.goal = TissueGoal::ObjectF1;
    let mut figures = reuse(objective)?;
    if let Some(peers) = peers.filter(|peers| peers.has("tpe")) {
        figures.extend(to_value(objective, peers)?);
    }
    Ok(figures)
}

/// The processor time of rows with results kept, over that without.
fn reuse(objective: &mut TissueObjective) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for (rows, goal) in [(100, 1.0 / 3.0), (400, 1.0 / 6.0)] {
        let mut spent = [0.0; 2];
        for (reuses, spent) in [true, false].into_iter().zip(&mut spent) {
            objective.evaluator.forget(reuses);
            let before = objective.spent;
            our_curve(objective, TuneMethod::Auto, 1, rows)?;
            *spent = objective.spent - before;
        }
        objective.evaluator.forget(true);
        let name = format!("time of a row, first {rows} rows: of that without reuse");
        figures.push(figure(name, spent[0] / spent[1], "of 1", Some(Goal::AtMost(goal))));
    }
    Ok(figures)
}

/// Each with the same evaluator, which begins empty for every seed.
fn to_value(objective: &mut TissueObjective, peers: &TunePeers) -> Result<Vec<BenchFigure>, Failure> {
    let mut theirs = Vec::new();
    let mut their_time = Vec::new();
    for seed in 0..SEEDS {
        objective.evaluator.forget(true);
        let before = objective.spent;
        let curve = peers.curve(objective, "tpe", seed, ROWS)?;
        their_time.push(objective.spent - before + curve.own);
        theirs.push(curve);
    }
    let value = mean(&best_after(&theirs, ROWS));
    let our_time =
        (0..SEEDS).map(|seed| until(objective, seed, value)).collect::<Result<Vec<f64>, Failure>>()?;
    let reached = figure(
        format!("processor time until object F1 {value:.4}, which Optuna TPE has after {ROWS} rows"),
        mean(&our_time) / 1e3,
        "s",
        Some(Goal::Ratio(7.0)),
    );
    Ok(vec![BenchFigure { peer: Some(mean(&their_time) / 1e3), ..reached }])
}

/// Milliseconds until a value is reached, or of all rows that were tried for it.
fn until(objective: &mut TissueObjective, seed: u64, value: f64) -> Result<f64, Failure> {
    objective.evaluator.forget(true);
    let before = objective.spent;
    let mut tuner = super::objective::our_tuner(objective, TuneMethod::Auto, seed)?;
    let mut all = TuneCurve::default();
    while all.rows.len() < ROWS && all.rows_to(value).is_none() {
        let more = super::objective::more_rows(objective, &mut tuner, 1)?;
        if more.rows.is_empty() {
            break;
        }
        all.own += more.own;
        all.rows.extend(more.rows);
    }
    Ok(objective.spent - before + all.own)
}
