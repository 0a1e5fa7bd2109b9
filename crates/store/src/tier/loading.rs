//! Bringing content up: into memory, from the fastest tier that has it.

use std::sync::{Arc, MutexGuard};

use onceflow_region::{Digest, Lease, Region};

use super::shared::SharedTiers;
use super::state::TierState;
use super::{TierError, TierKey};
use crate::blob::{BlobError, CHUNK, Opened};
use crate::codec::decode;

/// Where content can be had.
pub(super) enum ContentPlace {
    Memory(Arc<Region>),
    /// A tier below; the content is marked busy, so that it stays there.
    Below(usize),
    /// Another thread is at work on it.
    Busy,
    Nowhere,
}

/// Content that has been pinned.
pub(super) struct Pinned {
    pub(super) digest: Digest,
    born: u64,
}

impl SharedTiers {
    /// The region that a key leads to; `pin` keeps it in memory from now on.
    pub(super) fn find(&self, key: &TierKey, pin: bool) -> Result<Option<(Pinned, Arc<Region>)>, TierError> {
        let mut state = self.lock();
        let digest = state.index.get(key).unwrap_or(Digest([0; 32]));
        let Some(entry) = state.entries.get_mut(&digest) else {
            state.statistics.misses += 1;
            return Ok(None);
        };
        entry.pins += usize::from(pin);
        let pinned = Pinned { digest, born: entry.born };
        let found = self.bring(state, &digest);
        if pin && !matches!(found, Ok(Some(_))) {
            self.unpin(&pinned);
        }
        Ok(found?.map(|region| (pinned, region)))
    }

    pub(super) fn unpin(&self, Pinned { digest, born }: &Pinned) {
        let mut state = self.lock();
        if let Some(entry) = state.entries.get_mut(digest).filter(|entry| entry.born == *born) {
            entry.pins = entry.pins.saturating_sub(1);
            entry.stuck = false;
        }
        self.remove_unwanted(&mut state, digest);
        self.changed.notify_all();
    }

