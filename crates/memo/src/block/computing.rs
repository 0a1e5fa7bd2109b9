//! Blocks that are computed now, by the thread that computes them: one that begins itself is found, and so are values that are
//! recorded in one.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use onceflow_products::ProductKey;

/// The blocks that are computed now.
#[derive(Debug, Default)]
pub(super) struct ComputedBlocks {
    blocks: Mutex<Vec<ComputingNow>>,
}

#[derive(Debug)]
struct ComputingNow {
    thread: ThreadId,
    key: ProductKey,
    /// A variable whose history was changed meanwhile.
    recorded: Option<String>,
}

/// The place of a block that is computed; it is given back when this is dropped.
#[derive(Debug)]
pub(super) struct ComputedBlock<'a> {
    of: &'a ComputedBlocks,
    thread: ThreadId,
    key: ProductKey,
}

impl ComputedBlocks {
    /// The block is computed from now on; none when this thread computes it already.
    pub(super) fn begin(&self, key: ProductKey) -> Option<ComputedBlock<'_>> {
        if self.is_computed_here(key) {
            return None;
        }
        let thread = thread::current().id();
        self.lock().push(ComputingNow { thread, key, recorded: None });
        Some(ComputedBlock { of: self, thread, key })
    }

    /// Whether this thread computes the block. Several threads may compute the same.
    pub(super) fn is_computed_here(&self, key: ProductKey) -> bool {
        let thread = thread::current().id();
        self.lock().iter().any(|block| block.is(thread, key))
    }

    /// A history is changed by what this thread computes.
    pub(super) fn note_history(&self, variable: &str) {
        let thread = thread::current().id();
        for block in self.lock().iter_mut().filter(|block| block.thread == thread) {
            block.recorded.get_or_insert_with(|| variable.to_owned());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ComputingNow>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ComputingNow {
    fn is(&self, thread: ThreadId, key: ProductKey) -> bool {
        (self.thread, self.key) == (thread, key)
    }
}

impl ComputedBlock<'_> {
    /// A variable whose history was changed while the block was computed.
    pub(super) fn recorded(&self) -> Option<String> {
        let blocks = self.of.lock();
        blocks.iter().find(|block| block.is(self.thread, self.key))?.recorded.clone()
    }
}

impl Drop for ComputedBlock<'_> {
    fn drop(&mut self) {
        self.of.lock().retain(|block| !block.is(self.thread, self.key));
    }
}
