//! Durations of a size that was not measured, from those of other sizes.

use super::curve::{Outside, ScalingCurve};
use super::error::ScalingError;
use super::slabs::{Decomposition, SlabModel};
use super::spline::QuadraticSpline;

/// A measured size: how much work it is, and its curve.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeCurve {
    /// Its work, in whatever unit the task declares.
    pub work: f64,
    /// Its durations by number of nodes.
    pub curve: ScalingCurve,
    /// How its domain is cut, if the task says so.
    pub cut: Option<Decomposition>,
}

/// How durations of an unseen size are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SizeMethod {
    /// A quadratic spline over work for each number of nodes.
    Quadratic,
    /// A power of the work for each number of nodes, between the two nearest sizes.
    Power,
    /// The rule of slabs, fitted to all sizes at once.
    Slabs,
}

impl SizeMethod {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Quadratic => "quadratic over sizes",
            Self::Power => "power of the work",
            Self::Slabs => "slabs over sizes",
        }
    }

    /// The curve of a size that was not measured.
    pub(super) fn curve(
        self,
        sizes: &[SizeCurve],
        work: f64,
        cut: Option<Decomposition>,
    ) -> Result<ScalingCurve, ScalingError> {
        match self {
            Self::Quadratic => quadratic_over_sizes(sizes, work),
            Self::Power => power_over_sizes(sizes, work),
            Self::Slabs => slabs_over_sizes(sizes, work, cut),
        }
    }
}

/// For each number of nodes that every size has, the quadratic spline over work; through two sizes the line, and with one
/// in proportion to the work.
///
/// # Errors
/// When the sizes have no number of nodes in common, or an estimate is not above 0.
pub fn quadratic_over_sizes(sizes: &[SizeCurve], work: f64) -> Result<ScalingCurve, ScalingError> {
    over_sizes(sizes, |points| match points {
        [] => None,
        [(at, seconds)] => Some(seconds * work / at),
        [a, b] => Some(a.1 + (b.1 - a.1) * (work - a.0) / (b.0 - a.0)),
        _ => Some(QuadraticSpline::through(points)?.at(work)),
    })
}

/// Between the two nearest sizes the power of the work through both; beyond them, or with one size, in proportion.
fn power_over_sizes(sizes: &[SizeCurve], work: f64) -> Result<ScalingCurve, ScalingError> {
    over_sizes(sizes, |points| {
        let after = points.partition_point(|point| point.0 < work);
        let (Some(a), Some(b)) = (after.checked_sub(1).and_then(|at| points.get(at)), points.get(after))
        else {
            let nearest = if after == 0 { points.first() } else { points.last() };
            return nearest.map(|(at, seconds)| seconds * work / at);
        };
        let share = libm::log(work / a.0) / libm::log(b.0 / a.0);
        Some(a.1 * libm::pow(b.1 / a.1, share))
    })
}

fn over_sizes(
    sizes: &[SizeCurve],
    estimate: impl Fn(&[(f64, f64)]) -> Option<f64>,
) -> Result<ScalingCurve, ScalingError> {
    let first = sizes.first().ok_or(ScalingError::NothingCommon)?;
    let mut found = Vec::new();
    for (nodes, _) in first.curve.points() {
        let points: Option<Vec<(f64, f64)>> =
            sizes.iter().map(|size| Some((size.work, size.curve.measured(*nodes)?))).collect();
        let Some(mut points) = points else { continue };
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.extend(estimate(&points).map(|seconds| (*nodes, seconds)));
    }
    if found.is_empty() {
        return Err(ScalingError::NothingCommon);
    }
    ScalingCurve::new(found)
}

/// The rule fitted to all sizes, with what the nearest sizes differ from it.
fn slabs_over_sizes(
    sizes: &[SizeCurve],
    work: f64,
    cut: Option<Decomposition>,
) -> Result<ScalingCurve, ScalingError> {
    let cuts: Option<Vec<(&Decomposition, f64, &ScalingCurve)>> =
        sizes.iter().map(|size| Some((size.cut.as_ref()?, size.work, &size.curve))).collect();
    let (Some(cuts), Some(cut)) = (cuts, cut) else { return Err(ScalingError::NothingCommon) };
    let model = SlabModel::fitted(cuts.iter().copied()).ok_or(ScalingError::NothingCommon)?;
    let most = sizes.iter().map(|size| size.curve.ends().1.0).max().unwrap_or(1);
    let least = sizes.iter().map(|size| size.curve.ends().0.0).min().unwrap_or(1);
    let ratio = |nodes: u64| -> Option<f64> {
        let near = |(own, at, curve): &(&Decomposition, f64, &ScalingCurve)| {
            let seconds = own.estimate(curve, nodes, Outside::Hold).ok()?;
            Some((seconds / model.at(own, nodes, *at), libm::log(work / at).abs()))
        };
        let ratios: Vec<(f64, f64)> = cuts.iter().filter_map(near).collect();
        let weight = |distance: f64| 1.0 / (distance + 0.05);
        let all: f64 = ratios.iter().map(|(_, distance)| weight(*distance)).sum();
        let sum: f64 = ratios.iter().map(|(ratio, distance)| libm::log(*ratio) * weight(*distance)).sum();
        (all > 0.0).then(|| libm::exp(sum / all))
    };
    let point = |nodes: u64| (nodes, model.at(&cut, nodes, work) * ratio(nodes).unwrap_or(1.0));
    ScalingCurve::new((least..=most.min(least.saturating_add(MOST_NODES))).map(point))
}

/// More nodes of one task are not looked at one by one.
const MOST_NODES: u64 = 4096;
