//! The manager of many nodes: a pure state machine that hands out buckets on demand and takes each result once.
//!
//! Nodes ask, and may hold several buckets at once. What a lost node held is handed out again; what it still says is not
//! listened to. Buckets may wait for others, and more may come at any time: a bucket that is done may create some.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use onceflow_runtime::Cause;

/// The number of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BucketId(pub usize);

/// Work that one node does: some rows at one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The part.
    pub part: usize,
    /// The rows; all where none are named.
    pub rows: Option<Vec<usize>>,
    /// Buckets that must be done first.
    pub after: Vec<BucketId>,
}

/// What the manager is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A node is there, and will ask.
    Joins {
        /// The node.
        node: usize,
    },
    /// A node wants one more bucket.
    Asks {
        /// The node.
        node: usize,
    },
    /// A node has done a bucket.
    Done {
        /// The node.
        node: usize,
        /// The bucket.
        bucket: BucketId,
    },
    /// A node is gone.
    Lost {
        /// The node.
        node: usize,
    },
}

/// What the manager wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// A node gets a bucket.
    Give {
        /// The node.
        node: usize,
        /// The bucket.
        bucket: BucketId,
        /// Why now.
        cause: Cause,
    },
    /// The results of a bucket are taken from a node: once for each bucket.
    Publish {
        /// The node.
        node: usize,
        /// The bucket.
        bucket: BucketId,
    },
}

/// Hands out buckets.
#[derive(Debug, Default)]
pub struct Manager {
    buckets: Vec<Bucket>,
    states: Vec<BucketState>,
    /// Buckets that could be handed out; those of lost nodes come first.
    ready: VecDeque<(BucketId, Cause)>,
    /// Buckets that wait for one that is not done.
    waiters: BTreeMap<BucketId, Vec<BucketId>>,
    /// Nodes that asked and got nothing yet.
    asking: VecDeque<usize>,
    /// How many buckets each node has that asked and is not lost.
    held: BTreeMap<usize, usize>,
    lost: BTreeSet<usize>,
    orders: VecDeque<Directive>,
    done: usize,
    reissued: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BucketState {
    /// It waits for so many others.
    Waits(usize),
    Ready,
    Held(usize),
    Done,
}

impl Manager {
    /// With these buckets to begin with.
    pub fn new(buckets: impl IntoIterator<Item = Bucket>) -> Self {
        let mut manager = Self::default();
        buckets.into_iter().for_each(|bucket| {
            manager.add(bucket);
        });
        manager
    }

    /// Adds a bucket. What it should wait for and is not known, it does not wait for.
    pub fn add(&mut self, bucket: Bucket) -> BucketId {
        let id = BucketId(self.buckets.len());
        let open =
            |other: &&BucketId| self.states.get(other.0).is_some_and(|state| *state != BucketState::Done);
        let waits: BTreeSet<BucketId> = bucket.after.iter().filter(open).copied().collect();
        waits.iter().for_each(|other| self.waiters.entry(*other).or_default().push(id));
        self.states.push(if waits.is_empty() { BucketState::Ready } else { BucketState::Waits(waits.len()) });
        self.buckets.push(bucket);
        if waits.is_empty() {
            self.ready.push_back((id, Cause::NodeAsked));
        }
        self.hand_out();
        id
    }

    /// What is to be done next.
    #[allow(clippy::should_implement_trait, reason = "it gives more after a notice")]
    pub fn next(&mut self) -> Option<Directive> {
        self.orders.pop_front()
    }

    /// Takes note. Lost nodes, and nodes that speak of what they do not hold, are not listened to.
    pub fn handle(&mut self, notice: &Notice) {
        match *notice {
            Notice::Joins { node } if !self.lost.contains(&node) => {
                self.held.entry(node).or_default();
            }
            Notice::Asks { node } if !self.lost.contains(&node) => {
                self.held.entry(node).or_default();
                self.asking.push_back(node);
                self.hand_out();
            }
            Notice::Done { node, bucket } if self.states.get(bucket.0) == Some(&BucketState::Held(node)) => {
                self.publish(node, bucket);
            }
            Notice::Lost { node } if self.lost.insert(node) => self.lose(node),
            _ => {}
        }
    }

    /// A bucket.
    pub fn bucket(&self, id: BucketId) -> Option<&Bucket> {
        self.buckets.get(id.0)
    }

    /// How many buckets there are so far.
    pub fn len(&self) -> usize {
        self.buckets.len()
    }

    /// Whether there was nothing to do.
    pub fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    /// Whether every bucket is done and published.
    pub fn is_finished(&self) -> bool {
        self.done == self.buckets.len() && self.orders.is_empty()
    }

    /// How many buckets are not done.
    pub fn unfinished(&self) -> usize {
        self.buckets.len() - self.done
    }

    /// How often a bucket was handed out again.
    pub fn reissued(&self) -> usize {
        self.reissued
    }

