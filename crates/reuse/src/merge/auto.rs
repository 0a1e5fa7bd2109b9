//! Our own merging: one bucket for each worker, of about the same cost, for any graph of tasks.

mod fill;
mod starts;

use super::schedule::Free;
use super::work::MergeWork;
use super::{Buckets, ReuseTree};

/// Buckets with which the last of the workers is done as early as we can make it: at most one for each worker, and never
/// later than with the published algorithms as the papers used them or with every instance by itself.
///
/// Several ways to group the instances are dealt to the workers, the dearest group first. What one worker gets is one
/// bucket, in which equal work is done once, so that each is at least as good as what it comes from; the best one stays.
pub(super) fn auto(work: &MergeWork, tree: Option<&ReuseTree>, workers: usize) -> Buckets {
    let workers = workers.clamp(1, work.len().max(1));
    let least = work.whole().max(work.once() / workers as f64);
    let mut best: Option<Dealt> = None;
    for groups in starts::starts(work, tree, workers) {
        let dealt = Dealt::new(work, &groups, workers);
        if best.as_ref().is_none_or(|best| dealt.rank() < best.rank()) {
            best = Some(dealt);
        }
        if best.as_ref().is_some_and(|best| best.span <= least * (1.0 + CLOSE)) {
            break;
        }
    }
    let span = best.as_ref().map_or(least, |best| best.span);
    let filled =
        fill::filled_for(work, workers, least, span).map(|groups| Dealt::new(work, &groups, workers));
    let better = |dealt: &Dealt| best.as_ref().is_none_or(|best| dealt.rank() < best.rank());
    filled.filter(better).or(best).map_or_else(Buckets::default, |dealt| dealt.buckets)
}

/// Nearer to what is possible at all than costs are known.
const CLOSE: f64 = 1e-3;

/// Groups that were dealt to workers.
struct Dealt {
    buckets: Buckets,
    /// The cost of the dearest bucket.
    span: f64,
    cost: f64,
}

impl Dealt {
    fn new(work: &MergeWork, groups: &Buckets, workers: usize) -> Self {
        let mut order: Vec<(f64, usize)> = groups.iter().map(|places| work.cost(places)).zip(0..).collect();
        order.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut dealt: Vec<Vec<u32>> = vec![Vec::new(); workers];
        let mut free = Free::new(workers);
        for (cost, group) in order {
            dealt[free.take(cost)].extend(groups.get(group));
        }
        let mut buckets = Buckets::default();
        dealt.into_iter().for_each(|places| buckets.push(places));
        let costs = buckets.iter().map(|places| work.cost(places));
        let (span, cost) = costs.fold((0.0, 0.0), |(span, sum), cost| (f64::max(span, cost), sum + cost));
        Self { buckets, span, cost }
    }

    /// Earlier is better, then cheaper.
    fn rank(&self) -> (f64, f64) {
        (self.span, self.cost)
    }
}
