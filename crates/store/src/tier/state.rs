//! Everything that the threads of the tiers share: contents, keys, and what is under way.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};

use onceflow_region::{Digest, Lease, Region, RegionQuery, Shelf};

use super::entry::TierEntry;
use super::{Cost, StackStatistics, TierError, TierKey};

/// The shared state, always seen under one lock.
pub(super) struct TierState {
    pub(super) entries: HashMap<Digest, TierEntry>,
    pub(super) index: KeyIndex,
    /// Bytes in each tier, those on their way to it too.
    pub(super) used: Vec<u64>,
    /// Tiers whose store failed, until the failure has been told.
    pub(super) broken: Vec<bool>,
    /// The leases of regions that were evicted while a reader held them; each is released with its last holder.
    pub(super) lingering: Vec<(Weak<Region>, Lease)>,
    /// Bytes that callers wait for.
    pub(super) wanted: u64,
    /// Contents that were announced.
    pub(super) announced: VecDeque<Digest>,
    /// Threads of the background that are at work.
    pub(super) at_work: usize,
    pub(super) errors: VecDeque<TierError>,
    pub(super) stopping: bool,
    pub(super) clock: u64,
    pub(super) statistics: StackStatistics,
}

impl TierState {
    pub(super) fn new(statistics: StackStatistics) -> TierState {
        let tiers = statistics.tiers.len();
        TierState {
            entries: HashMap::new(),
            index: KeyIndex::new(),
            used: vec![0; tiers],
            broken: vec![false; tiers],
            lingering: Vec::new(),
            wanted: 0,
            announced: VecDeque::new(),
            at_work: 0,
            errors: VecDeque::new(),
            stopping: false,
            clock: 0,
            statistics,
        }
    }

    pub(super) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Lets a key lead to content that is there.
    pub(super) fn link(&mut self, digest: Digest, key: TierKey, cost: Cost) {
        let now = self.tick();
        let Some(entry) = self.entries.get_mut(&digest) else { return };
        self.statistics.shared += u64::from(!entry.keys.is_empty());
        // Content that no key leads to is new, or is wanted again while a thread is at work on it.
        entry.cost = if entry.keys.is_empty() { cost } else { entry.cost.both(cost) };
        entry.used = now;
        if !entry.keys.contains(&key) {
            entry.keys.push(key.clone());
        }
        self.index.put(key, digest);
    }

    /// Takes a key away; content that no key leads to is no longer wanted.
    pub(super) fn unlink(&mut self, key: &TierKey) -> Option<Digest> {
        let digest = self.index.take(key)?;
        if let Some(entry) = self.entries.get_mut(&digest) {
            entry.keys.retain(|its| its != key);
        }
        Some(digest)
    }

    /// Something has changed: what could not leave may be able to now.
    pub(super) fn loosen(&mut self) {
        self.entries.values_mut().for_each(|entry| entry.stuck = false);
    }

    /// Takes content out of memory; its lease stays while a reader holds the region.
    pub(super) fn leave_memory(&mut self, digest: &Digest) {
        if let Some(entry) = self.entries.get_mut(digest)
            && let Some(memory) = entry.memory.take()
        {
            self.used[0] -= entry.bytes;
            if Arc::strong_count(&memory.0) > 1 {
                self.linger(&memory.0, memory.1);
            }
        }
    }

    /// Keeps the lease of a region while a reader holds it.
    pub(super) fn linger(&mut self, region: &Arc<Region>, lease: Lease) {
        self.lingering.push((Arc::downgrade(region), lease));
    }

    /// Releases the leases of regions without holders.
    pub(super) fn sweep(&mut self) {
        self.lingering.retain(|(region, _)| region.strong_count() > 0);
    }
}

/// Which content a key leads to.
pub(super) struct KeyIndex {
    regions: Shelf<Digest>,
    tasks: HashMap<Digest, Digest>,
}

impl KeyIndex {
    fn new() -> KeyIndex {
        KeyIndex { regions: Shelf::new(), tasks: HashMap::new() }
    }

    pub(super) fn get(&self, key: &TierKey) -> Option<Digest> {
        match key {
            TierKey::Region(id) => self.regions.get(id).copied(),
            TierKey::Task(task) => self.tasks.get(task).copied(),
        }
    }

    pub(super) fn put(&mut self, key: TierKey, digest: Digest) {
        match key {
            TierKey::Region(id) => self.regions.put(id, digest),
            TierKey::Task(task) => self.tasks.insert(task, digest),
        };
    }

    pub(super) fn take(&mut self, key: &TierKey) -> Option<Digest> {
        match key {
            TierKey::Region(id) => self.regions.take(id),
            TierKey::Task(task) => self.tasks.remove(task),
        }
    }

    /// The latest staged region that fits.
    pub(super) fn latest(&self, query: &RegionQuery) -> Option<onceflow_region::RegionId> {
        self.regions.latest(query).map(|(id, _)| id.clone())
    }

    pub(super) fn regions(&self) -> Vec<onceflow_region::RegionId> {
        self.regions.iter().map(|(id, _)| id.clone()).collect()
    }
}
