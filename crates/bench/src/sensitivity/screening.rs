//! Intervals of Morris's mu*: how often they hold the mean absolute effect of a very long run.

use onceflow_sensitivity::{
    AnalysisOptions, IndexEstimate, Indices, Oracle, Outputs, Technique, analyze, sample,
};
use onceflow_study::{Design, Method, MorrisDesign, Trajectories};
use onceflow_terminal::Failure;

use super::{evaluate, ours, space_of};
use crate::figure::{BenchFigure, Goal};
use crate::python::PythonPeer;

/// Trajectories of a study, of the long run, and seeds: 2,000 indices of the 20 inputs.
const TRAJECTORIES: u64 = 20;
const LONG: u64 = 20_000;
const SEEDS: u64 = 100;

/// Cover of mu* of Morris's own function.
pub(super) fn figures(_: Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure> {
    let oracle = Oracle::Morris20;
    let truth: Vec<f64> = mu_star(oracle, LONG, u64::MAX)?.iter().map(|e| e.value).collect();
    let (mut held, mut all) = (0, 0);
    for seed in 0..SEEDS {
        for (found, truth) in mu_star(oracle, TRAJECTORIES, seed)?.iter().zip(&truth) {
            held += usize::from(found.low <= *truth && *truth <= found.high);
            all += 1;
        }
    }
    let name = format!(
        "{}, {TRAJECTORIES} trajectories, {all} index-seeds: cover of 95 % intervals of mu*",
        oracle.name()
    );
    let goal = Some(Goal::Between(0.93, 0.97));
    Ok(vec![BenchFigure { name, value: held as f64 / all as f64, unit: "share", goal, peer: None }])
}

fn mu_star(oracle: Oracle, trajectories: u64, seed: u64) -> Result<Vec<IndexEstimate>, Failure> {
    let space = space_of(oracle)?;
    let method = Method::Morris(MorrisDesign {
        trajectories,
        values: MorrisDesign::VALUES,
        kind: Trajectories::Plain,
    });
    let rows = sample(&space, &Design { method, seed }).map_err(ours)?;
    let outputs = Outputs::single("y", evaluate(&rows, |x| oracle.evaluate(x)));
    let analysis =
        analyze(&space, &rows, &outputs, &AnalysisOptions::new(Technique::Morris)).map_err(ours)?;
    match analysis.outputs.first().map(|output| &output.indices) {
        Some(Indices::Morris(found)) => Ok(found.iter().map(|index| index.mu_star).collect()),
        _ => Err(Failure::internal("a Morris analysis without Morris's indices")),
    }
}
