//! Estimates for one task type on one machine: of seen sizes along nodes, of unseen sizes from the others.

use std::collections::BTreeSet;

use super::choice::{AroundEstimate, chosen, guessed_cores};
use super::curve::{Outside, ScalingCurve, limit};
use super::error::ScalingError;
use super::method::ScalingMethod;
use super::sizes::{SizeCurve, SizeMethod};
use super::slabs::Decomposition;
use super::transfer::MovedCurve;

/// How the work of a task grows with its input.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Complexity {
    /// In proportion.
    Linear,
    /// n log n, as Fourier transforms.
    #[default]
    NLogN,
    /// A power of it.
    Power(f64),
}

/// What is known of a task beside its measurements, and what is wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EstimateOptions {
    /// Estimates outside the measured numbers of nodes.
    pub outside: Outside,
    /// How work grows with size.
    pub complexity: Complexity,
    /// Cores of a node, when the task's domain is a cube that is cut into slabs.
    pub slab_cores: Option<u64>,
    /// Whether more nodes never take longer.
    pub monotone: bool,
    /// The share of tasks that end within [`ScalingEstimate::upper`].
    pub quantile: f64,
    /// The method along nodes; otherwise the one with the least leave-one-out error.
    pub method: Option<ScalingMethod>,
}

impl Default for EstimateOptions {
    fn default() -> Self {
        Self {
            outside: Outside::Refuse,
            complexity: Complexity::default(),
            slab_cores: None,
            monotone: false,
            quantile: 0.9,
            method: None,
        }
    }
}

/// How long a task is expected to take. Eight of ten are expected between `low` and `high`.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingEstimate {
    /// The duration.
    pub seconds: f64,
    /// One of ten is shorter.
    pub low: f64,
    /// One of ten is longer.
    pub high: f64,
    /// So long suffices for the wanted share.
    pub upper: f64,
    /// The way it was estimated.
    pub method: String,
    /// The mean relative error of this way on the measured points, each estimated from the others.
    pub error: Option<f64>,
    /// Measured points that it rests on.
    pub points: usize,
}

/// Estimates from the curves of one task type on one machine, by size.
#[derive(Clone, Debug)]
pub struct ScalingEstimator {
    /// Sizes with their curves.
    sizes: Vec<(f64, ScalingCurve)>,
    /// Sizes of few points, with the curves of another machine.
    moved: Vec<(f64, MovedCurve)>,
    options: EstimateOptions,
}

impl Complexity {
    /// The work of a size.
    pub fn work(self, size: f64) -> f64 {
        match self {
            Self::Linear => size,
            Self::NLogN => size * libm::log2(size.max(2.0)),
            Self::Power(power) => libm::pow(size, power),
        }
    }
}

impl ScalingEstimate {
    /// The limit to request: for the wanted share of tasks, with a margin.
    pub fn limit(&self, margin: f64) -> u64 {
        limit(self.upper.max(self.seconds), margin)
    }
}

impl ScalingEstimator {
    /// An estimator from curves by size.
    ///
    /// # Errors
    /// When there are none.
    pub fn new(sizes: Vec<(f64, ScalingCurve)>, options: EstimateOptions) -> Result<Self, ScalingError> {
        Self::with_moved(sizes, Vec::new(), options)
    }

    /// The same with curves of other machines where there are few points.
    pub(super) fn with_moved(
        mut sizes: Vec<(f64, ScalingCurve)>,
        moved: Vec<(f64, MovedCurve)>,
        options: EstimateOptions,
    ) -> Result<Self, ScalingError> {
        if sizes.is_empty() {
            return Err(ScalingError::Empty { task: "the task".into(), proposed: "1, 2, 4 and 8".into() });
        }
        for (size, moved) in &moved {
            sizes
                .iter_mut()
                .filter(|(known, _)| known == size)
                .for_each(|(_, curve)| *curve = moved.curve().clone());
        }
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        if options.monotone {
            for (_, curve) in &mut sizes {
                *curve = falling(curve)?;
            }
        }
        Ok(Self { sizes, moved, options })
    }

