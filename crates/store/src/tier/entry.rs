//! One content in the tiers: its keys and pins, and the tiers that hold it.

use std::sync::Arc;

use onceflow_region::{Lease, Region};

use super::{Cost, EvictionPolicy, TierKey};

/// A region in memory with what it takes.
pub(super) type InMemory = (Arc<Region>, Lease);

/// One content, however many keys lead to it.
pub(super) struct TierEntry {
    /// Bytes that it takes in memory.
    pub(super) bytes: u64,
    /// Bytes that it takes as a blob.
    pub(super) length: u64,
    pub(super) cost: Cost,
    pub(super) keys: Vec<TierKey>,
    pub(super) pins: usize,
    pub(super) memory: Option<InMemory>,
    /// Whether it lies in a tier; the first of them, memory, has its own field.
    pub(super) below: Vec<bool>,
    /// When it came to each tier.
    pub(super) came: Vec<u64>,
    /// When it was put, which tells it from the same content that was put, lost and put again.
    pub(super) born: u64,
    /// When it was used last.
    pub(super) used: u64,
    /// Whether a thread reads or moves it now; only that thread changes where it is.
    pub(super) busy: bool,
    /// Whether it could not leave its tier; it is asked again when something has changed.
    pub(super) stuck: bool,
}

impl TierEntry {
    pub(super) fn is_in(&self, tier: usize) -> bool {
        if tier == 0 { self.memory.is_some() } else { self.below[tier] }
    }

    pub(super) fn is_elsewhere(&self, tier: usize) -> bool {
        (0..self.below.len()).any(|other| other != tier && self.is_in(other))
    }

    /// The fastest tier below memory that has it.
    pub(super) fn first_below(&self) -> Option<usize> {
        self.below.iter().position(|&there| there)
    }

    /// Bytes that it takes in a tier.
    pub(super) fn size(&self, tier: usize) -> u64 {
        if tier == 0 { self.bytes } else { self.length }
    }

    /// Whether no key leads to it and it is not pinned.
    pub(super) fn is_unwanted(&self) -> bool {
        self.keys.is_empty() && self.pins == 0
    }

    /// Whether it could leave a tier now. Leaving memory frees nothing while others hold the region.
    pub(super) fn can_leave(&self, tier: usize) -> bool {
        let in_use = || self.memory.as_ref().is_some_and(|(region, _)| Arc::strong_count(region) > 1);
        self.is_in(tier) && !self.busy && !self.stuck && (tier > 0 || self.pins == 0 && !in_use())
    }

    /// What leaves first has the lowest rank; `reading` is how many seconds a byte of the tier below takes.
    pub(super) fn rank(&self, tier: usize, policy: EvictionPolicy, reading: f64) -> (f64, u64) {
        match policy {
            EvictionPolicy::Fifo => (0.0, self.came[tier]),
            EvictionPolicy::Lru => (0.0, self.used),
            EvictionPolicy::CostAware => {
                let again = if self.cost.droppable { self.cost.seconds } else { f64::INFINITY };
                ((again / self.size(tier).max(1) as f64).min(reading), self.used)
            }
        }
    }
}
