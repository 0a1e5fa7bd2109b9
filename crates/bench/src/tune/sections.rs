//! What sections share: figures, means, and the runs of all seeds.

use onceflow_study::TuneMethod;
use onceflow_terminal::Failure;

use super::objective::{BenchObjective, TuneCurve, our_curve};
use super::peer::TunePeers;
use crate::figure::{BenchFigure, Goal};

/// Seeds of every comparison.
pub(super) const SEEDS: u64 = 10;

pub(super) fn figure(
    name: impl Into<String>,
    value: f64,
    unit: &'static str,
    goal: Option<Goal>,
) -> BenchFigure {
    BenchFigure { name: name.into(), value, unit, goal, peer: None }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

pub(super) fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The default method from each seed.
pub(super) fn ours(objective: &mut dyn BenchObjective, rows: usize) -> Result<Vec<TuneCurve>, Failure> {
    (0..SEEDS).map(|seed| our_curve(objective, TuneMethod::Auto, seed, rows)).collect()
}

/// Tuners of others from each seed; only those that are installed.
pub(super) fn theirs(
    objective: &mut dyn BenchObjective,
    peers: Option<&TunePeers>,
    tuners: &[&'static str],
    rows: usize,
) -> Result<Vec<(&'static str, Vec<TuneCurve>)>, Failure> {
    let Some(peers) = peers else { return Ok(Vec::new()) };
    let installed = tuners.iter().filter(|tuner| peers.has(tuner));
    let run = |tuner: &&'static str| {
        // Without a short list of points a Gaussian process in Python takes half a second for each.
        let rows = if *tuner == "gp" { rows.min(MOST_SLOW_ROWS) } else { rows };
        let seeds = (0..SEEDS).map(|seed| peers.curve(objective, tuner, seed, rows));
        Ok((*tuner, seeds.collect::<Result<_, Failure>>()?))
    };
    installed.map(run).collect()
}

/// Rows of a peer that takes half a second for each.
pub(super) const MOST_SLOW_ROWS: usize = 100;

/// The best values after so many rows, seed by seed.
pub(super) fn best_after(curves: &[TuneCurve], rows: usize) -> Vec<f64> {
    curves.iter().map(|curve| curve.best(rows)).collect()
}

/// What a tuner is called in figures.
pub(super) fn title(tuner: &str) -> &'static str {
    match tuner {
        "tpe" => "Optuna TPE",
        "cma-es" => "Optuna CMA-ES",
        "gp" => "Optuna GP",
        "ga" => "pymoo GA",
        "nsga-ii" => "pymoo NSGA-II",
        _ => "Nevergrad NGOpt",
    }
}