    /// Gives buckets to those who asked, in their order. No node holds more than a fair share of what is not done, so that
    /// the last buckets are spread over all nodes; who holds nothing is always served.
    fn hand_out(&mut self) {
        while !self.ready.is_empty() {
            let left = self.ready.len() + self.held.values().sum::<usize>();
            let share = left.div_ceil(self.held.len().max(1));
            let fair = |node: &usize| self.held.get(node).copied().unwrap_or(0) < share;
            let Some(place) = self.asking.iter().position(fair) else { return };
            let Some(((bucket, cause), node)) = self.ready.pop_front().zip(self.asking.remove(place)) else {
                return;
            };
            *self.held.entry(node).or_default() += 1;
            self.states[bucket.0] = BucketState::Held(node);
            self.orders.push_back(Directive::Give { node, bucket, cause });
        }
    }

    fn publish(&mut self, node: usize, bucket: BucketId) {
        self.states[bucket.0] = BucketState::Done;
        self.held.entry(node).and_modify(|held| *held -= 1);
        self.done += 1;
        self.orders.push_back(Directive::Publish { node, bucket });
        for waiter in self.waiters.remove(&bucket).unwrap_or_default() {
            match &mut self.states[waiter.0] {
                BucketState::Waits(1) => {
                    self.states[waiter.0] = BucketState::Ready;
                    self.ready.push_back((waiter, Cause::NodeAsked));
                }
                BucketState::Waits(others) => *others -= 1,
                _ => {}
            }
        }
        self.hand_out();
    }

    /// What a node held is handed out again, before anything else.
    fn lose(&mut self, node: usize) {
        self.asking.retain(|other| *other != node);
        self.held.remove(&node);
        for id in (0..self.states.len())
            .rev()
            .filter(|id| self.states[*id] == BucketState::Held(node))
            .collect::<Vec<_>>()
        {
            self.states[id] = BucketState::Ready;
            self.ready.push_front((BucketId(id), Cause::NodeLost));
            self.reissued += 1;
        }
        self.hand_out();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(part: usize, after: &[usize]) -> Bucket {
        Bucket { part, rows: None, after: after.iter().map(|id| BucketId(*id)).collect() }
    }

    fn orders(manager: &mut Manager) -> Vec<Directive> {
        std::iter::from_fn(|| manager.next()).collect()
    }

    #[test]
    fn whoever_asks_gets_the_next_and_what_waits_comes_when_it_can() {
        let mut manager = Manager::new([bucket(0, &[]), bucket(1, &[0]), bucket(2, &[])]);
        manager.handle(&Notice::Asks { node: 4 });
        manager.handle(&Notice::Asks { node: 4 });
        manager.handle(&Notice::Asks { node: 5 });
        let give = |node, id| Directive::Give { node, bucket: BucketId(id), cause: Cause::NodeAsked };
        assert_eq!(orders(&mut manager), [give(4, 0), give(4, 2)]);
        manager.handle(&Notice::Done { node: 4, bucket: BucketId(0) });
        let published = Directive::Publish { node: 4, bucket: BucketId(0) };
        assert_eq!(orders(&mut manager), [published, give(5, 1)]);
        assert!(!manager.is_finished());
    }

    #[test]
    fn the_last_buckets_are_spread_over_all_nodes() {
        let mut manager = Manager::new((0..6).map(|part| bucket(part, &[])));
        manager.handle(&Notice::Joins { node: 2 });
        (0..9).for_each(|_| manager.handle(&Notice::Asks { node: 1 }));
        manager.handle(&Notice::Asks { node: 2 });
        manager.handle(&Notice::Asks { node: 2 });
        let of = |directive: &Directive| matches!(directive, Directive::Give { node: 1, .. });
        let given = orders(&mut manager);
        assert_eq!((given.len(), given.iter().filter(|directive| of(directive)).count()), (5, 3));
    }

    #[test]
    fn what_a_lost_node_held_goes_to_another_and_is_published_once() {
        let mut manager = Manager::new([bucket(0, &[]), bucket(1, &[])]);
        for node in [1, 1, 2] {
            manager.handle(&Notice::Asks { node });
        }
        orders(&mut manager);
        manager.handle(&Notice::Lost { node: 1 });
        let again = Directive::Give { node: 2, bucket: BucketId(0), cause: Cause::NodeLost };
        assert_eq!(orders(&mut manager), [again]);
        manager.handle(&Notice::Done { node: 1, bucket: BucketId(0) });
        manager.handle(&Notice::Asks { node: 1 });
        assert_eq!(orders(&mut manager), [], "a lost node is not listened to");
        manager.handle(&Notice::Done { node: 2, bucket: BucketId(0) });
        manager.handle(&Notice::Done { node: 2, bucket: BucketId(0) });
        assert_eq!(orders(&mut manager), [Directive::Publish { node: 2, bucket: BucketId(0) }]);
        manager.handle(&Notice::Asks { node: 2 });
        manager.handle(&Notice::Done { node: 2, bucket: BucketId(1) });
        assert_eq!(orders(&mut manager).len(), 2);
        assert!(manager.is_finished() && manager.reissued() == 2);
        manager.add(bucket(7, &[1, 99]));
        assert!(!manager.is_finished(), "the graph may grow at any time");
        manager.handle(&Notice::Asks { node: 2 });
        assert_eq!(orders(&mut manager).len(), 1);
    }
}
