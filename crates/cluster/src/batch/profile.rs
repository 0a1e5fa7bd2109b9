//! How many nodes are free from now on: a function of time in steps.

use std::collections::{BTreeMap, VecDeque};

/// Free nodes by time. The last step lasts for ever.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// When each step begins, and the nodes free in it.
    steps: VecDeque<(u64, u64)>,
}

impl Profile {
    /// What is free now, and comes back at planned ends.
    pub(super) fn new(now: u64, free: u64, planned: &BTreeMap<u64, u64>) -> Self {
        let mut steps = VecDeque::with_capacity(planned.len() + 1);
        steps.push_back((now, free));
        let mut free = free;
        for (end, nodes) in planned {
            free += nodes;
            match steps.back_mut() {
                Some(last) if last.0 >= *end => last.1 = free,
                _ => steps.push_back((*end, free)),
            }
        }
        Self { steps }
    }

    /// Leaves out what is over.
    pub(super) fn forget(&mut self, now: u64) {
        while self.steps.get(1).is_some_and(|(begin, _)| *begin <= now) {
            self.steps.pop_front();
        }
        if let Some(first) = self.steps.front_mut() {
            first.0 = first.0.max(now);
        }
    }

    /// Nodes free at an instant.
    pub(super) fn free_at(&self, instant: u64) -> u64 {
        let after = self.steps.partition_point(|(begin, _)| *begin <= instant);
        after.checked_sub(1).and_then(|at| self.steps.get(at)).map_or(0, |(_, free)| *free)
    }

    /// The first instant from now on at which so many nodes are free for so long. What takes no time needs them for the
    /// instant of its start.
    pub(super) fn earliest(&self, now: u64, nodes: u64, length: u64) -> u64 {
        let mut begin: Option<u64> = None;
        let first = self.steps.partition_point(|(begin, _)| *begin <= now).saturating_sub(1);
        for (step, free) in self.steps.iter().skip(first) {
            if begin.is_some_and(|begin| *step >= begin + length && *step > begin) {
                break;
            }
            begin = if *free >= nodes { begin.or(Some((*step).max(now))) } else { None };
        }
        // The last step has every node that is not held for ever.
        begin.unwrap_or_else(|| self.steps.back().map_or(now, |(step, _)| (*step).max(now)))
    }

    /// Takes nodes from one instant to another.
    pub(super) fn take(&mut self, from: u64, to: u64, nodes: u64) {
        self.change(from, to, |free| free.saturating_sub(nodes));
    }

    /// Gives nodes back.
    pub(super) fn give_back(&mut self, from: u64, to: u64, nodes: u64) {
        self.change(from, to, |free| free + nodes);
    }

    fn change(&mut self, from: u64, to: u64, change: impl Fn(u64) -> u64) {
        if from >= to {
            return;
        }
        let first = self.cut(from);
        let end = self.cut(to);
        for (_, free) in self.steps.range_mut(first..end) {
            *free = change(*free);
        }
        self.join(end);
        self.join(first);
    }

    /// Makes a step begin at an instant; its place.
    fn cut(&mut self, instant: u64) -> usize {
        let at = self.steps.partition_point(|(begin, _)| *begin < instant);
        if self.steps.get(at).is_none_or(|(begin, _)| *begin != instant) {
            let free = at.checked_sub(1).and_then(|before| self.steps.get(before)).map_or(0, |step| step.1);
            self.steps.insert(at, (instant, free));
        }
        at
    }

    /// Leaves out a step that is as the one before it.
    fn join(&mut self, at: usize) {
        let before = at.checked_sub(1).and_then(|before| self.steps.get(before));
        if before.zip(self.steps.get(at)).is_some_and(|(a, b)| a.1 == b.1) {
            self.steps.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_table_of_instants(
            holds in proptest::collection::vec((0u64..30, 0u64..12, 1u64..3), 0..8),
            now in 0u64..20, nodes in 1u64..20, length in 0u64..15,
        ) {
            let mut profile = Profile::new(0, 16, &BTreeMap::new());
            let mut table = vec![16u64; 80];
            for (from, length, nodes) in &holds {
                profile.take(*from, from + length, *nodes);
                (*from..from + length).for_each(|at| table[at as usize] -= nodes);
            }
            for (at, free) in table.iter().enumerate() {
                prop_assert_eq!(profile.free_at(at as u64), *free);
            }
            if nodes <= 16 {
                let free = |begin: u64| (begin..begin + length.max(1)).all(|at| table[at as usize] >= nodes);
                let walk = (now..60).find(|begin| free(*begin)).unwrap();
                prop_assert_eq!(profile.earliest(now, nodes, length), walk);
            }
            for (from, length, nodes) in &holds {
                profile.give_back(*from, from + length, *nodes);
            }
            prop_assert_eq!(profile.steps.len(), 1, "{:?}", profile);
        }
    }
}
