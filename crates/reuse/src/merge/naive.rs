//! Consecutive instances share a bucket, whatever they have in common: the baseline of the papers.

use super::{Buckets, ReuseTree};

/// Buckets of `most` instances in the order in which the instances were given.
pub(super) fn naive(tree: &ReuseTree, most: usize) -> Buckets {
    let mut buckets = Buckets::default();
    for places in tree.places().chunks(most.max(1)) {
        buckets.push(places.iter().copied());
    }
    buckets
}
