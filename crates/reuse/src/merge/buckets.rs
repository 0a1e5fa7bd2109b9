//! Buckets: groups of instances that run on one worker and share their equal tasks.

use super::ReuseTree;

/// A way to group the instances of a tree. Every instance is in one bucket; a bucket holds places of the tree, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buckets {
    places: Vec<u32>,
    /// Where each bucket ends.
    ends: Vec<u32>,
}

impl Buckets {
    /// Adds a bucket, unless it is empty.
    pub(crate) fn push(&mut self, places: impl IntoIterator<Item = u32>) {
        let start = self.places.len();
        self.places.extend(places);
        if self.places.len() > start {
            self.places[start..].sort_unstable();
            self.ends.push(self.places.len() as u32);
        }
    }

    /// Number of buckets.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no bucket.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The places of a bucket's instances, ascending.
    pub fn get(&self, bucket: usize) -> &[u32] {
        let start = bucket.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.places[start..self.ends[bucket] as usize]
    }

    /// All buckets.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|bucket| self.get(bucket))
    }

    /// The bucket of each instance of the tree.
    pub fn of_instances(&self, tree: &ReuseTree) -> Vec<u32> {
        let mut of = vec![0; tree.len()];
        for (bucket, places) in self.iter().enumerate() {
            for place in places {
                of[tree.instances()[*place as usize] as usize] = bucket as u32;
            }
        }
        of
    }
}

/// What tasks cost along the chain: sums from each depth to the end.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainCosts {
    /// `below[d]` is the cost of the tasks from depth `d` on: what an instance adds that shares its first `d` tasks.
    below: Vec<f64>,
}

impl ChainCosts {
    /// Costs of the tasks, in the order of the chain.
    pub fn new(tasks: &[f64]) -> Self {
        let mut below = vec![0.0; tasks.len() + 1];
        for depth in (0..tasks.len()).rev() {
            below[depth] = below[depth + 1] + tasks[depth];
        }
        Self { below }
    }

    /// All tasks weigh the same, as in the papers.
    pub fn tasks(depth: usize) -> Self {
        Self::new(&vec![1.0; depth])
    }

    /// The cost of one instance by itself.
    pub fn whole(&self) -> f64 {
        self.below[0]
    }

    /// What an instance adds that shares its first tasks.
    pub fn after(&self, shared: usize) -> f64 {
        self.below[shared]
    }

    /// The cost of the first tasks.
    pub fn before(&self, shared: usize) -> f64 {
        self.below[0] - self.below[shared]
    }
}

/// What a tree costs when each of its nodes is computed once.
pub fn tree_cost(tree: &ReuseTree, costs: &ChainCosts) -> f64 {
    tree.shared().iter().map(|shared| costs.after(*shared as usize)).sum()
}

/// What the instances at these ascending places cost when their equal tasks are computed once.
pub fn bucket_cost(tree: &ReuseTree, costs: &ChainCosts, places: &[u32]) -> f64 {
    let first = places.first().map_or(0.0, |_| costs.whole());
    let next = |pair: &[u32]| costs.after(tree.shared_between(pair[0], pair[1]));
    first + places.windows(2).map(next).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::tree;
    use super::*;

    /// Figure 3.2 of the thesis: twelve tasks of three sets become seven.
    #[test]
    fn equal_tasks_count_once() {
        let tree = tree(&["aaaa", "aabb", "aabc"]);
        let costs = ChainCosts::tasks(4);
        assert_eq!(tree_cost(&tree, &costs), 7.0);
        assert_eq!(bucket_cost(&tree, &costs, &[0, 1, 2]), 7.0);
        assert_eq!(bucket_cost(&tree, &costs, &[0, 2]), 6.0);
        assert_eq!(bucket_cost(&tree, &costs, &[]), 0.0);
    }

    #[test]
    fn buckets_give_back_their_instances() {
        let tree = tree(&["ba", "aa", "bb"]);
        let mut buckets = Buckets::default();
        buckets.push([2, 0]);
        buckets.push([]);
        buckets.push([1]);
        assert_eq!(buckets.iter().collect::<Vec<_>>(), [&[0, 2][..], &[1]]);
        assert_eq!(buckets.of_instances(&tree), [0, 0, 1]);
    }
}
