//! Moving content down: out of memory or out of a store, into the first tier below that takes it.

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use onceflow_region::Digest;

use super::TierError;
use super::shared::SharedTiers;
use crate::blob::{BlobContent, BlobError, Opened};
use crate::codec::EncodedRegion;

impl SharedTiers {
    /// Evicts content from memory now, on the calling thread, even when a reader holds the region.
    pub(super) fn send_down(&self, digest: &Digest) -> Result<(), TierError> {
        let mut state = self.lock();
        loop {
            let Some(entry) = state.entries.get_mut(digest).filter(|entry| entry.is_in(0)) else {
                return Ok(());
            };
            if !entry.busy {
                entry.busy = true;
                break;
            }
            state = self.wait(state);
        }
        drop(state);
        self.evict(0, digest);
        let state = self.lock();
        let stays = state.entries.get(digest).filter(|entry| entry.first_below().is_none());
        let Some(bytes) = stays.map(|entry| entry.length) else { return Ok(()) };
        drop(state);
        self.surface()?;
        Err(TierError::Stuck { bytes })
    }

    /// Makes content that is marked busy leave a tier; tells whether it did.
    pub(super) fn evict(&self, tier: usize, digest: &Digest) -> bool {
        // Whether it left or was pinned meanwhile; `None` when no tier took it.
        let left = self
            .leave_copy(tier, digest)
            .or_else(|| (tier + 1..self.levels.len()).find_map(|to| self.move_down(tier, to, digest)))
            .or_else(|| self.drop_content(digest));
        let mut state = self.lock();
        if let Some(entry) = state.entries.get_mut(digest) {
            entry.stuck = left.is_none();
        }
        let gone = left == Some(true);
        state.statistics.tiers[tier].evictions += u64::from(gone);
        self.settle(&mut state, digest);
        gone
    }

    /// Content that lies elsewhere too just leaves.
    fn leave_copy(&self, tier: usize, digest: &Digest) -> Option<bool> {
        let elsewhere = self.lock().entries.get(digest).is_some_and(|entry| entry.is_elsewhere(tier));
        elsewhere.then(|| self.leave(tier, digest))
    }

    /// Takes content out of one tier, unless it has been pinned to memory meanwhile.
    fn leave(&self, tier: usize, digest: &Digest) -> bool {
        let mut state = self.lock();
        if tier > 0 {
            self.leave_store(&mut state, tier, digest);
            return true;
        }
        let pinned = state.entries.get(digest).is_some_and(|entry| entry.pins > 0);
        if !pinned {
            state.leave_memory(digest);
        }
        !pinned
    }

    fn move_down(&self, from: usize, to: usize, digest: &Digest) -> Option<bool> {
        let length = self.lock().entries.get(digest).map(|entry| entry.length)?;
        if self.lock().broken[to] || !self.make_room(to, length) {
            return None;
        }
        match self.copy(from, to, digest) {
            Ok(()) => self.arrive(from, to, digest),
            Err(error) => {
                self.fail(from, to, length, digest, error);
                return None;
            }
        }
        Some(self.leave(from, digest))
    }

    /// Sets bytes of a tier aside, making others leave for them; tells whether there is room.
    pub(super) fn make_room(&self, tier: usize, bytes: u64) -> bool {
        let capacity = self.levels[tier].capacity;
        if bytes > capacity {
            return false;
        }
        loop {
            let mut state = self.lock();
            if state.used[tier] + bytes <= capacity {
                state.used[tier] += bytes;
                return true;
            }
            let Some(victim) = self.victim(&state, tier) else { return false };
            if let Some(entry) = state.entries.get_mut(&victim) {
                entry.busy = true;
            }
            drop(state);
            self.evict(tier, &victim);
        }
    }

    fn copy(&self, from: usize, to: usize, digest: &Digest) -> Result<(), TierError> {
        let Some(target) = self.store(to) else { return Ok(()) };
        if let Some(source) = self.store(from) {
            return Ok(target.write(digest, &Copied::new(source.open(digest)?))?);
        }
        let memory =
            |entry: &super::entry::TierEntry| entry.memory.as_ref().map(|(region, _)| Arc::clone(region));
        let region = self.lock().entries.get(digest).and_then(memory);
        let missing = || BlobError::Missing { store: "memory".into(), digest: *digest };
        let region = region.ok_or_else(missing)?;
        Ok(target.write(digest, &EncodedRegion::new(&*region)?)?)
    }

    fn arrive(&self, from: usize, to: usize, digest: &Digest) {
        let mut state = self.lock();
        let now = state.tick();
        let Some(entry) = state.entries.get_mut(digest) else { return };
        entry.below[to] = true;
        entry.came[to] = now;
        let (left, came) = (entry.size(from), entry.size(to));
        state.statistics.tiers[from].bytes_out += left;
        state.statistics.tiers[to].bytes_in += came;
    }

    /// A store failed. When it was the one that was read from, what it had of the content is lost.
    fn fail(&self, from: usize, to: usize, length: u64, digest: &Digest, error: TierError) {
        let mut state = self.lock();
        state.used[to] -= length;
        match &error {
            TierError::Blob(BlobError::Damaged { .. } | BlobError::Missing { .. }) => {
                self.leave_store(&mut state, from, digest);
            }
            _ => state.broken[to] = true,
        }
        state.errors.push_back(error);
    }

    /// Content for which no tier has room is dropped, if it may be.
    fn drop_content(&self, digest: &Digest) -> Option<bool> {
        let mut state = self.lock();
        let Some(entry) = state.entries.get(digest) else { return Some(true) };
        let lost = !(0..self.levels.len()).any(|tier| entry.is_in(tier));
        if entry.cost.droppable && entry.pins == 0 || lost {
            self.remove(&mut state, digest);
            state.statistics.dropped += 1;
            return Some(true);
        }
        (entry.pins > 0 && entry.is_in(0)).then_some(false)
    }
}

/// A blob on its way from one store to another.
struct Copied {
    length: u64,
    stream: Mutex<Box<dyn Read + Send>>,
}

impl Copied {
    fn new(opened: Opened) -> Copied {
        Copied { length: opened.length, stream: Mutex::new(opened.stream) }
    }
}

impl BlobContent for Copied {
    fn length(&self) -> u64 {
        self.length
    }

    fn write_to(&self, to: &mut dyn Write) -> io::Result<()> {
        io::copy(&mut *self.stream.lock().unwrap_or_else(PoisonError::into_inner), to).map(drop)
    }
}
