//! The reuse tree of a stage: instances in an order in which those with equal beginnings are neighbours.

use std::ops::Range;

use crate::sorting::sorted_by_rank;

/// Instances of a stage under the tasks they share: each level of the tree is a task of the chain, and two instances are
/// below one node when all tasks down to it are equal.
///
/// The tree is kept as the instances in depth-first order and how many first tasks each shares with the one before it: a
/// node at depth `d` is a longest stretch in which neighbours share at least `d`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReuseTree {
    depth: usize,
    /// The instance at each place of the order.
    instances: Vec<u32>,
    /// How many first tasks each place shares with the one before it; the first place shares none.
    shared: Vec<u16>,
    /// For each place the numbers of its nodes, from the first task on; nodes of a depth are numbered along the order.
    paths: Vec<u32>,
}

impl ReuseTree {
    /// The tree of instances whose tasks are numbered by `levels`: equal numbers at a level mean equal tasks after equal
    /// beginnings. Children of a node stand in the order of their first instances.
    ///
    /// All levels have the same length, the number of instances, and each level's numbers count from 0.
    pub fn new(instances: usize, levels: &[&[u32]]) -> Self {
        let mut order: Vec<u32> = (0..instances as u32).collect();
        // Sorting stably by the deepest level first leaves the places sorted by the first level, then the second, ...
        for level in levels.iter().rev() {
            let ranks = level.iter().max().map_or(0, |most| *most as usize + 1);
            order = sorted_by_rank(&order, ranks, |instance| level[instance as usize] as usize);
        }
        let mut shared = vec![0; instances];
        for (place, pair) in order.windows(2).enumerate() {
            let equal = |level: &&&[u32]| level[pair[0] as usize] == level[pair[1] as usize];
            shared[place + 1] = levels.iter().take_while(equal).count() as u16;
        }
        let paths = paths(&shared, levels.len());
        Self { depth: levels.len(), instances: order, shared, paths }
    }

    /// How many first tasks two places share.
    pub fn shared_between(&self, one: u32, other: u32) -> usize {
        let pairs = self.path(one).iter().zip(self.path(other));
        pairs.take_while(|(one, other)| one == other).count()
    }

    /// The numbers of a place's nodes, from the first task on.
    pub(crate) fn path(&self, place: u32) -> &[u32] {
        &self.paths[place as usize * self.depth..][..self.depth]
    }

    /// Number of tasks in the chain.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.instances.len()
    }

    /// Whether there is no instance.
    pub fn is_empty(&self) -> bool {
        self.instances.is_empty()
    }

    /// The instances, depth first.
    pub fn instances(&self) -> &[u32] {
        &self.instances
    }

    /// How many first tasks the instance at a place shares with the one at the place before.
    pub fn shared(&self) -> &[u16] {
        &self.shared
    }

    /// Number of nodes at a depth from 1 on.
    pub fn nodes(&self, depth: usize) -> usize {
        self.shared.iter().filter(|shared| (**shared as usize) < depth).count()
    }

    /// The place of each instance.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.len()];
        for (place, instance) in self.instances.iter().enumerate() {
            places[*instance as usize] = place as u32;
        }
        places
    }
}

fn paths(shared: &[u16], depth: usize) -> Vec<u32> {
    let mut paths = Vec::with_capacity(shared.len() * depth);
    let mut here = vec![0u32; depth];
    for (place, shared) in shared.iter().enumerate() {
        if place > 0 {
            here[*shared as usize..].iter_mut().for_each(|node| *node += 1);
        }
        paths.extend(&here);
    }
    paths
}

/// Longest stretches of a range of places in which neighbours share at least `depth`: the nodes there. `shared` has one entry
/// for each place after the first.
pub(super) fn stretches(shared: &[usize], range: Range<usize>, depth: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = range.start;
    for at in range.start + 1..=range.end {
        if at == range.end || shared[at - 1] < depth {
            found.push(start..at);
            start = at;
        }
    }
    found
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A tree written as one word per instance, a letter per task: equal beginnings are equal tasks.
    pub(crate) fn tree(instances: &[&str]) -> ReuseTree {
        let depth = instances.first().map_or(0, |word| word.len());
        let level = |length: usize| -> Vec<u32> {
            let mut known: Vec<&str> = Vec::new();
            instances
                .iter()
                .map(|word| {
                    let beginning = &word[..length];
                    let at = known.iter().position(|other| *other == beginning).unwrap_or(known.len());
                    if at == known.len() {
                        known.push(beginning);
                    }
                    at as u32
                })
                .collect()
        };
        let levels: Vec<Vec<u32>> = (1..=depth).map(level).collect();
        ReuseTree::new(instances.len(), &levels.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// Figure 3.6 of the thesis: x shares its first task with d and goes its own way from the second on.
    #[test]
    fn an_instance_joins_as_far_as_it_is_equal() {
        let tree = tree(&["aaa", "aab", "aba", "baa", "bba"]);
        assert_eq!(tree.instances(), [0, 1, 2, 3, 4]);
        assert_eq!(tree.shared(), [0, 2, 1, 0, 1]);
        assert_eq!([1, 2, 3].map(|depth| tree.nodes(depth)), [2, 4, 5]);
    }

    #[test]
    fn children_stand_in_the_order_of_their_first_instances() {
        let tree = tree(&["ba", "aa", "bb", "ab", "ba"]);
        assert_eq!(tree.instances(), [0, 4, 2, 1, 3]);
        assert_eq!(tree.shared(), [0, 2, 1, 0, 1]);
        assert_eq!(tree.places(), [0, 3, 2, 4, 1]);
    }

    #[test]
    fn nothing_makes_an_empty_tree() {
        let tree = ReuseTree::new(0, &[&[], &[]]);
        assert!(tree.is_empty() && tree.nodes(1) == 0 && tree.depth() == 2);
    }
}
