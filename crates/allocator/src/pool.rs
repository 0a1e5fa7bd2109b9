//! Large blocks of memory. A freed block is kept for the next request, since fresh pages cost more than many an operation. Lent
//! and kept blocks together are little more than was once lent at a time, and kept blocks never exceed a limit. So the resident
//! peak is close to the peak in use, which is what runs reserve.
#![allow(unsafe_code, reason = "memory comes from the system as addresses")]

mod pages;
mod state;
#[cfg(test)]
mod tests;

use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pages::{PageBlock, begun, whole};
use state::{PoolState, thread};

/// All large blocks of the program.
#[derive(Debug)]
pub(super) struct BlockPool(Mutex<PoolState>);

/// A block in use, and how many of its first bytes may be other than zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct LentBlock {
    pub(super) start: NonNull<u8>,
    pub(super) used: usize,
}

impl BlockPool {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(PoolState::new()))
    }

    /// From now on freed blocks are kept only while they fit in so many bytes together with lent ones.
    pub(super) fn limit(&self, bytes: usize) {
        self.state().set_limit(bytes);
    }

    /// Returns all kept blocks to the system.
    pub(super) fn release(&self) {
        self.state().release(usize::MAX);
    }

    /// A block of at least so many bytes, aligned to 64.
    pub(super) fn take(&self, bytes: usize) -> Option<LentBlock> {
        let bytes = whole(bytes)?;
        let mut state = self.state();
        let (kept, beside) = (state.choose(bytes), state.next_beside());
        state.lend(bytes);
        drop(state);
        let resized = kept.and_then(|block| {
            block.resized(bytes).or_else(|| {
                block.unmap();
                None
            })
        });
        let fresh = || begun(self.state().fresh(bytes)?, beside);
        let start = resized.or_else(fresh).or_else(|| self.last_resort(fresh));
        if start.is_none() {
            self.state().take_back(bytes);
        }
        Some(LentBlock { start: start?, used: resized.and(kept).map_or(0, |block| block.bytes) })
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// It came from this pool for this number of bytes, and the caller does not use it again.
    pub(super) unsafe fn give(&self, start: *mut u8, bytes: usize) {
        let Some(bytes) = whole(bytes) else { return };
        let mut state = self.state();
        state.lent -= bytes;
        state.keep(PageBlock { start, bytes, by: thread() });
    }

    /// Makes a block larger or smaller; its address may change.
    ///
    /// # Safety
    /// It came from this pool for the first number of bytes; after success the caller does not use its old address again.
    pub(super) unsafe fn resize(&self, start: *mut u8, from: usize, to: usize) -> Option<NonNull<u8>> {
        let (used, from, to) = (from.min(to), whole(from)?, whole(to)?);
        let block = PageBlock { start, bytes: from, by: thread() };
        if from == to {
            return NonNull::new(start);
        }
        let mut state = self.state();
        if let Some(exact) = state.take_exact(to) {
            state.lent += to;
            drop(state);
            // SAFETY: both blocks have these bytes, and they are different ones.
            unsafe { exact.start.copy_from_nonoverlapping(start, used) };
            let mut state = self.state();
            state.lent -= from;
            state.keep(block);
            return NonNull::new(exact.start);
        }
        state.lent -= from;
        state.lend(to);
        drop(state);
        let resized = block.resized(to).or_else(|| self.last_resort(|| block.resized(to)));
        if resized.is_none() {
            let mut state = self.state();
            state.take_back(to);
            state.lend(from);
        }
        resized
    }

    /// The system refused: returns all kept blocks to it, and asks again.
    fn last_resort(&self, again: impl FnOnce() -> Option<NonNull<u8>>) -> Option<NonNull<u8>> {
        self.state().release(usize::MAX);
        again()
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
