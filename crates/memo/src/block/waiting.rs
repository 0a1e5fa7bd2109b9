//! Blocks that have ended and are not in the store yet: so many, and so many bytes, at most. Then a program waits for the disk.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use onceflow_products::{Maker, ProductKey};

use crate::{MemoEntry, MemoError};

/// So many blocks wait at most.
const MOST: usize = 1024;

/// So many bytes wait at most, or one block that has more.
const MOST_BYTES: usize = 64 << 20;

/// A block that has ended.
#[derive(Clone, Debug)]
pub(super) struct EndedBlock {
    pub(super) key: ProductKey,
    pub(super) entry: Arc<MemoEntry>,
    pub(super) seconds: f64,
    pub(super) maker: Maker,
}

/// The blocks that wait, for the threads that end them and the one that keeps them.
#[derive(Debug, Default)]
pub(super) struct WaitingBlocks {
    state: Mutex<WaitingState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct WaitingState {
    /// Those that nothing has been done with.
    new: Vec<EndedBlock>,
    /// Those that are not in the store, by key.
    entries: HashMap<ProductKey, Arc<MemoEntry>>,
    /// How many are not in the store, and their bytes.
    blocks: usize,
    bytes: usize,
    error: Option<MemoError>,
    /// No more blocks will end.
    is_over: bool,
    /// Nothing is kept any more.
    is_stopped: bool,
}

impl EndedBlock {
    fn bytes(&self) -> usize {
        self.entry.parts.iter().map(|part| part.content.as_ref().map_or(0, Vec::len)).sum()
    }
}

impl WaitingState {
    fn has_room(&self, bytes: usize) -> bool {
        self.blocks < MOST && (self.blocks == 0 || self.bytes + bytes <= MOST_BYTES)
    }
}

impl WaitingBlocks {
    /// What a block gave that is not in the store yet.
    pub(super) fn entry(&self, key: ProductKey) -> Option<Arc<MemoEntry>> {
        self.lock().entries.get(&key).cloned()
    }

    /// Adds a block, when there is room for it; gives the error of an earlier one.
    pub(super) fn add(&self, block: EndedBlock) -> Option<MemoError> {
        let bytes = block.bytes();
        let mut state = self.wait_while(|state| !state.is_stopped && !state.has_room(bytes));
        // A store that nothing is kept in costs time only.
        if !state.is_stopped {
            state.entries.insert(block.key, Arc::clone(&block.entry));
            state.blocks += 1;
            state.bytes += bytes;
            state.new.push(block);
            self.changed.notify_all();
        }
        state.error.take()
    }

    /// Waits until all blocks are in the store; gives the error of one that is not.
    pub(super) fn finish(&self) -> Option<MemoError> {
        self.wait_while(|state| !state.is_stopped && state.blocks > 0).error.take()
    }

    /// All blocks that wait, once there are any; none when no more will end.
    pub(super) fn take(&self) -> Vec<EndedBlock> {
        std::mem::take(&mut self.wait_while(|state| state.new.is_empty() && !state.is_over).new)
    }

    /// These blocks are in the store, or never will be.
    pub(super) fn done(&self, blocks: &[EndedBlock], error: Option<MemoError>) {
        let mut state = self.lock();
        for block in blocks {
            state.entries.remove(&block.key);
            state.bytes -= block.bytes();
        }
        state.blocks -= blocks.len();
        state.error = error.or(state.error.take());
        self.changed.notify_all();
    }

    /// No more blocks will end.
    pub(super) fn close(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Nothing is kept any more.
    pub(super) fn stop(&self) {
        let mut state = self.lock();
        state.is_stopped = true;
        state.entries.clear();
        self.changed.notify_all();
    }

    fn wait_while(&self, wait: impl Fn(&WaitingState) -> bool) -> MutexGuard<'_, WaitingState> {
        let state = self.lock();
        self.changed.wait_while(state, |state| wait(state)).unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, WaitingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{MemoPart, MemoRole};

    fn block(number: usize, bytes: usize) -> EndedBlock {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&number.to_le_bytes());
        let parts = vec![MemoPart::new(MemoRole::Product, "x", vec![0; bytes])];
        let entry = Arc::new(MemoEntry { parts, ..MemoEntry::default() });
        EndedBlock { key: ProductKey(key), entry, seconds: 0.0, maker: Maker::default() }
    }

    #[test]
    fn there_is_room_for_so_many_blocks_and_bytes_and_for_one_alone() {
        let with = |blocks, bytes| WaitingState { blocks, bytes, ..WaitingState::default() };
        assert!(with(0, 0).has_room(MOST_BYTES + 1), "one that has more waits alone");
        assert!(with(MOST - 1, 0).has_room(1) && !with(MOST, 0).has_room(1));
        assert!(with(1, MOST_BYTES - 1).has_room(1) && !with(1, MOST_BYTES - 1).has_room(2));
    }

    #[test]
    fn a_program_waits_until_there_is_room() {
        let waiting = WaitingBlocks::default();
        (0..MOST).for_each(|number| drop(waiting.add(block(number, 1))));
        std::thread::scope(|scope| {
            let more = scope.spawn(|| waiting.add(block(MOST, 1)));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!more.is_finished() && waiting.entry(block(MOST, 1).key).is_none());
            waiting.done(&waiting.take(), None);
            assert!(more.join().unwrap().is_none());
        });
        assert_eq!(waiting.take().len(), 1);
    }

    #[test]
    fn a_block_is_known_until_it_is_done_and_nothing_waits_for_what_has_stopped() {
        let waiting = WaitingBlocks::default();
        waiting.add(block(7, 3));
        let taken = waiting.take();
        assert!(waiting.entry(taken[0].key).is_some(), "it is not in the store yet");
        waiting.done(&taken, Some(MemoError::Twice { name: "x".into() }));
        assert!(waiting.entry(taken[0].key).is_none());
        assert!(matches!(waiting.finish(), Some(MemoError::Twice { .. })) && waiting.finish().is_none());
        waiting.add(block(8, 3));
        waiting.stop();
        assert!(waiting.finish().is_none());
        assert!((0..2 * MOST).all(|number| waiting.add(block(number, 3)).is_none()));
        assert!(waiting.entry(block(1, 3).key).is_none());
    }
}
