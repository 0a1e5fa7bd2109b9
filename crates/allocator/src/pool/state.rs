//! The accounts of the pool: which blocks are lent, which freed ones are kept, and how many may be kept.

use std::cell::Cell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use super::pages::{PAGE, PageBlock, slab};

/// Blocks begin at different distances from the beginning of a page, in steps of this. If all began with a page, the same
/// pixel of several images would always lie in the same few cache lines.
const STEP: usize = 192;

/// Freed blocks that are kept at most.
pub(super) const MOST_KEPT: usize = 256;

/// How many bytes above the most that was ever lent at once may stay because freed blocks are kept, where the limit allows it:
/// blocks of several sizes that are requested in turn.
const SPARE: usize = 32 << 20;

/// Bytes of a slab, the unit in which memory is taken from the system; blocks of more than a quarter of it have one of their own.
const SLAB: usize = 1 << 25;

#[derive(Debug)]
pub(super) struct PoolState {
    pub(super) lent: usize,
    most_lent: usize,
    pub(super) kept_bytes: usize,
    /// Lent and kept blocks must fit in this together, else kept ones are returned to the system.
    limit: usize,
    /// The oldest first; those from `count` on are empty.
    kept: [PageBlock; MOST_KEPT],
    count: usize,
    /// How far from the beginning of a page the last fresh block began.
    beside: usize,
    /// The unused part of the last slab.
    rest: PageBlock,
}

thread_local! {
    /// The number of this thread among those that ever had a block; 0 before it has one.
    static NUMBER: Cell<u32> = const { Cell::new(0) };
}

/// The number of the calling thread.
pub(super) fn thread() -> u32 {
    static THREADS: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.try_with(|number| {
        if number.get() == 0 {
            number.set(THREADS.fetch_add(1, Ordering::Relaxed).wrapping_add(1));
        }
        number.get()
    });
    number.unwrap_or(0)
}

impl PoolState {
    pub(super) const fn new() -> Self {
        let rest = PageBlock { start: null_mut(), bytes: 0, by: 0 };
        let kept = [rest; MOST_KEPT];
        Self { lent: 0, most_lent: 0, kept_bytes: 0, limit: 0, kept, count: 0, beside: 0, rest }
    }

    /// Changes the limit, and returns what exceeds it.
    pub(super) fn set_limit(&mut self, bytes: usize) {
        self.limit = bytes;
        self.lend(0);
    }

    /// Counts lent bytes, and returns kept blocks that no longer fit beside them.
    pub(super) fn lend(&mut self, bytes: usize) {
        self.lent += bytes;
        self.most_lent = self.most_lent.max(self.lent);
        self.release((self.lent + self.kept_bytes).saturating_sub(self.room()));
    }

    /// Bytes that may be lent and kept together.
    fn room(&self) -> usize {
        self.most_lent.saturating_add(SPARE).min(self.limit).max(self.most_lent)
    }

    /// Undoes [`Self::lend`] for bytes that the system refused.
    pub(super) fn take_back(&mut self, bytes: usize) {
        self.lent -= bytes;
        self.most_lent = self.lent;
    }

    /// Keeps a freed block, in place of the oldest where there are too many.
    pub(super) fn keep(&mut self, block: PageBlock) {
        if self.count == MOST_KEPT {
            self.remove(0).unmap();
        }
        self.kept[self.count] = block;
        self.count += 1;
        self.kept_bytes += block.bytes;
    }

    /// Returns kept blocks of at least so many bytes to the system, or all of them; the oldest first.
    pub(super) fn release(&mut self, bytes: usize) {
        let least = self.kept_bytes.saturating_sub(bytes);
        while self.kept_bytes > least {
            self.remove(0).unmap();
        }
    }

    /// A kept block of this size; without room for a fresh block, the one nearest in size.
    pub(super) fn choose(&mut self, bytes: usize) -> Option<PageBlock> {
        let room = self.lent + self.kept_bytes + bytes <= self.room();
        self.take_exact(bytes).or_else(|| if room { None } else { self.take_nearest(bytes) })
    }

    /// Of several blocks the newest that the same thread gave back: the caches of its processor may still hold it.
    pub(super) fn take_exact(&mut self, bytes: usize) -> Option<PageBlock> {
        let (kept, own) = (&self.kept[..self.count], thread());
        let same = kept.iter().rposition(|block| block.bytes == bytes && block.by == own);
        let place = same.or_else(|| kept.iter().position(|block| block.bytes == bytes))?;
        Some(self.remove(place))
    }

    fn take_nearest(&mut self, bytes: usize) -> Option<PageBlock> {
        let nearest = (0..self.count).min_by_key(|place| self.kept[*place].bytes.abs_diff(bytes))?;
        Some(self.remove(nearest))
    }

    fn remove(&mut self, place: usize) -> PageBlock {
        let block = self.kept[place];
        self.kept.copy_within(place + 1..self.count, place);
        self.count -= 1;
        self.kept_bytes -= block.bytes;
        block
    }

    /// Pages that were never lent.
    pub(super) fn fresh(&mut self, bytes: usize) -> Option<*mut u8> {
        if bytes > SLAB / 4 {
            return slab(bytes);
        }
        if self.rest.bytes < bytes {
            let old = std::mem::replace(&mut self.rest, PageBlock { start: slab(SLAB)?, bytes: SLAB, by: 0 });
            old.unmap();
        }
        let first = self.rest.start;
        self.rest = PageBlock { start: first.wrapping_add(bytes), bytes: self.rest.bytes - bytes, by: 0 };
        Some(first)
    }

    /// How far behind the beginning of a page the next fresh block begins.
    pub(super) fn next_beside(&mut self) -> usize {
        self.beside = (self.beside + STEP) % PAGE;
        self.beside
    }
}
