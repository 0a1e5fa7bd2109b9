//! Errors of the indices of the Ishigami function, over twenty seeds.

use onceflow_sensitivity::Oracle;
use onceflow_terminal::Failure;

use super::peer::indices;
use super::{estimates, truth};
use crate::figure::{BenchFigure, Goal};
use crate::python::PythonPeer;

const BASE: u64 = 8192;
const SEEDS: u64 = 20;

/// The worst error of any index and seed.
pub(super) fn figures(peer: Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure> {
    let ours = worst(|seed| {
        Ok(estimates(Oracle::Ishigami, BASE, seed, |_| false)?.iter().map(|e| e.value).collect())
    })?;
    let theirs = match peer {
        Some(peer) => {
            let found = indices(peer, Oracle::Ishigami, BASE, SEEDS)?;
            Some(worst(|seed| Ok(found[seed as usize].values.clone()))?)
        }
        None => None,
    };
    let figure = |name: &str, order: usize, goal: f64| BenchFigure {
        name: format!("Ishigami, N=8192, 20 seeds: worst {name} error"),
        value: ours[order],
        unit: "share",
        goal: Some(Goal::AtMost(goal)),
        peer: theirs.map(|worst| worst[order]),
    };
    Ok(vec![figure("S1", 0, 0.01), figure("ST", 1, 0.005)])
}

/// Largest error of first-order and of total indices.
fn worst(indices: impl Fn(u64) -> Result<Vec<f64>, Failure>) -> Result<[f64; 2], Failure> {
    let truth = truth(Oracle::Ishigami);
    let mut worst = [0.0_f64; 2];
    for seed in 0..SEEDS {
        for (place, (found, exact)) in indices(seed)?.iter().zip(&truth).enumerate() {
            let order = usize::from(2 * place >= truth.len());
            worst[order] = worst[order].max((found - exact).abs());
        }
    }
    Ok(worst)
}
