//! The smart cut algorithm: the instances that share least are cut off until what is left fits a bucket.
//!
//! The published program finds each cut with Stoer and Wagner's algorithm in the complete graph whose edges weigh the tasks
//! that two instances share. Those weights come from a tree: a cut that leaves `m` of the `n` instances of a node on one side
//! breaks `m (n − m)` pairs there, and its weight is the sum over the nodes. So the same smallest cuts are found by counting,
//! without a graph.

use std::ops::Range;

use super::tree::stretches;
use super::{Buckets, ReuseTree};

/// Above so many instances it would take hours: the time grows with the fourth power in the worst case.
pub const MOST_INSTANCES: usize = 2_000;

/// Buckets of at most `most` instances.
pub(super) fn sca(tree: &ReuseTree, most: usize) -> Buckets {
    let most = most.max(1);
    let mut buckets = Buckets::default();
    let mut left: Vec<u32> = (0..tree.len() as u32).collect();
    while left.len() > most {
        let mut side = larger(tree, &left);
        while side.len() > most {
            side = larger(tree, &side);
        }
        left.retain(|place| side.binary_search(place).is_err());
        buckets.push(side);
    }
    buckets.push(left);
    buckets
}

/// The larger side of a smallest cut of at least two places.
fn larger(tree: &ReuseTree, places: &[u32]) -> Vec<u32> {
    let part = smallest_cut(tree, places);
    if part.len() * 2 >= places.len() {
        return part;
    }
    places.iter().copied().filter(|place| part.binary_search(place).is_err()).collect()
}

/// One side of a cut that breaks as little as any: its places, ascending.
pub(super) fn smallest_cut(tree: &ReuseTree, places: &[u32]) -> Vec<u32> {
    let shared: Vec<usize> = places.windows(2).map(|pair| tree.shared_between(pair[0], pair[1])).collect();
    let common = shared.iter().min().copied().unwrap_or_default();
    if common == 0 {
        return apart(&shared, places);
    }
    let (single, weight) = loneliest(&shared);
    // Two or more on one side break this many pairs at the nodes above all, whatever they share below.
    let count = places.len();
    if count <= 3 || weight <= common * 2 * (count - 2) {
        return vec![places[single]];
    }
    let counts = CutCounting { shared: &shared }.node(0..count, 0);
    let best = (1..count).min_by_key(|taken| (counts.weight[*taken], taken.abs_diff(count / 2)));
    let mut chosen = Vec::new();
    counts.collect(best.unwrap_or(1), places, &mut chosen);
    chosen.sort_unstable();
    chosen
}

/// Whole first tasks on either side: nothing is broken. The larger ones go one after the other to the emptier side.
fn apart(shared: &[usize], places: &[u32]) -> Vec<u32> {
    let mut groups = stretches(shared, 0..places.len(), 1);
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let (mut one, mut other) = (Vec::new(), 0);
    for group in groups {
        if one.len() <= other {
            one.extend(&places[group]);
        } else {
            other += group.len();
        }
    }
    one.sort_unstable();
    one
}

/// The place that shares least with all others together, and how much; of several the one that shares least with one.
fn loneliest(shared: &[usize]) -> (usize, usize) {
    let count = shared.len() + 1;
    let weight = |at: usize| {
        let toward = |beside: &mut dyn Iterator<Item = usize>| {
            beside
                .scan(usize::MAX, |least, shared| {
                    *least = shared.min(*least);
                    Some(*least)
                })
                .sum::<usize>()
        };
        toward(&mut shared[..at].iter().rev().copied()) + toward(&mut shared[at..].iter().copied())
    };
    let nearest = |at: usize| {
        let before = at.checked_sub(1).map_or(0, |before| shared[before]);
        before.max(shared.get(at).copied().unwrap_or_default())
    };
    let best = (0..count).map(|at| (weight(at), nearest(at), at)).min();
    best.map_or((0, 0), |(weight, _, at)| (at, weight))
}

struct CutCounting<'a> {
    shared: &'a [usize],
}

/// What it breaks at least below a node to take so many of its places, and how.
struct CutCounts {
    range: Range<usize>,
    weight: Vec<usize>,
    children: Vec<CutCounts>,
    /// For each child and number taken of it and those before, how many are taken of the child itself.
    of_child: Vec<Vec<u32>>,
}

