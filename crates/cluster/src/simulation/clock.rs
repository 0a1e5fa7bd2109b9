//! Virtual time: what will happen, in the order in which it does.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use onceflow_runtime::Event;

use crate::{BucketId, Notice};

/// What will happen.
#[derive(Debug)]
pub(super) enum Happening {
    /// A message reaches the manager.
    Message(Notice),
    /// A bucket reaches a node, with its image.
    Arrives { node: usize, bucket: BucketId },
    /// Something at a node is over.
    Event { node: usize, event: Event },
    /// A node goes away.
    Fails { node: usize },
}

/// The time, and all that is to come.
#[derive(Debug, Default)]
pub(super) struct VirtualClock {
    coming: BinaryHeap<Coming>,
    count: u64,
}

#[derive(Debug)]
struct Coming {
    time: f64,
    /// What was said first happens first at the same time.
    count: u64,
    happening: Happening,
}

impl VirtualClock {
    pub(super) fn at(&mut self, time: f64, happening: Happening) {
        self.count += 1;
        self.coming.push(Coming { time, count: self.count, happening });
    }

    pub(super) fn next(&mut self) -> Option<(f64, Happening)> {
        self.coming.pop().map(|coming| (coming.time, coming.happening))
    }
}

impl Ord for Coming {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap gives the largest first.
        other.time.total_cmp(&self.time).then(other.count.cmp(&self.count))
    }
}

impl PartialOrd for Coming {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Coming {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Coming {}