    /// All numbers of nodes that were measured, here or on a machine whose curve is used.
    pub fn nodes(&self) -> Vec<u64> {
        let points = self.sizes.iter().flat_map(|(_, curve)| curve.points());
        points.map(|(nodes, _)| *nodes).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The estimate for a size on so many nodes.
    ///
    /// # Errors
    /// When the measurements do not reach there.
    pub fn estimate(&self, size: f64, nodes: u64) -> Result<ScalingEstimate, ScalingError> {
        match self.sizes.iter().find(|(seen, _)| same(*seen, size)) {
            Some((_, curve)) => self.along_nodes(size, curve, nodes),
            None => self.unseen(size, nodes),
        }
    }

    fn along_nodes(
        &self,
        size: f64,
        curve: &ScalingCurve,
        nodes: u64,
    ) -> Result<ScalingEstimate, ScalingError> {
        let moved = self.moved.iter().find(|(moved, _)| same(*moved, size));
        if let (Some((_, moved)), None, false) = (moved, self.options.method, self.options.monotone) {
            let (seconds, way, around) = moved.estimate(nodes, self.options.outside)?;
            return Ok(self.around(seconds, &around, &way, moved.curve().points().len()));
        }
        let (method, around) = match self.options.method {
            Some(method) => (method, super::choice::leave_one_out(curve, method)),
            None => chosen(curve, cut(size, self.options.slab_cores), planes(size)),
        };
        let seconds = method.estimate(curve, nodes, self.options.outside)?;
        let is_measured = curve.measured(nodes).is_some();
        let around = if is_measured { AroundEstimate::new([(1.0, 1.0)]) } else { around };
        let word = if is_measured { "measured" } else { method.word() };
        Ok(self.around(seconds, &around, word, curve.points().len()))
    }

    fn unseen(&self, size: f64, nodes: u64) -> Result<ScalingEstimate, ScalingError> {
        let cores = self.options.slab_cores.or_else(|| self.guessed_cores());
        let sizes = self.size_curves(cores);
        let work = self.options.complexity.work(size);
        let (method, around) = self.chosen_over_sizes(&sizes);
        let curve = method.curve(&sizes, work, cut(size, cores))?;
        let along = if method == SizeMethod::Slabs { ScalingMethod::Power } else { ScalingMethod::Linear };
        let seconds = along.estimate(&curve, nodes, self.options.outside)?;
        let points = sizes.iter().map(|size| size.curve.points().len()).sum();
        Ok(self.around(seconds, &around, method.word(), points))
    }

    fn around(&self, seconds: f64, around: &AroundEstimate, method: &str, points: usize) -> ScalingEstimate {
        let at = |share: f64| seconds * around.quantile(share);
        ScalingEstimate {
            seconds,
            low: at(0.1).min(seconds),
            high: at(0.9).max(seconds),
            upper: at(self.options.quantile).max(seconds),
            method: method.to_owned(),
            error: around.error(),
            points,
        }
    }

    /// The way that estimates each inner size best from the others; the paper's where there are too few to tell.
    fn chosen_over_sizes(&self, sizes: &[SizeCurve]) -> (SizeMethod, AroundEstimate) {
        let tried = [SizeMethod::Quadratic, SizeMethod::Power, SizeMethod::Slabs].map(|method| {
            let around = self.leave_one_size_out(sizes, method);
            (around.error().unwrap_or(f64::INFINITY), method, around)
        });
        let first = (f64::INFINITY, SizeMethod::Quadratic, AroundEstimate::default());
        let best = tried.into_iter().fold(first, |best, next| if next.0 < best.0 { next } else { best });
        // The quadratic spline of three sizes is the line of two when one is left out: it is never judged fairly there.
        if best.0.is_infinite() && sizes.iter().all(|size| size.cut.is_some()) && sizes.len() > 1 {
            return (SizeMethod::Slabs, best.2);
        }
        (best.1, best.2)
    }

    fn leave_one_size_out(&self, sizes: &[SizeCurve], method: SizeMethod) -> AroundEstimate {
        let mut pairs = Vec::new();
        for at in 1..sizes.len().saturating_sub(1) {
            let mut others = sizes.to_vec();
            let left = others.remove(at);
            let Ok(curve) = method.curve(&others, left.work, left.cut) else { continue };
            let pair =
                |(nodes, seconds): &(u64, f64)| Some((*seconds, curve.linear(*nodes, Outside::Refuse).ok()?));
            pairs.extend(left.curve.points().iter().filter_map(pair));
        }
        AroundEstimate::new(pairs)
    }

    fn guessed_cores(&self) -> Option<u64> {
        let cubes = self.sizes.iter().map(|(size, curve)| Some((planes(*size)?, curve)));
        guessed_cores(&cubes.collect::<Option<Vec<_>>>()?)
    }

    fn size_curves(&self, cores: Option<u64>) -> Vec<SizeCurve> {
        let of = |(size, curve): &(f64, ScalingCurve)| SizeCurve {
            work: self.options.complexity.work(*size),
            curve: curve.clone(),
            cut: cut(*size, cores),
        };
        self.sizes.iter().map(of).collect()
    }
}

fn cut(size: f64, cores: Option<u64>) -> Option<Decomposition> {
    Some(Decomposition { planes: planes(size)?, cores: cores? })
}

/// Sizes are numbers that people write.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// The planes of a cube of so many points, if it is one.
fn planes(size: f64) -> Option<u64> {
    let planes = libm::cbrt(size).round();
    ((8.0..1e6).contains(&planes) && same(planes * planes * planes, size)).then_some(planes as u64)
}

/// The nearest curve on which more nodes never take longer (pooling adjacent violators).
fn falling(curve: &ScalingCurve) -> Result<ScalingCurve, ScalingError> {
    let mut blocks: Vec<(f64, Vec<u64>)> = Vec::new();
    for (nodes, seconds) in curve.points() {
        let mut block = (*seconds, vec![*nodes]);
        while let Some(before) = blocks.pop_if(|before| before.0 < block.0) {
            let (a, b) = (before.1.len() as f64, block.1.len() as f64);
            block = ((before.0 * a + block.0 * b) / (a + b), [before.1, block.1].concat());
        }
        blocks.push(block);
    }
    let points = blocks.iter().flat_map(|(seconds, nodes)| nodes.iter().map(|nodes| (*nodes, *seconds)));
    ScalingCurve::new(points)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// With `monotone` more nodes never take longer, whatever was measured.
        #[test]
        fn monotone_estimates_never_rise(points in proptest::collection::btree_map(1u64..64, 1.0f64..1e4, 2..12)) {
            let options = EstimateOptions { monotone: true, ..EstimateOptions::default() };
            let curve = ScalingCurve::new(points.clone()).unwrap();
            let estimator = ScalingEstimator::new(vec![(8.0, curve)], options).unwrap();
            let (first, last) = (*points.keys().next().unwrap(), *points.keys().last().unwrap());
            let seconds = |nodes| estimator.estimate(8.0, nodes).unwrap().seconds;
            for nodes in first..last {
                prop_assert!(seconds(nodes + 1) <= seconds(nodes) * (1.0 + 1e-9));
            }
        }

        /// A larger share of tasks never has a lower limit, and no limit is below the estimate.
        #[test]
        fn limits_rise_with_the_share(
            points in proptest::collection::btree_map(1u64..64, 1.0f64..1e4, 3..12), shares in (0.0f64..1.0, 0.0f64..1.0),
        ) {
            let at = |quantile: f64, nodes: u64| {
                let options = EstimateOptions { quantile, ..EstimateOptions::default() };
                let curve = ScalingCurve::new(points.clone()).unwrap();
                ScalingEstimator::new(vec![(8.0, curve)], options).unwrap().estimate(8.0, nodes).unwrap()
            };
            let (low, high) = (shares.0.min(shares.1), shares.0.max(shares.1));
            let (first, last) = (*points.keys().next().unwrap(), *points.keys().last().unwrap());
            for nodes in first..=last {
                let (low, high) = (at(low, nodes), at(high, nodes));
                prop_assert!(low.upper <= high.upper && low.upper >= low.seconds);
                prop_assert!(low.low <= low.seconds && low.seconds <= low.high);
            }
        }
    }

    /// Nine of ten durations that vary around a law lie below the quantile of nine tenths, about.
    #[test]
    fn the_quantile_covers_its_share() {
        let noise = |nodes: u64| 1.0 + 0.05 * (((nodes * 7919) % 101) as f64 / 50.0 - 1.0);
        let measured = |nodes: u64| 1000.0 / nodes as f64 * noise(nodes);
        let curve = ScalingCurve::new((1..=64).step_by(3).map(|nodes| (nodes, measured(nodes)))).unwrap();
        let estimator = ScalingEstimator::new(vec![(7.0, curve)], EstimateOptions::default()).unwrap();
        let others: Vec<u64> = (2..64).filter(|nodes| nodes % 3 != 1).collect();
        let covered = others
            .iter()
            .filter(|nodes| measured(**nodes) <= estimator.estimate(7.0, **nodes).unwrap().upper);
        let share = covered.count() as f64 / others.len() as f64;
        assert!((0.8..=1.0).contains(&share), "{share}");
    }
}
