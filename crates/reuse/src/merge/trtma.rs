//! The task-balanced reuse-tree merging algorithm: a given number of buckets, then tasks are moved until none is much
//! dearer than the others.

mod balance;

use super::buckets::bucket_cost;
use super::{Buckets, ChainCosts, ReuseTree};

/// Which subtrees of a dear bucket count as equal, so that only one of them is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pruning {
    /// Siblings with as many children and the same cost.
    #[default]
    Siblings,
    /// Any two at one depth with as many children and the same cost.
    Global,
}

/// Which of the cheapest buckets gets something from the dearest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SmallBucket {
    /// The last of the cheapest.
    Smallest,
    /// The one of the cheapest that shares most with the dearest.
    #[default]
    MostReuse,
}

/// A bucket while it is worked on: its places, ascending, and its cost.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Draft {
    pub(super) places: Vec<u32>,
    pub(super) cost: f64,
}

impl Draft {
    pub(super) fn new(tree: &ReuseTree, costs: &ChainCosts, places: Vec<u32>) -> Self {
        let cost = bucket_cost(tree, costs, &places);
        Self { places, cost }
    }
}

/// At most `most` buckets of about the same cost.
pub(super) fn trtma(
    tree: &ReuseTree,
    costs: &ChainCosts,
    most: usize,
    pruning: Pruning,
    small: SmallBucket,
) -> Buckets {
    let drafts = fold_merge(tree, costs, full_merge(tree, costs, most), most.max(1));
    let mut buckets = Buckets::default();
    for draft in balance::balance(tree, costs, drafts, pruning, small) {
        buckets.push(draft.places);
    }
    buckets
}

/// One bucket for each node of the first level that has at least so many, or of the last level.
fn full_merge(tree: &ReuseTree, costs: &ChainCosts, most: usize) -> Vec<Draft> {
    let depth = (1..tree.depth()).find(|depth| tree.nodes(*depth) >= most).unwrap_or(tree.depth());
    let mut drafts = Vec::new();
    let mut places: Vec<u32> = Vec::new();
    for (place, shared) in tree.shared().iter().enumerate() {
        if (*shared as usize) < depth && !places.is_empty() {
            drafts.push(Draft::new(tree, costs, std::mem::take(&mut places)));
        }
        places.push(place as u32);
    }
    if !places.is_empty() {
        drafts.push(Draft::new(tree, costs, places));
    }
    drafts
}

/// Folds the list of buckets, dearest first, so that cheap ones join those beyond the middle, until there are few enough.
fn fold_merge(tree: &ReuseTree, costs: &ChainCosts, mut drafts: Vec<Draft>, most: usize) -> Vec<Draft> {
    while drafts.len() > most {
        drafts.sort_by(|one, other| other.cost.total_cmp(&one.cost));
        let count = drafts.len();
        let alone = if count > 2 * most { count % 2 } else { 2 * most - count };
        let pairs = (count - alone) / 2;
        for pair in 0..pairs {
            let last = drafts.swap_remove(count - 1 - pair);
            let first = &mut drafts[alone + pair];
            let mut places = std::mem::take(&mut first.places);
            places.extend(last.places);
            places.sort_unstable();
            *first = Draft::new(tree, costs, places);
        }
    }
    drafts
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::tree;
    use super::*;

    fn words(drafts: &[Draft]) -> Vec<Vec<u32>> {
        drafts.iter().map(|draft| draft.places.clone()).collect()
    }

    /// Figure 3.8 of the thesis: the second level has the three nodes that are wanted.
    #[test]
    fn full_merge_takes_the_first_level_with_enough_nodes() {
        let tree = tree(&["1aA", "1aB", "1bC", "2cD", "2cE"]);
        let costs = ChainCosts::tasks(3);
        assert_eq!(words(&full_merge(&tree, &costs, 2)), [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(words(&full_merge(&tree, &costs, 3)), [vec![0, 1], vec![2], vec![3, 4]]);
        assert_eq!(full_merge(&tree, &costs, 9).len(), 5, "no instance is lost where no level has enough");
    }

    /// Figure 3.9: four nodes where three are wanted; the two cheapest are joined.
    #[test]
    fn folding_joins_the_cheapest() {
        let tree = tree(&["1aA", "1aB", "1aC", "1bD", "1bE", "2cF", "2dG"]);
        let costs = ChainCosts::tasks(3);
        let full = full_merge(&tree, &costs, 3);
        assert_eq!(full.iter().map(|draft| draft.cost).collect::<Vec<_>>(), [5.0, 4.0, 3.0, 3.0]);
        let folded = fold_merge(&tree, &costs, full, 3);
        assert_eq!(words(&folded), [vec![0, 1, 2], vec![3, 4], vec![5, 6]]);
    }

    /// Figure 3.10: six buckets become four around the pivot, the third with the last, the fourth with the last but one.
    #[test]
    fn folding_goes_around_a_pivot() {
        let tree = tree(&["a", "b", "c", "d", "e", "f"]);
        let costs = ChainCosts::tasks(1);
        let drafts = (0..6).map(|place| Draft { places: vec![place], cost: f64::from(6 - place) }).collect();
        let folded = fold_merge(&tree, &costs, drafts, 4);
        assert_eq!(words(&folded), [vec![0], vec![1], vec![2, 5], vec![3, 4]]);
        let many = (0..5).map(|place| Draft { places: vec![place], cost: f64::from(6 - place) }).collect();
        assert_eq!(words(&fold_merge(&tree, &costs, many, 2)).concat().len(), 5);
    }
}
