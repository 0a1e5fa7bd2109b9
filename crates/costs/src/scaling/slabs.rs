//! Tasks whose domain is cut into slabs: their durations fall in steps, where the domain divides well.

use super::curve::{Outside, ScalingCurve};
use super::error::ScalingError;
use super::least_squares::{dot, nonnegative};

/// How a domain is cut: as many ranks as divide its planes evenly and have a core each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decomposition {
    /// Planes of the domain, such as 1024 of a domain of 1024 x 1024 x 1024.
    pub planes: u64,
    /// Cores of a node.
    pub cores: u64,
}

/// More planes or cores are a mistake.
const MOST: u64 = 1 << 24;

impl Decomposition {
    /// Ranks on so many nodes: the largest divisor of the planes that has a core for each.
    ///
    /// ```
    /// # use onceflow_costs::scaling::Decomposition;
    /// let cut = Decomposition { planes: 1024, cores: 36 };
    /// assert_eq!([14, 15, 28, 29].map(|nodes| cut.ranks(nodes)), [256, 512, 512, 1024]);
    /// ```
    pub fn ranks(&self, nodes: u64) -> u64 {
        let cores = self.cores.clamp(1, MOST).saturating_mul(nodes.clamp(1, MOST));
        let planes = self.planes.clamp(1, MOST);
        let divisors =
            (1..).take_while(|small| small * small <= planes).filter(|small| planes.is_multiple_of(*small));
        let both = divisors.flat_map(|small| [small, planes / small]);
        both.filter(|ranks| *ranks <= cores).max().unwrap_or(1)
    }

    /// What a duration is made of, on so many nodes and for so much work: planes of the busiest rank, the same slowed by
    /// the other ranks of its node, exchanges between nodes, messages between ranks, and a fixed part.
    pub(super) fn features(&self, nodes: u64, work: f64) -> Vec<f64> {
        let ranks = self.ranks(nodes) as f64;
        let slab = work / ranks;
        let crowd = ranks / (self.cores.max(1) as f64 * nodes as f64);
        vec![slab, slab * crowd, work / nodes as f64, ranks, 1.0]
    }

    /// The duration by the rule, corrected so that measured points are met.
    pub(super) fn estimate(
        &self,
        curve: &ScalingCurve,
        nodes: u64,
        outside: Outside,
    ) -> Result<f64, ScalingError> {
        if outside == Outside::Refuse {
            curve.linear(nodes, outside)?;
        }
        let Some(model) = SlabModel::fitted([(self, 1.0, curve)]) else {
            return curve.linear(nodes, outside);
        };
        let ratios = curve.points().iter().map(|(at, seconds)| (*at, seconds / model.at(self, *at, 1.0)));
        let ratios = ScalingCurve::new(ratios)?;
        let inside = nodes.clamp(ratios.ends().0.0, ratios.ends().1.0);
        Ok(model.at(self, nodes, 1.0) * ratios.linear(inside, Outside::Refuse)?)
    }
}

/// Coefficients of the features, none negative.
#[derive(Clone, Debug)]
pub(super) struct SlabModel(Vec<f64>);

impl SlabModel {
    /// Fitted to curves of several sizes, with their work, by relative errors.
    pub(super) fn fitted<'c>(
        curves: impl IntoIterator<Item = (&'c Decomposition, f64, &'c ScalingCurve)>,
    ) -> Option<Self> {
        let mut rows = Vec::new();
        for (cut, work, curve) in curves {
            for (nodes, seconds) in curve.points() {
                rows.push(cut.features(*nodes, work).iter().map(|feature| feature / seconds).collect());
            }
        }
        let coefficients = nonnegative(&rows, &vec![1.0; rows.len()])?;
        coefficients.iter().any(|value| *value > 0.0).then_some(Self(coefficients))
    }

    pub(super) fn at(&self, cut: &Decomposition, nodes: u64, work: f64) -> f64 {
        dot(&cut.features(nodes, work), &self.0)
    }
}
