//! Which method estimates best: each measured point is estimated from the others.

use super::curve::{Outside, ScalingCurve};
use super::method::ScalingMethod;
use super::slabs::Decomposition;

/// What estimates were, beside what was measured: measured / estimated of each point that was left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AroundEstimate {
    /// From small to large.
    ratios: Vec<f64>,
}

impl AroundEstimate {
    pub(super) fn new(pairs: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut ratios: Vec<f64> = pairs
            .into_iter()
            .map(|(measured, estimated)| measured / estimated)
            .filter(|r| r.is_finite())
            .collect();
        ratios.sort_by(f64::total_cmp);
        Self { ratios }
    }

    /// The mean of |measured - estimated| / measured, if points were left out.
    pub fn error(&self) -> Option<f64> {
        let sum: f64 = self.ratios.iter().map(|ratio| (1.0 - 1.0 / ratio).abs()).sum();
        (!self.ratios.is_empty()).then(|| sum / self.ratios.len() as f64)
    }

    /// Factors of an estimate below which this share of measurements lies. With few points the farthest counts.
    pub fn quantile(&self, share: f64) -> f64 {
        let count = self.ratios.len();
        if count == 0 {
            return if share > 0.5 { UNKNOWN } else { 1.0 / UNKNOWN };
        }
        let place = share.clamp(0.0, 1.0) * (count as f64 + 1.0) - 1.0;
        let low = place.floor().clamp(0.0, count as f64 - 1.0);
        let high = place.ceil().clamp(0.0, count as f64 - 1.0);
        let (below, above) = (self.ratios[low as usize], self.ratios[high as usize]);
        below + (above - below) * (place - low).clamp(0.0, 1.0)
    }
}

/// A factor for estimates that no measured point could check.
const UNKNOWN: f64 = 1.25;

/// Estimates each inner point from the others by a method.
pub fn leave_one_out(curve: &ScalingCurve, method: ScalingMethod) -> AroundEstimate {
    let count = curve.points().len();
    let inner = 1..count.saturating_sub(1);
    let pair = |at: usize| {
        let (nodes, measured) = curve.points()[at];
        let others = curve.without(at)?;
        Some((measured, method.estimate(&others, nodes, Outside::Refuse).ok()?))
    };
    AroundEstimate::new(inner.filter_map(pair))
}

/// Cores of usual nodes, tried where their number is not declared.
const USUAL_CORES: [u64; 16] = [8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 96, 128];
/// A rule that is not declared must halve the error of the others.
const CLEARLY: f64 = 0.5;
/// A fit has as many free numbers as features; fewer points say nothing.
const ENOUGH_FOR_RULE: usize = 7;

/// The method with the least leave-one-out error, straight lines if none is better.
pub(super) fn chosen(
    curve: &ScalingCurve,
    declared: Option<Decomposition>,
    planes: Option<u64>,
) -> (ScalingMethod, AroundEstimate) {
    let with_error = |method: ScalingMethod| {
        let around = leave_one_out(curve, method);
        (around.error().unwrap_or(f64::INFINITY), method, around)
    };
    let plain = [ScalingMethod::Linear, ScalingMethod::Power, ScalingMethod::Smooth];
    let mut best = least(plain.into_iter().map(with_error));
    if let Some(declared) = declared {
        best = least([best.clone(), with_error(ScalingMethod::Slabs(declared))].into_iter());
    } else if let Some(planes) = planes.filter(|_| curve.points().len() >= ENOUGH_FOR_RULE) {
        let cuts = USUAL_CORES.map(|cores| ScalingMethod::Slabs(Decomposition { planes, cores }));
        let guessed = longest(curve, cuts.into_iter().map(with_error).collect());
        if guessed.0 < CLEARLY * best.0 {
            best = guessed;
        }
    }
    (best.1, best.2)
}

/// The cores of a node by which cubes of several sizes are cut, where they are not declared: those that estimate the points of
/// all curves from each other with half the error of other methods.
pub(super) fn guessed_cores(curves: &[(u64, &ScalingCurve)]) -> Option<u64> {
    let total = |method: &dyn Fn(u64) -> ScalingMethod| -> f64 {
        let error = |(planes, curve): &(u64, &ScalingCurve)| leave_one_out(curve, method(*planes)).error();
        curves.iter().map(|curve| error(curve).unwrap_or(f64::INFINITY)).sum()
    };
    if curves.iter().any(|(_, curve)| curve.points().len() < ENOUGH_FOR_RULE) {
        return None;
    }
    let plain = [ScalingMethod::Linear, ScalingMethod::Power, ScalingMethod::Smooth];
    let plain = plain.into_iter().map(|method| total(&|_| method)).fold(f64::INFINITY, f64::min);
    let tried = USUAL_CORES
        .map(|cores| (total(&|planes| ScalingMethod::Slabs(Decomposition { planes, cores })), cores));
    let (error, cores) = tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    (error < CLEARLY * plain).then_some(cores)
}

type Tried = (f64, ScalingMethod, AroundEstimate);

/// Of those with about the least error, the one with the longest durations: points at the beginnings of steps do not tell
/// where the steps before them end, and a limit that is too short costs more than one that is too long.
fn longest(curve: &ScalingCurve, tried: Vec<Tried>) -> Tried {
    let bound = 1.25 * least(tried.iter().cloned()).0;
    let (first, last) = (curve.ends().0.0, curve.ends().1.0);
    let step = ((last - first) / MOST_LOOKED_AT).max(1) as usize;
    let total = |method: &ScalingMethod| -> f64 {
        let nodes = (first..=last).step_by(step);
        nodes.filter_map(|nodes| method.estimate(curve, nodes, Outside::Refuse).ok()).sum()
    };
    let near = tried.into_iter().filter(|(error, _, _)| *error <= bound);
    let longest = near.map(|tried| (total(&tried.1), tried));
    let none = (f64::NEG_INFINITY, (f64::INFINITY, ScalingMethod::Linear, AroundEstimate::default()));
    longest.fold(none, |best, next| if next.0 > best.0 { next } else { best }).1
}

/// Numbers of nodes at which two guesses are compared.
const MOST_LOOKED_AT: u64 = 128;

/// The first of those with the least error.
fn least(tried: impl Iterator<Item = Tried>) -> Tried {
    let none = (f64::INFINITY, ScalingMethod::Linear, AroundEstimate::default());
    tried.fold(none, |best, next| if next.0 < best.0 { next } else { best })
}
