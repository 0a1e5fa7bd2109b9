//! Ways to begin: buckets that the refinement makes more equal.

use super::super::trtma::{Pruning, SmallBucket, trtma};
use super::super::work::MergeWork;
use super::super::{Buckets, ChainCosts, ReuseTree, rtma};

/// Sizes of the published algorithm's buckets in the papers' experiments.
const RTMA_SIZES: [usize; 2] = [10, 7];

/// The published balancing takes a time that grows with the square of the instances.
const MOST_TO_BALANCE: usize = 5_000;

/// Buckets to begin with, one way after the other.
pub(super) fn starts<'a>(
    work: &'a MergeWork,
    tree: Option<&'a ReuseTree>,
    workers: usize,
) -> impl Iterator<Item = Buckets> {
    let mut equal =
        [1, 2, 3].into_iter().map(move |times| stretches_for(work, workers.saturating_mul(times)));
    let related = std::iter::once_with(move || related(work));
    let apart = std::iter::once_with(move || stretches(work, 0.0));
    let published = tree.into_iter().flat_map(move |tree| published(tree, workers));
    equal.next().into_iter().chain(related).chain(equal).chain(published).chain(apart)
}

fn published(tree: &ReuseTree, workers: usize) -> impl Iterator<Item = Buckets> {
    let rtma = RTMA_SIZES.into_iter().map(move |size| rtma::rtma(tree, size));
    let few = tree.len() <= MOST_TO_BALANCE;
    let trtma = few.then(|| {
        let costs = ChainCosts::tasks(tree.depth());
        trtma(tree, &costs, workers.saturating_mul(3), Pruning::default(), SmallBucket::default())
    });
    rtma.chain(trtma)
}

/// Neighbours that share anything, together: nothing is computed twice.
pub(super) fn related(work: &MergeWork) -> Buckets {
    let mut buckets = Buckets::default();
    let mut stamps = work.stamps();
    let (mut start, whole) = (0, work.whole());
    for place in 0..work.len() as u32 {
        if stamps.add(work, place, 0) >= whole && place > start {
            buckets.push(start..place);
            start = place;
        }
    }
    buckets.push(start..work.len() as u32);
    buckets
}

/// As many stretches of the order, of about the same cost: the smallest bound on the cost of a stretch that needs no more.
fn stretches_for(work: &MergeWork, count: usize) -> Buckets {
    let count = count.clamp(1, work.len().max(1));
    let once = work.once();
    let (mut low, mut high) = (work.whole().max(once / count as f64), once.max(work.whole()));
    let mut best = stretches(work, high);
    while high - low > high * 1e-4 {
        let bound = low + (high - low) / 2.0;
        let found = stretches(work, bound);
        if found.len() <= count {
            (high, best) = (bound, found);
        } else {
            low = bound;
        }
    }
    best
}

/// The longest stretches within a bound, from the first place on: no other stretches within it are fewer, since a stretch
/// costs no less than what is inside it. A bound below the cost of one instance leaves each by itself.
fn stretches(work: &MergeWork, bound: f64) -> Buckets {
    let mut found = Buckets::default();
    let mut stamps = work.stamps();
    let (mut start, mut cost) = (0, 0.0);
    for place in 0..work.len() as u32 {
        let bucket = found.len() as u32;
        if place > start && cost + stamps.added(work, place, bucket) > bound {
            found.push(start..place);
            (start, cost) = (place, 0.0);
        }
        cost += stamps.add(work, place, found.len() as u32);
    }
    found.push(start..work.len() as u32);
    found
}
