//! How often intervals hold the exact index, and how wide they are beside SALib's at equal numbers of runs.

use onceflow_sensitivity::{IndexEstimate, Oracle};
use onceflow_terminal::Failure;

use super::peer::indices;
use super::{estimates, median, truth};
use crate::figure::{BenchFigure, Goal};
use crate::python::PythonPeer;

/// An oracle, base rows and seeds: at least 2,000 indices each.
const CASES: [(Oracle, u64, u64); 4] = [
    (Oracle::Ishigami, 1024, 600),
    (Oracle::SobolG, 1024, 200),
    (Oracle::Morris20, 512, 80),
    (Oracle::RoughDiscrete, 1024, 300),
];

/// Seeds of the peer: its half widths hardly differ between them.
const PEER_SEEDS: u64 = 5;

/// Share of rows that fail in the second half of the figures.
const FAILURES: f64 = 0.05;

/// Cover with and without failures, and the ratio of half widths.
pub(super) fn figures(peer: Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for (oracle, base, seeds) in CASES {
        let found = pooled(oracle, base, seeds, 0.0)?;
        let name = format!("{}, N={base}, {} index-seeds", oracle.name(), found.len());
        figures.push(cover(format!("{name}: cover of 95 % intervals"), oracle, &found));
        let half = median(found.iter().map(IndexEstimate::half_width).collect());
        figures.push(width(format!("{name}: median half width"), half, peer_half_width(peer, oracle, base)?));
        let failing = pooled(oracle, base, seeds, FAILURES)?;
        let cover = BenchFigure {
            goal: Some(Goal::AtLeast(0.93)),
            ..cover(format!("{name}: cover with 5 % of the rows failed"), oracle, &failing)
        };
        figures.push(cover);
    }
    Ok(figures)
}

fn pooled(oracle: Oracle, base: u64, seeds: u64, failures: f64) -> Result<Vec<IndexEstimate>, Failure> {
    let mut all = Vec::new();
    for seed in 0..seeds {
        all.extend(estimates(oracle, base, seed, |row| chance(seed, row) < failures)?);
    }
    Ok(all)
}

fn cover(name: String, oracle: Oracle, found: &[IndexEstimate]) -> BenchFigure {
    let truth = truth(oracle);
    let held = found.iter().zip(truth.iter().cycle()).filter(|(e, t)| e.low <= **t && **t <= e.high).count();
    let value = held as f64 / found.len() as f64;
    BenchFigure { name, value, unit: "share", goal: Some(Goal::Between(0.93, 0.97)), peer: None }
}

fn width(name: String, half: f64, peer: Option<f64>) -> BenchFigure {
    BenchFigure { name, value: half, unit: "share", goal: peer.map(|peer| Goal::AtMost(0.6 * peer)), peer }
}

fn peer_half_width(peer: Option<&PythonPeer>, oracle: Oracle, base: u64) -> Result<Option<f64>, Failure> {
    let Some(peer) = peer else { return Ok(None) };
    let mut all = Vec::new();
    for seed in 0..PEER_SEEDS {
        all.extend(indices(peer, oracle, base, seed)?.half_widths);
    }
    Ok(Some(median(all)))
}

/// A number in [0, 1) that depends on seed and row and has nothing to do with the sample (SplitMix64's mixing).
fn chance(seed: u64, row: usize) -> f64 {
    let mut z = (seed << 32 | row as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
