//! Tiers: regions that do not fit memory go down to disks, and come back when they are asked for.
//!
//! [`Tiers`] is a stack, the fastest first: memory, then any [stores of blobs](crate::blob), such as a local disk and a
//! shared one, with a capacity and a [`EvictionPolicy`] each. What is put lies in memory. When memory holds more than its share,
//! threads of the background move regions down; what leaves the last tier is dropped, if its [`Cost`] allows that. A get
//! looks down the stack and brings the region back up. All memory is reserved from the [`Budget`] before it is used.
//!
//! ```
//! use std::sync::Arc;
//! use onceflow_store::blob::DiskBlobs;
//! use onceflow_store::tier::{Cost, EvictionPolicy, Tiers};
//! use onceflow_region::{Budget, Dense, Pixels, Region};
//!
//! let folder = tempfile::tempdir()?;
//! let tiers = Tiers::builder(Budget::new(64 << 20), 10_000)
//!     .policy(EvictionPolicy::CostAware)
//!     .below(DiskBlobs::scratch(folder.path())?, 1 << 30)
//!     .start()?;
//! let plane = |value: u8| -> Result<Region, onceflow_region::RegionError> {
//!     Ok(Region::Dense(Dense::new(80, 80, 1, Pixels::U8(vec![value; 6400]))?))
//! };
//! for task in 0..5 {
//!     tiers.put([task; 32], Arc::new(plane(task)?), Cost::recompute(0.1))?;
//! }
//! tiers.flush()?;
//! assert!(tiers.statistics().tiers[0].used <= 10_000);
//! let third = tiers.get([2; 32])?.ok_or("dropped")?;
//! assert_eq!(third.digest(), plane(2)?.digest());
//! tiers.forget([2; 32]);
//! assert!(tiers.get([2; 32])?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Equal content is kept once, under any number of keys: identifiers of regions and keys of tasks. A region that is
//! about to be used can be [announced](Tiers::prefetch), and one that is in use [pinned](Tiers::pin).

mod background;
mod builder;
mod entry;
mod error;
mod key;
mod loading;
mod moving;
mod pin;
mod shared;
mod state;
mod statistics;
mod store;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::thread::JoinHandle;

use onceflow_region::{Budget, Digest, Lease, Region};

pub use builder::TiersBuilder;
pub use error::TierError;
pub use key::{Cost, EvictionPolicy, TierKey};
pub use pin::Pin;
pub use statistics::{StackStatistics, TierStatistics};

use crate::blob::{BlobContent as _, digest};
use crate::codec::EncodedRegion;
use entry::TierEntry;
use shared::SharedTiers;
use state::TierState;

/// A stack of tiers. Dropping it ends its threads and removes what it has put on disks.
pub struct Tiers {
    shared: Arc<SharedTiers>,
    /// The memory of the threads.
    workspace: Lease,
    threads: Vec<JoinHandle<()>>,
}

/// The most regions that can be announced at a time.
const ANNOUNCED: usize = 1024;

impl Tiers {
    /// Tiers whose memory holds this many bytes of the budget.
    pub fn builder(budget: Budget, capacity: u64) -> TiersBuilder {
        TiersBuilder::new(budget, capacity)
    }

    /// Keeps a region under a key, in the place of what was there. It returns when the memory is reserved; moving down
    /// what has to leave for it happens in the background.
    ///
    /// # Errors
    /// When there is no room in memory and nothing can leave, the region is an image that is not read, or something has
    /// failed in the background since the last call; then what was there stays.
    pub fn put(&self, key: impl Into<TierKey>, region: Arc<Region>, cost: Cost) -> Result<(), TierError> {
        self.keep(key.into(), region, None, cost).map(drop)
    }

    /// As [`put`](Tiers::put), but the region leaves memory at once: the calling thread writes it to the first tier below
    /// that has room, and it is there when this returns.
    ///
    /// # Errors
    /// As [`put`](Tiers::put) has them, or when no tier below takes it: then it stays in memory.
    pub fn put_below(
        &self,
        key: impl Into<TierKey>,
        region: Arc<Region>,
        cost: Cost,
    ) -> Result<(), TierError> {
        let digest = self.keep(key.into(), region, None, cost)?;
        self.shared.send_down(&digest)
    }

    /// Keeps a region whose memory is reserved already; what the lease holds beyond it is given back.
    ///
    /// # Errors
    /// As [`put`](Tiers::put) has them.
    pub fn put_leased(
        &self,
        key: impl Into<TierKey>,
        region: Arc<Region>,
        lease: Lease,
        cost: Cost,
    ) -> Result<(), TierError> {
        self.keep(key.into(), region, Some(lease), cost).map(drop)
    }

    /// The region under a key, from the fastest tier that has it; `None` when it was never put, forgotten or dropped.
    /// A hit in memory copies nothing.
    ///
    /// # Errors
    /// When the region cannot be read, there is no room in memory for it, or something has failed in the background. A
    /// region whose stored bytes are damaged is told once and is gone then.
    pub fn get(&self, key: impl Into<TierKey>) -> Result<Option<Arc<Region>>, TierError> {
        self.shared.surface()?;
        Ok(self.shared.find(&key.into(), false)?.map(|(_, region)| region))
    }

    /// The region under a key, which stays in memory as long as the answer lives.
    ///
    /// # Errors
    /// As [`get`](Tiers::get) has them.
    pub fn pin(&self, key: impl Into<TierKey>) -> Result<Option<Pin>, TierError> {
        self.shared.surface()?;
        let found = self.shared.find(&key.into(), true)?;
        Ok(found.map(|(pinned, region)| Pin::new(Arc::clone(&self.shared), pinned, region)))
    }

