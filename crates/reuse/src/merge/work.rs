//! What instances need, task by task, for any graph of tasks: the general form of a reuse tree.

use super::ReuseTree;

/// Instances in an order in which those with equal work are near each other, and the nodes that each needs.
///
/// Unlike in a [`ReuseTree`], two instances may share a late task without sharing those before it.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeWork {
    tasks: usize,
    /// For each place of the order its nodes, task after task; nodes are numbered over all tasks.
    nodes: Vec<u32>,
    /// The cost of one node of each task.
    costs: Vec<f64>,
    total_nodes: usize,
}

impl MergeWork {
    /// Work of instances in an order; `columns` holds for each task the number of each instance's node among the nodes of
    /// that task, counted from 0, and `costs` what one of them costs.
    pub fn new(order: &[u32], columns: &[&[u32]], costs: &[f64]) -> Self {
        let bases = bases(columns);
        let row = |instance: &u32| {
            let at = *instance as usize;
            columns.iter().zip(&bases).map(move |(column, base)| base + column[at])
        };
        let mut nodes = Vec::with_capacity(order.len() * columns.len());
        order.iter().for_each(|instance| nodes.extend(row(instance)));
        let total_nodes = bases.last().map_or(0, |total| *total as usize);
        Self { tasks: columns.len(), nodes, costs: costs.to_vec(), total_nodes }
    }

    /// The work of a tree whose tasks have these costs.
    pub fn of_tree(tree: &ReuseTree, costs: &[f64]) -> Self {
        let counts = (1..=tree.depth()).map(|depth| tree.nodes(depth) as u32);
        let bases: Vec<u32> = counts
            .scan(0, |next, count| {
                *next += count;
                Some(*next - count)
            })
            .collect();
        let places = 0..tree.len() as u32;
        let path = |place: u32| tree.path(place).iter().zip(&bases).map(|(node, base)| node + base);
        let nodes = places.flat_map(path).collect();
        let total_nodes = (1..=tree.depth()).map(|depth| tree.nodes(depth)).sum();
        Self { tasks: tree.depth(), nodes, costs: costs.to_vec(), total_nodes }
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.nodes.len().checked_div(self.tasks).unwrap_or_default()
    }

    /// Whether there is no instance.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes of a place with their costs.
    pub(super) fn needs(&self, place: u32) -> impl Iterator<Item = (u32, f64)> {
        let nodes = &self.nodes[place as usize * self.tasks..][..self.tasks];
        nodes.iter().copied().zip(self.costs.iter().copied())
    }

    /// The cost of an instance by itself.
    pub fn whole(&self) -> f64 {
        self.costs.iter().sum()
    }

    /// The cost when every node is computed once.
    pub fn once(&self) -> f64 {
        let mut seen = self.stamps();
        (0..self.len() as u32).map(|place| seen.add(self, place, 0)).sum()
    }

    /// The cost of a bucket.
    pub fn cost(&self, places: &[u32]) -> f64 {
        let mut nodes: Vec<(u32, f64)> = places.iter().flat_map(|place| self.needs(*place)).collect();
        nodes.sort_unstable_by_key(|(node, _)| *node);
        nodes.dedup_by_key(|(node, _)| *node);
        nodes.iter().map(|(_, cost)| cost).sum()
    }

    pub(super) fn stamps(&self) -> Stamps {
        Stamps(vec![u32::MAX; self.total_nodes])
    }
}

/// Which bucket has computed a node last: enough to know what a bucket has while buckets are filled one after the other.
pub(super) struct Stamps(Vec<u32>);

impl Stamps {
    /// What a place adds to a bucket.
    pub(super) fn added(&self, work: &MergeWork, place: u32, bucket: u32) -> f64 {
        work.needs(place).filter(|(node, _)| self.0[*node as usize] != bucket).map(|(_, cost)| cost).sum()
    }

    /// Puts a place into a bucket and says what it adds.
    pub(super) fn add(&mut self, work: &MergeWork, place: u32, bucket: u32) -> f64 {
        let added = self.added(work, place, bucket);
        work.needs(place).for_each(|(node, _)| self.0[node as usize] = bucket);
        added
    }
}

fn bases(columns: &[&[u32]]) -> Vec<u32> {
    let mut bases = vec![0];
    for column in columns {
        let count = column.iter().max().map_or(0, |most| most + 1);
        bases.push(bases[bases.len() - 1] + count);
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::tree;
    use super::super::{ChainCosts, bucket_cost};
    use super::*;

    #[test]
    fn a_tree_costs_the_same_as_its_work() {
        let tree = tree(&["aaa", "aab", "aba", "baa", "bab"]);
        let costs = [3.0, 2.0, 1.0];
        let work = MergeWork::of_tree(&tree, &costs);
        assert_eq!((work.len(), work.whole(), work.once()), (5, 6.0, 17.0));
        for places in [&[0, 1][..], &[0, 3], &[1, 2, 4], &[]] {
            assert_eq!(work.cost(places), bucket_cost(&tree, &ChainCosts::new(&costs), places));
        }
    }

    #[test]
    fn late_tasks_may_be_shared_without_early_ones() {
        let work = MergeWork::new(&[1, 0, 2], &[&[0, 1, 2], &[0, 0, 1]], &[5.0, 7.0]);
        assert_eq!(work.cost(&[0, 1]), 17.0, "both take the same second node");
        assert_eq!(work.cost(&[0, 2]), 24.0);
        assert_eq!(work.once(), 29.0);
    }
}
