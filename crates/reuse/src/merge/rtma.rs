//! The reuse-tree merging algorithm: full buckets are peeled off from the deepest level up.

use super::{Buckets, ReuseTree};

/// Buckets of at most `most` instances: at every level, from the deepest, nodes give off full buckets, and what is left
/// moves up. In the end each first task's rest is a bucket, as in the published program: the single instances of the
/// published algorithm would lose most of the reuse.
pub(super) fn rtma(tree: &ReuseTree, most: usize) -> Buckets {
    let most = most.max(1);
    let mut buckets = Buckets::default();
    let mut left = OpenPlaces::new(tree);
    for depth in (1..tree.depth()).rev() {
        let keep = |node: &[u32]| node.len() % most;
        left = left.peel(depth, |node| {
            let full = node.len() - keep(node);
            node[..full].chunks(most).for_each(|bucket| buckets.push(bucket.iter().copied()));
            full
        });
    }
    left.finish(most, &mut buckets);
    buckets
}

/// Places that are in no bucket yet, with how much each shares with the one before it among them.
pub(super) struct OpenPlaces {
    pub(super) places: Vec<u32>,
    pub(super) shared: Vec<u16>,
}

impl OpenPlaces {
    pub(super) fn new(tree: &ReuseTree) -> Self {
        Self { places: (0..tree.len() as u32).collect(), shared: tree.shared().to_vec() }
    }

    /// The places of each node at a depth.
    pub(super) fn nodes(&self, depth: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = (0..self.places.len()).filter(move |at| *at == 0 || (self.shared[*at] as usize) < depth);
        let ends = starts.clone().skip(1).chain([self.places.len()]);
        starts.zip(ends).map(|(start, end)| start..end)
    }

    /// What is left when `peel` takes the first places of each node at a depth and says how many.
    fn peel(&self, depth: usize, mut peel: impl FnMut(&[u32]) -> usize) -> Self {
        let mut left = Self { places: Vec::new(), shared: Vec::new() };
        let mut least = u16::MAX;
        for node in self.nodes(depth) {
            let taken = node.start + peel(&self.places[node.clone()]);
            for at in node {
                least = least.min(self.shared[at]);
                if at >= taken {
                    left.places.push(self.places[at]);
                    left.shared.push(least);
                    least = u16::MAX;
                }
            }
        }
        left
    }

    /// Cuts what is below each first task into buckets; the last one of each may be smaller.
    pub(super) fn finish(&self, most: usize, buckets: &mut Buckets) {
        for node in self.nodes(1) {
            self.places[node].chunks(most).for_each(|bucket| buckets.push(bucket.iter().copied()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::tests::tree;
    use super::*;

    fn letters(buckets: &Buckets) -> Vec<String> {
        buckets
            .iter()
            .map(|places| places.iter().map(|place| char::from(b'a' + *place as u8)).collect())
            .collect()
    }

    /// Figure 3.7 of the thesis: twelve instances of three tasks in buckets of three.
    #[test]
    fn the_published_example() {
        let tree =
            tree(&["15a", "15b", "15c", "26d", "26e", "26f", "26g", "27h", "27i", "38j", "39k", "40l"]);
        assert_eq!(letters(&rtma(&tree, 3)), ["abc", "def", "ghi", "jk", "l"]);
        assert_eq!(letters(&rtma(&tree, 12)), ["abc", "defghi", "jk", "l"]);
        assert_eq!(rtma(&tree, 1).len(), 12);
    }

    #[test]
    fn a_rest_moves_up_past_what_is_gone() {
        let tree = tree(&["aaa", "aab", "aac", "aba", "baa", "bab"]);
        assert_eq!(letters(&rtma(&tree, 2)), ["ab", "ef", "cd"]);
    }
}
