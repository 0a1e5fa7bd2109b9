//! Stacking tiers and starting them.

use std::sync::{Arc, Condvar, Mutex};

use onceflow_region::Budget;

use super::shared::{SharedTiers, TierLevel};
use super::state::TierState;
use super::{EvictionPolicy, StackStatistics, TierError, TierStatistics, Tiers, background};
use crate::blob::{BlobStore, CHUNK};

/// Tiers that are not started yet, from the fastest to the slowest.
pub struct TiersBuilder {
    budget: Budget,
    levels: Vec<TierLevel>,
    threads: usize,
}

/// Memory that a thread of the background needs for chunks on their way.
pub(super) const WORKSPACE: u64 = CHUNK as u64 + CHUNK as u64 / 8 + (64 << 10);

impl TiersBuilder {
    pub(super) fn new(budget: Budget, capacity: u64) -> TiersBuilder {
        let memory = TierLevel { store: None, capacity, policy: EvictionPolicy::default(), reading: 0.0 };
        TiersBuilder { budget, levels: vec![memory], threads: 2 }
    }

    /// A tier below the last one. The blobs that it holds belong to these tiers alone: they are removed with them.
    pub fn below(mut self, store: impl BlobStore + 'static, capacity: u64) -> TiersBuilder {
        let store: Arc<dyn BlobStore> = Arc::new(store);
        self.levels.push(TierLevel {
            store: Some(store),
            capacity,
            policy: EvictionPolicy::default(),
            reading: SLOW,
        });
        self
    }

    /// Which region leaves the tier that was named last, when it is full.
    pub fn policy(mut self, policy: EvictionPolicy) -> TiersBuilder {
        self.levels.iter_mut().last().into_iter().for_each(|level| level.policy = policy);
        self
    }

    /// How many seconds reading a byte from the tier that was named last takes, by which [`EvictionPolicy::CostAware`] weighs it
    /// against making a region again.
    pub fn seconds_per_byte(mut self, seconds: f64) -> TiersBuilder {
        self.levels.iter_mut().last().into_iter().for_each(|level| level.reading = seconds);
        self
    }

    /// How many threads move regions in the background: 2 if nothing is said, at least 1.
    pub fn threads(mut self, threads: usize) -> TiersBuilder {
        self.threads = threads.max(1);
        self
    }

    /// Starts the threads of the background, whose own memory is reserved first.
    ///
    /// # Errors
    /// When that memory does not fit the budget, or the system has no threads.
    pub fn start(self) -> Result<Tiers, TierError> {
        let TiersBuilder { budget, levels, threads } = self;
        let bytes = WORKSPACE * threads as u64;
        let free = budget.limit().saturating_sub(budget.used());
        let workspace = budget.try_reserve(bytes).ok_or(TierError::Full { bytes, free })?;
        let statistics =
            StackStatistics { tiers: levels.iter().map(named).collect(), ..StackStatistics::default() };
        let state = Mutex::new(TierState::new(statistics));
        let shared = Arc::new(SharedTiers { budget, levels, state, changed: Condvar::new() });
        let mut tiers = Tiers { shared, workspace, threads: Vec::new() };
        for _ in 0..threads {
            tiers.threads.push(spawn(&tiers.shared)?);
        }
        Ok(tiers)
    }
}

/// A usual disk: 500 MB each second.
const SLOW: f64 = 2e-9;

fn named(level: &TierLevel) -> TierStatistics {
    let name = level.store.as_ref().map_or("memory".to_owned(), |store| store.name());
    TierStatistics { name, capacity: level.capacity, ..TierStatistics::default() }
}

fn spawn(shared: &Arc<SharedTiers>) -> Result<std::thread::JoinHandle<()>, TierError> {
    let shared = Arc::clone(shared);
    let thread = std::thread::Builder::new().name("tiers".into()).spawn(move || background::work(&shared));
    thread.map_err(|error| TierError::Thread { reason: error.to_string() })
}
