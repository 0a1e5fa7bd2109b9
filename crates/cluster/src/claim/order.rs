//! Which of the free buckets a worker reaches for.

/// A worker takes one of so many of the first free buckets, so that workers do not all reach for the same one.
const WINDOW: usize = 8;

/// The turns of one worker.
#[derive(Clone, Debug)]
pub struct ClaimOrder {
    turns: usize,
}

impl ClaimOrder {
    /// For a worker of this name.
    pub fn new(owner: &str) -> Self {
        Self { turns: owner.bytes().map(usize::from).sum() }
    }

    /// The place of the bucket to reach for among so many free ones, which stand in their order.
    pub fn reach(&mut self, free: usize) -> Option<usize> {
        self.turns = self.turns.wrapping_mul(31).wrapping_add(7);
        let window = free.min(WINDOW);
        (window > 0).then(|| self.turns % window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_reach_for_different_buckets_among_the_first() {
        let mut reached: Vec<usize> =
            (0..32).filter_map(|worker| ClaimOrder::new(&format!("w{worker}")).reach(1000)).collect();
        assert!(reached.iter().all(|place| *place < WINDOW));
        reached.sort_unstable();
        reached.dedup();
        assert!(reached.len() > 3, "{reached:?}");
        assert_eq!(ClaimOrder::new("w").reach(0), None);
        assert_eq!(ClaimOrder::new("w").reach(1), Some(0));
    }
}
