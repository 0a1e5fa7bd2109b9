//! How often intervals hold the exact index, and how wide they are beside SALib's at equal numbers of runs.

use onceflow_sensitivity::{HeldOut, IndexEstimate, Oracle};
use onceflow_terminal::Failure;

use super::peer::{PeerIndices, indices};
use super::{estimates, median, truth};
use crate::figure::{BenchFigure, Goal};
use crate::python::PythonPeer;

/// A function, base rows, seeds of ours (at least 2,000 indices each) and of the peer.
struct CoverCase {
    oracle: Oracle,
    base: u64,
    seeds: u64,
    peer_seeds: u64,
}

/// The functions on which choices were made, and those that took no part in any.
fn cases() -> Vec<CoverCase> {
    let case = |oracle, base, seeds, peer_seeds| CoverCase { oracle, base, seeds, peer_seeds };
    let tuned = [
        case(Oracle::Ishigami, 1024, 600, 200),
        case(Oracle::SobolG, 1024, 200, 80),
        case(Oracle::Morris20, 512, 80, 30),
        case(Oracle::RoughDiscrete, 1024, 300, 100),
    ];
    let held_out = HeldOut::ALL.map(|function| case(Oracle::HeldOut(function), 1024, 200, 100));
    tuned.into_iter().chain(held_out).collect()
}

/// Share of rows that fail in the second half of the figures.
const FAILURES: f64 = 0.05;

/// Cover with and without failures, and the ratio of half widths.
pub(super) fn figures(peer: Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for case in cases() {
        let CoverCase { oracle, base, seeds, peer_seeds } = case;
        let theirs = peer.map(|peer| indices(peer, oracle, base, peer_seeds)).transpose()?;
        let theirs: Option<Vec<IndexEstimate>> = theirs.map(|all| all.iter().flat_map(intervals).collect());
        let found = pooled(oracle, base, seeds, 0.0)?;
        let name = format!("{}, N={base}, {} index-seeds", oracle.name(), found.len());
        let held = BenchFigure {
            peer: theirs.as_ref().map(|theirs| share_held(oracle, theirs)),
            ..cover(format!("{name}: cover of 95 % intervals"), oracle, &found)
        };
        figures.push(held);
        let half = |of: &[IndexEstimate]| median(of.iter().map(IndexEstimate::half_width).collect());
        let median = format!("{name}: median half width");
        figures.push(width(median, oracle, half(&found), theirs.as_deref().map(half)));
        let failing = pooled(oracle, base, seeds, FAILURES)?;
        let cover = BenchFigure {
            goal: Some(Goal::AtLeast(0.93)),
            ..cover(format!("{name}: cover with 5 % of the rows failed"), oracle, &failing)
        };
        figures.push(cover);
    }
    Ok(figures)
}

fn intervals(found: &PeerIndices) -> Vec<IndexEstimate> {
    let around =
        |(value, half): (&f64, &f64)| IndexEstimate { value: *value, low: value - half, high: value + half };
    found.values.iter().zip(&found.half_widths).map(around).collect()
}

fn pooled(oracle: Oracle, base: u64, seeds: u64, failures: f64) -> Result<Vec<IndexEstimate>, Failure> {
    let mut all = Vec::new();
    for seed in 0..seeds {
        all.extend(estimates(oracle, base, seed, |row| chance(seed, row) < failures)?);
    }
    Ok(all)
}

/// At least so many hold the truth; on functions on which choices were made, also at most so many.
fn cover(name: String, oracle: Oracle, found: &[IndexEstimate]) -> BenchFigure {
    let goal = match oracle {
        Oracle::HeldOut(_) => Goal::AtLeast(0.93),
        _ => Goal::Between(0.93, 0.97),
    };
    BenchFigure { name, value: share_held(oracle, found), unit: "share", goal: Some(goal), peer: None }
}

fn share_held(oracle: Oracle, found: &[IndexEstimate]) -> f64 {
    let truth = truth(oracle);
    let held = found.iter().zip(truth.iter().cycle()).filter(|(e, t)| e.low <= **t && **t <= e.high).count();
    held as f64 / found.len() as f64
}

/// Beside the peer's, what may be left; outputs that a polynomial does not follow must not be wider.
fn width(name: String, oracle: Oracle, half: f64, peer: Option<f64>) -> BenchFigure {
    let most = if matches!(oracle, Oracle::HeldOut(_)) { 1.0 } else { 0.6 };
    BenchFigure { name, value: half, unit: "share", goal: peer.map(|peer| Goal::AtMost(most * peer)), peer }
}

/// A number in [0, 1) that depends on seed and row and has nothing to do with the sample (SplitMix64's mixing).
fn chance(seed: u64, row: usize) -> f64 {
    let mut z = (seed << 32 | row as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