    /// Forgets a key; content that no other key leads to is removed. Tells whether there was such a key.
    pub fn forget(&self, key: impl Into<TierKey>) -> bool {
        let mut state = self.shared.lock();
        let digest = state.unlink(&key.into());
        digest.iter().for_each(|digest| self.shared.remove_unwanted(&mut state, digest));
        state.loosen();
        self.shared.changed.notify_all();
        digest.is_some()
    }

    /// Whether a key leads to a region in some tier.
    pub fn contains(&self, key: impl Into<TierKey>) -> bool {
        let state = self.shared.lock();
        state.index.get(&key.into()).is_some_and(|digest| state.entries.contains_key(&digest))
    }

    /// Announces regions that will be asked for soon, in this order: the background brings them to memory, as far as
    /// others can leave for them.
    pub fn prefetch<K: Into<TierKey>>(&self, keys: impl IntoIterator<Item = K>) {
        let mut state = self.shared.lock();
        for key in keys {
            let Some(digest) = state.index.get(&key.into()) else { continue };
            match state.announced.len() < ANNOUNCED {
                true => state.announced.push_back(digest),
                false => state.statistics.not_prefetched += 1,
            }
        }
        self.shared.changed.notify_all();
    }

    /// Reserves memory for something else, for which regions leave if they must.
    ///
    /// # Errors
    /// When nothing can leave any more and there is still no room.
    pub fn reserve(&self, bytes: u64) -> Result<Lease, TierError> {
        self.shared.reserve(bytes)
    }

    /// Waits until memory holds no more than its share and what was announced has come.
    ///
    /// # Errors
    /// When something has failed in the background, or memory holds too much that may not be dropped and no tier below
    /// has room for.
    pub fn flush(&self) -> Result<(), TierError> {
        let mut state = self.shared.lock();
        state.loosen();
        let state = background::wait_for_rest(&self.shared, state);
        let full = state.used[0] > self.shared.levels[0].capacity;
        let stuck = state.entries.values().find(|entry| full && entry.stuck && entry.is_in(0));
        let stuck = stuck.map(|entry| entry.length);
        drop(state);
        self.shared.surface()?;
        stuck.map_or(Ok(()), |bytes| Err(TierError::Stuck { bytes }))
    }

    /// What has been done so far.
    pub fn statistics(&self) -> StackStatistics {
        let state = self.shared.lock();
        let mut statistics = state.statistics.clone();
        statistics.tiers.iter_mut().zip(&state.used).for_each(|(tier, used)| tier.used = *used);
        statistics
    }

    fn keep(
        &self,
        key: TierKey,
        region: Arc<Region>,
        lease: Option<Lease>,
        cost: Cost,
    ) -> Result<Digest, TierError> {
        self.shared.surface()?;
        let content = EncodedRegion::new(&*region)?;
        let (digest, length) = (digest(&content)?, content.length());
        let is_there = |state: &TierState| state.entries.contains_key(&digest);
        let mut state = self.shared.lock();
        if !is_there(&state) {
            drop(state);
            let lease = self.lease(region.bytes(), lease)?;
            state = self.shared.lock();
            // Another thread may have put the same content meanwhile.
            if !is_there(&state) {
                self.insert(&mut state, digest, length, (region, lease), cost);
            }
        }
        self.link(&mut state, key, digest, cost);
        Ok(digest)
    }

    /// Lets a key lead to content that is there, and no longer to what it led to before.
    fn link(&self, state: &mut TierState, key: TierKey, digest: Digest, cost: Cost) {
        state.statistics.puts += 1;
        let before = state.index.get(&key).filter(|before| *before != digest);
        if let Some(before) = before {
            state.unlink(&key);
            self.shared.remove_unwanted(state, &before);
        }
        state.link(digest, key, cost);
    }

    fn lease(&self, bytes: u64, lease: Option<Lease>) -> Result<Lease, TierError> {
        let Some(mut lease) = lease else { return self.shared.reserve(bytes) };
        lease.shrink(bytes);
        match lease.try_grow(bytes - lease.bytes()) {
            true => Ok(lease),
            false => self.shared.reserve(bytes),
        }
    }

    fn insert(
        &self,
        state: &mut TierState,
        digest: Digest,
        length: u64,
        memory: entry::InMemory,
        cost: Cost,
    ) {
        let (now, tiers, bytes) = (state.tick(), state.used.len(), memory.0.bytes());
        state.used[0] += bytes;
        state.statistics.tiers[0].bytes_in += bytes;
        let entry = TierEntry {
            bytes,
            length,
            cost,
            keys: Vec::new(),
            pins: 0,
            memory: Some(memory),
            below: vec![false; tiers],
            came: vec![now; tiers],
            used: now,
            born: now,
            busy: false,
            stuck: false,
        };
        state.entries.insert(digest, entry);
        self.shared.changed.notify_all();
    }
}

impl Drop for Tiers {
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        self.shared.changed.notify_all();
        // A thread that panicked has told so already.
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
        let mut state = self.shared.lock();
        let digests: Vec<Digest> = state.entries.keys().copied().collect();
        digests.iter().for_each(|digest| self.shared.remove(&mut state, digest));
    }
}

impl std::fmt::Debug for Tiers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let workspace = self.workspace.bytes();
        f.debug_struct("Tiers")
            .field("workspace", &workspace)
            .field("statistics", &self.statistics())
            .finish()
    }
}
