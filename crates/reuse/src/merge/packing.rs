//! Reuse-tree merging that does not tear siblings apart: groups are packed into buckets that they fill exactly.

use super::rtma::OpenPlaces;
use super::{Buckets, ReuseTree};

/// Like the reuse-tree merging algorithm, but at each level above the deepest whole groups of siblings are looked for that
/// fill a bucket exactly; only what never fits is cut in the end.
pub(super) fn packed(tree: &ReuseTree, most: usize) -> Buckets {
    let most = most.max(1);
    let mut buckets = Buckets::default();
    let mut groups: Vec<PackedGroup> =
        OpenPlaces::new(tree).places.into_iter().map(|place| vec![place]).collect();
    for depth in (1..tree.depth()).rev() {
        groups =
            nodes(tree, groups, depth).into_iter().flat_map(|node| pack(node, most, &mut buckets)).collect();
    }
    for node in nodes(tree, groups, 1) {
        let places: Vec<u32> = node.into_iter().flatten().collect();
        places.chunks(most).for_each(|bucket| buckets.push(bucket.iter().copied()));
    }
    buckets
}

/// Instances that stay together.
type PackedGroup = Vec<u32>;

/// The groups below each node at a depth.
fn nodes(tree: &ReuseTree, groups: Vec<PackedGroup>, depth: usize) -> Vec<Vec<PackedGroup>> {
    let mut nodes: Vec<Vec<PackedGroup>> = Vec::new();
    let mut last = None;
    for group in groups {
        let node = tree.path(group[0]).get(depth - 1).copied();
        match nodes.last_mut() {
            Some(siblings) if node == last => siblings.push(group),
            _ => nodes.push(vec![group]),
        }
        last = node;
    }
    nodes
}

/// Fills buckets exactly while that is possible; what is left becomes one group where it is smaller than a bucket.
fn pack(groups: Vec<PackedGroup>, most: usize, buckets: &mut Buckets) -> Vec<PackedGroup> {
    let largest = groups.iter().map(Vec::len).max().unwrap_or_default();
    let mut by_size: Vec<Vec<PackedGroup>> = vec![Vec::new(); largest + 1];
    // The last ones first, since they are taken from the end.
    groups.into_iter().rev().for_each(|group| by_size[group.len()].push(group));
    while let Some(sizes) = exact(&by_size, most) {
        let chosen = sizes.into_iter().filter_map(|size| by_size[size].pop());
        buckets.push(chosen.flatten());
    }
    let mut left: Vec<PackedGroup> = by_size.into_iter().flatten().collect();
    left.sort_unstable();
    if !left.is_empty() && left.iter().map(Vec::len).sum::<usize>() < most {
        return vec![left.concat()];
    }
    left
}

/// Sizes of groups that together have exactly so many instances: larger ones are tried first, and it is given up after a
/// while.
fn exact(by_size: &[Vec<PackedGroup>], most: usize) -> Option<Vec<usize>> {
    let counts: Vec<usize> = by_size.iter().map(Vec::len).collect();
    let mut search = PackingSearch { counts, steps: MOST_STEPS, chosen: Vec::new() };
    search.fill(most, most).then_some(search.chosen)
}

/// Packing is a matter of seconds only where sizes are contrived; then the rest is cut.
const MOST_STEPS: usize = 4096;

struct PackingSearch {
    /// How many groups of each size are free.
    counts: Vec<usize>,
    steps: usize,
    chosen: Vec<usize>,
}

impl PackingSearch {
    /// Chooses groups of at most that size for the room.
    fn fill(&mut self, largest: usize, room: usize) -> bool {
        if room == 0 {
            return true;
        }
        for size in (1..=largest.min(room).min(self.counts.len().saturating_sub(1))).rev() {
            if self.counts[size] == 0 || self.steps == 0 {
                continue;
            }
            self.steps -= 1;
            self.counts[size] -= 1;
            self.chosen.push(size);
            if self.fill(size, room - size) {
                return true;
            }
            self.chosen.pop();
            self.counts[size] += 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::tree;
    use super::*;

    #[test]
    fn whole_groups_fill_a_bucket_where_cutting_would_tear_one() {
        // Below one first task: groups of 2, 2 and 1 that share two tasks, in buckets of 3.
        let tree = tree(&["aaa", "aab", "aba", "abb", "aca"]);
        let found: Vec<Vec<u32>> = packed(&tree, 3).iter().map(<[u32]>::to_vec).collect();
        assert_eq!(found, [vec![0, 1, 4], vec![2, 3]]);
    }

    #[test]
    fn a_search_that_is_hopeless_ends() {
        let mut by_size: Vec<Vec<PackedGroup>> = vec![Vec::new(); 26];
        (0..60).for_each(|at| by_size[6 + 2 * (at % 10)].push(Vec::new()));
        assert_eq!(exact(&by_size, 901), None);
        assert!(exact(&by_size, 900).is_some_and(|sizes| sizes.iter().sum::<usize>() == 900));
    }
}