    fn bring<'a>(
        &'a self,
        mut state: MutexGuard<'a, TierState>,
        digest: &Digest,
    ) -> Result<Option<Arc<Region>>, TierError> {
        loop {
            match look(&mut state, digest) {
                ContentPlace::Memory(region) => {
                    state.statistics.tiers[0].hits += 1;
                    return Ok(Some(region));
                }
                ContentPlace::Busy => state = self.wait(state),
                ContentPlace::Nowhere => {
                    state.statistics.misses += 1;
                    return Ok(None);
                }
                ContentPlace::Below(tier) => {
                    drop(state);
                    let memory = |bytes: u64, beside| self.reserve(bytes.saturating_add(beside));
                    let region = self.load(tier, digest, memory)?;
                    self.lock().statistics.tiers[tier].hits += 1;
                    return Ok(region);
                }
            }
        }
    }

    /// Brings announced content to memory before it is asked for, if room can be made for it there.
    pub(super) fn prefetch(&self, digest: &Digest) {
        let mut state = self.lock();
        let ContentPlace::Below(tier) = look_without_use(&mut state, digest) else { return };
        drop(state);
        let loaded = self.load(tier, digest, |bytes, beside| self.room_in_memory(bytes, beside));
        let mut state = self.lock();
        match loaded {
            Ok(_) => state.statistics.prefetched += 1,
            Err(TierError::Full { .. }) => state.statistics.not_prefetched += 1,
            Err(error) => state.errors.push_back(error),
        }
    }

    /// A thread of the background makes room itself, since it would wait for itself.
    fn room_in_memory(&self, bytes: u64, beside: u64) -> Result<Lease, TierError> {
        loop {
            let mut state = self.lock();
            state.sweep();
            let within = state.used[0].saturating_add(bytes) <= self.levels[0].capacity;
            if within && let Some(lease) = self.budget.try_reserve(bytes.saturating_add(beside)) {
                return Ok(lease);
            }
            let free = self.budget.limit().saturating_sub(self.budget.used());
            let hopeless = bytes > self.levels[0].capacity;
            let victim = self.victim(&state, 0).filter(|_| !hopeless);
            let Some(victim) = victim else { return Err(TierError::Full { bytes, free }) };
            if let Some(entry) = state.entries.get_mut(&victim) {
                entry.busy = true;
            }
            drop(state);
            self.evict(0, &victim);
        }
    }

    /// Reads content that is marked busy into memory that is reserved for it first.
    fn load(
        &self,
        tier: usize,
        digest: &Digest,
        reserve: impl Fn(u64, u64) -> Result<Lease, TierError>,
    ) -> Result<Option<Arc<Region>>, TierError> {
        let sizes = self.lock().entries.get(digest).map(|entry| (entry.bytes, entry.length));
        let Some((bytes, length)) = sizes else { return Ok(None) };
        // A chunk stands in memory beside the region while it is read.
        let lease = reserve(bytes, length.min(CHUNK as u64));
        let loaded = lease.and_then(|mut lease| {
            let region = self.read(tier, digest)?;
            lease.shrink(bytes);
            Ok((Arc::new(region), lease))
        });
        let mut state = self.lock();
        let result = match loaded {
            Ok((region, lease)) => {
                self.promote(&mut state, tier, digest, Arc::clone(&region), lease);
                Ok(Some(region))
            }
            Err(error) => {
                self.lose(&mut state, tier, digest, &error);
                Err(error)
            }
        };
        self.settle(&mut state, digest);
        result
    }

    fn read(&self, tier: usize, digest: &Digest) -> Result<Region, TierError> {
        let missing = || BlobError::Missing { store: "no store".into(), digest: *digest };
        let Opened { length, mut stream } = self.store(tier).ok_or_else(missing)?.open(digest)?;
        Ok(decode(&mut stream, length)?)
    }

    fn promote(
        &self,
        state: &mut TierState,
        tier: usize,
        digest: &Digest,
        region: Arc<Region>,
        lease: Lease,
    ) {
        let now = state.tick();
        let Some(entry) = state.entries.get_mut(digest) else { return };
        (entry.came[0], entry.used) = (now, now);
        state.statistics.tiers[tier].bytes_out += entry.length;
        state.statistics.tiers[0].bytes_in += entry.bytes;
        // What memory has no share for is only handed out, so that it goes with its holder.
        if entry.bytes > self.levels[0].capacity && entry.pins == 0 {
            return state.linger(&region, lease);
        }
        state.used[0] += entry.bytes;
        entry.memory = Some((region, lease));
    }

    /// Forgets a damaged copy; content without another copy is lost.
    fn lose(&self, state: &mut TierState, tier: usize, digest: &Digest, error: &TierError) {
        use crate::codec::CodecError;
        let untrusted = matches!(
            error,
            TierError::Blob(
                BlobError::Damaged { .. } | BlobError::Missing { .. } | BlobError::Foreign { .. }
            ) | TierError::Codec(CodecError::Stream(BlobError::Damaged { .. } | BlobError::Missing { .. }))
                | TierError::Codec(CodecError::Form { .. } | CodecError::Size { .. } | CodecError::Region(_))
        );
        if !untrusted {
            return;
        }
        self.leave_store(state, tier, digest);
        if state.entries.get(digest).is_some_and(|entry| entry.first_below().is_none()) {
            self.remove(state, digest);
        }
    }
}

fn look(state: &mut TierState, digest: &Digest) -> ContentPlace {
    let now = state.tick();
    if let Some(entry) = state.entries.get_mut(digest) {
        entry.used = now;
    }
    look_without_use(state, digest)
}

fn look_without_use(state: &mut TierState, digest: &Digest) -> ContentPlace {
    let Some(entry) = state.entries.get_mut(digest) else { return ContentPlace::Nowhere };
    match (&entry.memory, entry.busy, entry.first_below()) {
        (Some((region, _)), ..) => ContentPlace::Memory(Arc::clone(region)),
        (None, true, _) => ContentPlace::Busy,
        (None, false, None) => ContentPlace::Nowhere,
        (None, false, Some(tier)) => {
            entry.busy = true;
            ContentPlace::Below(tier)
        }
    }
}
