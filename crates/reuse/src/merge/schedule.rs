//! How long buckets take on several workers when each worker takes the next bucket as soon as it is free.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When the last worker is done, the dearest buckets being handed out first; costs are not negative.
pub fn makespan(costs: &[f64], workers: usize) -> f64 {
    let mut sorted = costs.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let mut free = Free::new(workers);
    for cost in sorted {
        free.take(cost);
    }
    free.last
}

/// Workers and when they are free.
#[derive(Debug)]
pub(super) struct Free {
    free: BinaryHeap<Reverse<ScheduledWorker>>,
    last: f64,
}

impl Free {
    pub(super) fn new(workers: usize) -> Self {
        let worker = |number| Reverse(ScheduledWorker { from: 0.0, number });
        Self { free: (0..workers.max(1)).map(worker).collect(), last: 0.0 }
    }

    /// The worker that is free first takes something of that cost.
    pub(super) fn take(&mut self, cost: f64) -> usize {
        let Some(mut next) = self.free.peek_mut() else { return 0 };
        next.0.from += cost;
        self.last = self.last.max(next.0.from);
        next.0.number
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct ScheduledWorker {
    from: f64,
    number: usize,
}

impl Eq for ScheduledWorker {}

impl Ord for ScheduledWorker {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.from.total_cmp(&other.from).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for ScheduledWorker {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_go_first() {
        assert_eq!(makespan(&[1.0, 1.0, 1.0, 1.0, 4.0], 2), 4.0);
        assert_eq!(makespan(&[3.0, 3.0, 2.0, 2.0, 2.0], 2), 7.0);
        assert_eq!(makespan(&[3.0, 2.0], 8), 3.0);
        assert_eq!(makespan(&[3.0, 2.0], 1), 5.0);
        assert_eq!(makespan(&[], 3), 0.0);
    }
}
