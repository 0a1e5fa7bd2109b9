//! Estimates for one task type on one machine: of seen sizes along nodes, of unseen sizes from the others.

use super::choice::{AroundEstimate, chosen, guessed_cores};
use super::curve::{Outside, ScalingCurve, limit};
use super::error::ScalingError;
use super::method::ScalingMethod;
use super::sizes::{SizeCurve, SizeMethod};
use super::slabs::Decomposition;

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
    pub fn new(mut sizes: Vec<(f64, ScalingCurve)>, options: EstimateOptions) -> Result<Self, ScalingError> {
        if sizes.is_empty() {
            return Err(ScalingError::Empty { task: "the task".into(), proposed: "1, 2, 4 and 8".into() });
        }
        sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
        if options.monotone {
            for (_, curve) in &mut sizes {
                *curve = falling(curve)?;
            }
        }
        Ok(Self { sizes, options })
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