impl CutCounting<'_> {
    /// The node of a range, all of which share more than `above` tasks.
    fn node(&self, range: Range<usize>, above: usize) -> CutCounts {
        let size = range.len();
        if size == 1 {
            return CutCounts { range, weight: vec![0; 2], children: Vec::new(), of_child: Vec::new() };
        }
        let within = &self.shared[range.start..range.end - 1];
        let depth = within.iter().min().copied().unwrap_or_default();
        let ranges = stretches(self.shared, range.clone(), depth + 1);
        let children: Vec<CutCounts> = ranges.into_iter().map(|range| self.node(range, depth)).collect();
        let mut weight = vec![0];
        let mut of_child = Vec::with_capacity(children.len());
        for child in &children {
            let (sum, taken) = joined(&weight, &child.weight);
            weight = sum;
            of_child.push(taken);
        }
        for (taken, weight) in weight.iter_mut().enumerate() {
            *weight += (depth - above) * taken * (size - taken);
        }
        CutCounts { range, weight, children, of_child }
    }
}

/// The least of both for every number taken together, and how many of the second that takes.
fn joined(first: &[usize], second: &[usize]) -> (Vec<usize>, Vec<u32>) {
    let length = first.len() + second.len() - 1;
    let (mut sum, mut of_second) = (vec![usize::MAX; length], vec![0; length]);
    for (one, first) in first.iter().enumerate() {
        for (other, second) in second.iter().enumerate() {
            if first + second < sum[one + other] {
                sum[one + other] = first + second;
                of_second[one + other] = other as u32;
            }
        }
    }
    (sum, of_second)
}

impl CutCounts {
    /// The places that taking so many takes.
    fn collect(&self, mut taken: usize, places: &[u32], chosen: &mut Vec<u32>) {
        if taken == self.range.len() {
            chosen.extend(&places[self.range.clone()]);
            return;
        }
        for (child, of_child) in self.children.iter().zip(&self.of_child).rev() {
            let own = of_child[taken] as usize;
            child.collect(own, places, chosen);
            taken -= own;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tree::tests::tree;
    use super::*;

    /// The weight of a cut, pair by pair.
    fn broken(tree: &ReuseTree, places: &[u32], part: &[u32]) -> usize {
        let rest = places.iter().filter(|place| !part.contains(place));
        rest.flat_map(|one| part.iter().map(|other| tree.shared_between(*one, *other))).sum()
    }

    /// Stoer and Wagner, as in their paper: the weight of a smallest cut of a graph.
    fn stoer_wagner(mut weights: Vec<Vec<usize>>) -> usize {
        let mut best = usize::MAX;
        while weights.len() > 1 {
            let count = weights.len();
            let (mut added, mut tight) = (vec![false; count], vec![0; count]);
            let (mut before, mut last) = (0, 0);
            for _ in 0..count {
                let next = (0..count).filter(|v| !added[*v]).max_by_key(|v| tight[*v]).unwrap();
                added[next] = true;
                (before, last) = (last, next);
                if added.iter().all(|done| *done) {
                    best = best.min(tight[next]);
                }
                tight.iter_mut().zip(&weights[next]).for_each(|(sum, weight)| *sum += weight);
            }
            let more = weights.remove(last);
            weights
                .iter_mut()
                .zip(0..)
                .for_each(|(row, at)| row[before] += more[at + usize::from(at >= last)]);
            weights.iter_mut().for_each(|row| *row = [&row[..last], &row[last + 1..]].concat());
            let before = before - usize::from(before > last);
            weights[before] = (0..count - 1).map(|at| weights[at][before]).collect();
            weights[before][before] = 0;
        }
        best
    }

    /// Figure 3.5 of the thesis: five instances in buckets of two; c goes first, then a, then b, and d and e stay.
    #[test]
    fn the_least_related_are_cut_off_first() {
        let tree = tree(&["xaaaaa", "xxbbbb", "xcdddd", "xxxxee", "xxxxff"]);
        let buckets = sca(&tree, 2);
        let instances =
            |places: &[u32]| places.iter().map(|p| tree.instances()[*p as usize]).collect::<Vec<_>>();
        assert_eq!(instances(buckets.get(0)), [3, 4]);
        assert_eq!(buckets.iter().map(<[u32]>::len).sum::<usize>(), 5);
        assert!(buckets.iter().all(|places| places.len() <= 2));
    }

    proptest! {
        #[test]
        fn cuts_are_as_small_as_stoer_and_wagner_find(words in proptest::collection::hash_set("[ab]{5}", 2..14)) {
            let words: Vec<String> = words.into_iter().collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let tree = tree(&words);
            let places: Vec<u32> = (0..tree.len() as u32).collect();
            let part = smallest_cut(&tree, &places);
            prop_assert!(!part.is_empty() && part.len() < places.len());
            let weight = |a: &u32, b: &u32| if a == b { 0 } else { tree.shared_between(*a, *b) };
            let weights = places.iter().map(|a| places.iter().map(|b| weight(a, b)).collect()).collect();
            prop_assert_eq!(broken(&tree, &places, &part), stoer_wagner(weights));
        }
    }
}
