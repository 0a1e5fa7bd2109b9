//! The policy `bounds`: how far could the indices move, had the failed rows given the smallest or largest output?

use super::range::ends;
use super::{Analyser, Findings};
use crate::{IndexEstimate, Indices};

/// Widens each interval to the hull of three: without the failed rows, and with each of them at either extreme.
pub(super) fn widen(findings: &mut Findings, analyser: &dyn Analyser, y: &[f64]) {
    let present = analyser.rows().iter().map(|row| y[*row]).filter(|y| y.is_finite());
    for extreme in <[f64; 2]>::from(ends(present)) {
        let filled: Vec<f64> = y.iter().map(|y| if y.is_nan() { extreme } else { *y }).collect();
        let mut other = analyser.analyse(&filled).indices;
        let others = estimates(&mut other);
        for (estimate, other) in estimates(&mut findings.indices).into_iter().zip(others) {
            hull(estimate, other);
        }
    }
    let policy = "; widened to what they would be were every failed row the smallest or the largest output";
    findings.interval.citation.push_str(policy);
}

/// The hull also holds the other point estimate, which may have no interval. `f64::min` passes over NaN.
pub(super) fn hull(estimate: &mut IndexEstimate, other: &IndexEstimate) {
    estimate.low = estimate.low.min(other.low).min(other.value);
    estimate.high = estimate.high.max(other.high).max(other.value);
}

/// All estimates with intervals, in a fixed order.
pub(super) fn estimates(indices: &mut Indices) -> Vec<&mut IndexEstimate> {
    match indices {
        Indices::Vbd { factors, pairs } => {
            let factors = factors.iter_mut().flat_map(|f| [&mut f.s1, &mut f.st]);
            factors.chain(pairs.iter_mut().map(|p| &mut p.s2)).collect()
        }
        Indices::Morris(factors) => factors.iter_mut().map(|f| &mut f.mu_star).collect(),
        Indices::Correlation(parameters) => parameters
            .iter_mut()
            .flat_map(|p| [&mut p.pearson, &mut p.spearman, &mut p.pcc, &mut p.prcc, &mut p.src, &mut p.srrc])
            .collect(),
        Indices::RbdFast(parameters) => parameters.iter_mut().map(|p| &mut p.s1).collect(),
        Indices::Delta(parameters) => parameters.iter_mut().flat_map(|p| [&mut p.delta, &mut p.s1]).collect(),
        Indices::Pawn(parameters) => parameters.iter_mut().map(|p| &mut p.median).collect(),
    }
}
