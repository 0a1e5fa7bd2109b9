//! Ways to estimate durations between measured numbers of nodes of one size.

use super::curve::{Outside, ScalingCurve};
use super::error::ScalingError;
use super::slabs::Decomposition;

/// How durations between measured numbers of nodes are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalingMethod {
    /// Straight lines.
    Linear,
    /// Straight lines between logarithms: shares of the duration by shares of the nodes.
    Power,
    /// A smooth curve between logarithms that rises and falls only where the points do (Fritsch and Carlson 1980).
    Smooth,
    /// The steps of a domain that is cut into slabs.
    Slabs(Decomposition),
}

impl ScalingMethod {
    /// Its word in files and messages.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Power => "power",
            Self::Smooth => "smooth",
            Self::Slabs(_) => "slabs",
        }
    }

    /// The duration on so many nodes.
    ///
    /// # Errors
    /// Outside the measured numbers, when those are refused.
    pub fn estimate(&self, curve: &ScalingCurve, nodes: u64, outside: Outside) -> Result<f64, ScalingError> {
        if curve.measured(nodes).is_some() {
            return curve.linear(nodes, outside);
        }
        let (first, last) = curve.ends();
        let is_inside = (first.0..=last.0).contains(&nodes);
        match self {
            Self::Slabs(cut) => cut.estimate(curve, nodes, outside),
            Self::Power if is_inside => Ok(power(curve, nodes)),
            Self::Smooth if is_inside => Ok(smooth(curve, nodes)),
            _ => curve.linear(nodes, outside),
        }
    }
}

fn logarithms(curve: &ScalingCurve) -> Vec<(f64, f64)> {
    curve.points().iter().map(|(nodes, seconds)| (libm::log(*nodes as f64), libm::log(*seconds))).collect()
}

/// The places before and after one, and its share of the way between them.
fn between(points: &[(f64, f64)], x: f64) -> (usize, f64) {
    let after = points.partition_point(|point| point.0 < x).clamp(1, points.len() - 1);
    let (a, b) = (points[after - 1], points[after]);
    (after - 1, (x - a.0) / (b.0 - a.0))
}

fn power(curve: &ScalingCurve, nodes: u64) -> f64 {
    let points = logarithms(curve);
    let (at, share) = between(&points, libm::log(nodes as f64));
    libm::exp(points[at].1 + (points[at + 1].1 - points[at].1) * share)
}

fn smooth(curve: &ScalingCurve, nodes: u64) -> f64 {
    let points = logarithms(curve);
    let (at, share) = between(&points, libm::log(nodes as f64));
    let width = points[at + 1].0 - points[at].0;
    let [before, after] = [at, at + 1].map(|place| slope(&points, place) * width);
    let (a, b) = (points[at].1, points[at + 1].1);
    let (second, third) = (share * share, share * share * share);
    let value = a * (2.0 * third - 3.0 * second + 1.0)
        + before * (third - 2.0 * second + share)
        + b * (3.0 * second - 2.0 * third)
        + after * (third - second);
    libm::exp(value)
}

/// The weighted harmonic mean of the slopes on both sides; level where they differ in sign, straight at the ends.
fn slope(points: &[(f64, f64)], at: usize) -> f64 {
    let straight =
        |from: usize| (points[from + 1].1 - points[from].1) / (points[from + 1].0 - points[from].0);
    if at == 0 {
        return straight(0);
    }
    if at + 1 == points.len() {
        return straight(at - 1);
    }
    let (left, right) = (straight(at - 1), straight(at));
    if left * right <= 0.0 {
        return 0.0;
    }
    let (before, after) = (points[at].0 - points[at - 1].0, points[at + 1].0 - points[at].0);
    let weights = (2.0 * after + before, after + 2.0 * before);
    (weights.0 + weights.1) / (weights.0 / left + weights.1 / right)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_power_law_is_met_by_powers() {
        let curve = ScalingCurve::new([1u64, 2, 8, 32].map(|n| (n, 100.0 * (n as f64).powf(-0.8)))).unwrap();
        for method in [ScalingMethod::Power, ScalingMethod::Smooth] {
            let found = method.estimate(&curve, 16, Outside::Refuse).unwrap();
            assert!((found - 100.0 * 16f64.powf(-0.8)).abs() < 1e-9, "{method:?}: {found}");
        }
    }

    #[test]
    fn steps_are_met_by_the_rule_that_makes_them() {
        let cut = Decomposition { planes: 1024, cores: 36 };
        let seconds = |nodes: u64| 30.0 * 1024.0 / cut.ranks(nodes) as f64 + 3.0;
        let curve = ScalingCurve::new([1, 2, 4, 8, 15, 22, 29, 32].map(|n| (n, seconds(n)))).unwrap();
        for nodes in 1..=32 {
            let found = ScalingMethod::Slabs(cut).estimate(&curve, nodes, Outside::Refuse).unwrap();
            assert!((found / seconds(nodes) - 1.0).abs() < 0.01, "{nodes}: {found}, {}", seconds(nodes));
        }
    }

    proptest! {
        #[test]
        fn between_two_points_estimates_stay_between_them(
            points in proptest::collection::btree_map(1u64..100, 0.01f64..1e6, 2..9), nodes in 1u64..100,
        ) {
            let curve = ScalingCurve::new(points.clone()).unwrap();
            for method in [ScalingMethod::Linear, ScalingMethod::Power, ScalingMethod::Smooth] {
                let Ok(found) = method.estimate(&curve, nodes, Outside::Refuse) else { continue };
                let (before, after) = (points.range(..=nodes).next_back().unwrap(), points.range(nodes..).next().unwrap());
                let (low, high) = (before.1.min(*after.1), before.1.max(*after.1));
                prop_assert!(found >= low * (1.0 - 1e-9) && found <= high * (1.0 + 1e-9), "{method:?} {found}");
            }
        }
    }
}
