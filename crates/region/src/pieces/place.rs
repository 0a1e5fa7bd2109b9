//! Which node holds which keys.

use std::ops::Range;

use crate::RegionError;

/// A stretch of the keys for each node, so that a key leads to its node without a list of pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The first key of each node but the first, ascending.
    starts: Vec<u64>,
}

impl Placement {
    /// Stretches of equal weight for weighted keys in ascending order. Equal keys stay together.
    ///
    /// # Errors
    /// When there is no node, or a weight is negative or no number.
    pub(super) fn new(
        nodes: usize,
        weighted: impl Iterator<Item = (u64, f64)>,
    ) -> Result<Placement, RegionError> {
        let wrong = |expected, found: String| RegionError::Partition { expected, found, todo: "give such" };
        if nodes == 0 {
            return Err(wrong("at least one node", "none".into()));
        }
        let mut weighted: Vec<(u64, f64)> = weighted.collect();
        if let Some((_, weight)) = weighted.iter().find(|(_, weight)| !(weight.is_finite() && *weight >= 0.0))
        {
            return Err(wrong("weights from 0 on", weight.to_string()));
        }
        if weighted.iter().all(|(_, weight)| *weight == 0.0) {
            weighted.iter_mut().for_each(|(_, weight)| *weight = 1.0);
        }
        Ok(Placement { starts: starts(nodes, &weighted) })
    }

    /// How many nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len() + 1
    }

    /// The node that holds a key.
    pub fn node(&self, key: u64) -> usize {
        self.starts.partition_point(|&start| start <= key)
    }

    /// The nodes that hold a key of some ranges, ascending.
    pub fn nodes_of(&self, ranges: &[Range<u64>]) -> Vec<usize> {
        let held = ranges.iter().filter(|range| range.start < range.end);
        let mut nodes: Vec<usize> =
            held.flat_map(|range| self.node(range.start)..=self.node(range.end - 1)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }
}

/// The middle of a key's weight says which share of the whole it lies in, and so its node.
fn starts(nodes: usize, weighted: &[(u64, f64)]) -> Vec<u64> {
    let total: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let (mut starts, mut before) = (Vec::with_capacity(nodes - 1), 0.0);
    for same in weighted.chunk_by(|a, b| a.0 == b.0) {
        let weight: f64 = same.iter().map(|(_, weight)| weight).sum();
        let share = (before + weight / 2.0) / total;
        let node = ((share * nodes as f64) as usize).min(nodes - 1);
        starts.resize(starts.len().max(node), same[0].0);
        before += weight;
    }
    starts.resize(nodes - 1, u64::MAX);
    starts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nodes_get_equal_weights(
            weights in prop::collection::vec(prop_oneof![Just(0.0), 0.0f64..5.0], 1..200), nodes in 1usize..12,
        ) {
            let placement = Placement::new(nodes, (0..).zip(weights.iter().copied())).unwrap();
            prop_assert_eq!(placement.nodes(), nodes);
            let total: f64 = weights.iter().sum();
            let heaviest = weights.iter().copied().fold(0.0, f64::max);
            let mut loads = vec![0.0; nodes];
            weights.iter().enumerate().for_each(|(key, weight)| loads[placement.node(key as u64)] += weight);
            for load in loads {
                prop_assert!(load <= total / nodes as f64 + heaviest + 1e-9, "{} of {}", load, total);
            }
            let held: Vec<usize> = (0..weights.len() as u64).map(|key| placement.node(key)).collect();
            prop_assert!(held.is_sorted());
            let keys = 0..weights.len() as u64;
            let all = placement.nodes_of(std::slice::from_ref(&keys));
            prop_assert!(held.iter().all(|node| all.contains(node)));
        }
    }

    #[test]
    fn pieces_without_weight_count_alike_and_equal_keys_stay_together() {
        let even = Placement::new(4, (0..8).map(|key| (key, 0.0))).unwrap();
        assert_eq!((0..8).map(|key| even.node(key)).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 2, 3, 3]);
        let same = Placement::new(2, [(5, 1.0), (5, 1.0), (9, 2.0)].into_iter()).unwrap();
        assert_eq!((same.node(5), same.node(9), same.nodes_of(&[0..6, 7..7])), (0, 1, vec![0]));
        assert!(Placement::new(0, [(1, 1.0)].into_iter()).is_err());
        assert!(Placement::new(1, [(1, f64::NAN)].into_iter()).is_err());
        assert_eq!(Placement::new(3, std::iter::empty()).unwrap().nodes(), 3);
    }
}
