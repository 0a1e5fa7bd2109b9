//! The allocator of onceflow's programs. It counts the bytes that each thread holds, so that a run can record the memory of
//! each operation, and it manages large blocks itself, so that resident memory stays close to the memory in use.
//!
//! A program installs it once:
//!
//! ```
//! use onceflow_allocator::CountingAllocator;
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! onceflow_allocator::begin_counting();
//! drop(vec![0u8; 5000]);
//! assert!(onceflow_allocator::peak_counted() >= 5000);
//! ```
#![allow(
    unsafe_code,
    reason = "`GlobalAlloc` is an unsafe trait; small blocks are the system allocator's, large ones those of `BlockPool`"
)]

mod count;
#[cfg(target_os = "linux")]
mod pool;

use std::alloc::{GlobalAlloc, Layout, System};
#[cfg(target_os = "linux")]
use std::ptr::{NonNull, null_mut};

pub use count::{begin_counting, peak_counted};

/// Counts the bytes of each thread; takes small blocks from the system's allocator and large ones from a pool.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

/// Blocks of at least this size come from the pool. The system's allocator takes them from a heap of each thread, where freed
/// blocks stay resident. That is fine for smaller blocks: it reuses them while caches still hold them, and they are few.
#[cfg(target_os = "linux")]
const LARGE: usize = 1 << 16;

/// The alignment of every block of the pool.
#[cfg(target_os = "linux")]
const ALIGNED: usize = 64;

#[cfg(target_os = "linux")]
static POOL: pool::BlockPool = pool::BlockPool::new();

/// From now on the pool keeps freed blocks only while they fit in so many bytes together with the blocks in use.
pub fn limit_pool(bytes: u64) {
    #[cfg(target_os = "linux")]
    POOL.limit(usize::try_from(bytes).unwrap_or(usize::MAX));
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// Returns all freed blocks of the pool to the system: the next request gets new memory.
pub fn release_freed() {
    #[cfg(target_os = "linux")]
    POOL.release();
}

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

// SAFETY: the layout alone decides whether a block is the system allocator's or the pool's, so each block returns to its origin.
// Counting touches only a thread-local cell, which allocates nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count::add(signed(layout.size()));
        #[cfg(target_os = "linux")]
        if is_large(layout) {
            return POOL.take(layout.size()).map_or(null_mut(), |lent| lent.start.as_ptr());
        }
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count::add(signed(layout.size()));
        #[cfg(target_os = "linux")]
        if is_large(layout) {
            return POOL.take(layout.size()).map_or(null_mut(), |lent| zeroed(lent, layout.size()));
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count::add(signed(size) - signed(layout.size()));
        #[cfg(target_os = "linux")]
        {
            // SAFETY: the caller promises that the size does not overflow with this alignment.
            let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
            match (is_large(layout), is_large(new)) {
                (false, false) => {}
                // SAFETY: a large block came from the pool.
                (true, true) => {
                    let resized = unsafe { POOL.resize(memory, layout.size(), size) };
                    return resized.map_or(null_mut(), NonNull::as_ptr);
                }
                // SAFETY: the caller's promises are those of this function.
                _ => return unsafe { self.moved(memory, layout, new) },
            }
        }
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count::add(-signed(layout.size()));
        #[cfg(target_os = "linux")]
        if is_large(layout) {
            // SAFETY: a large block came from the pool, and the caller no longer uses it.
            return unsafe { POOL.give(memory, layout.size()) };
        }
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[cfg(target_os = "linux")]
fn is_large(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= ALIGNED
}

/// A block filled with zeros as far as it was used before.
#[cfg(target_os = "linux")]
fn zeroed(lent: pool::LentBlock, size: usize) -> *mut u8 {
    let start = lent.start.as_ptr();
    // SAFETY: the block has these bytes, and only the caller has it.
    unsafe { start.write_bytes(0, lent.used.min(size)) };
    start
}

#[cfg(target_os = "linux")]
impl CountingAllocator {
    /// Moves a block between the system's allocator and the pool, as its new size asks.
    ///
    /// # Safety
    /// As [`GlobalAlloc::realloc`].
    unsafe fn moved(&self, memory: *mut u8, old: Layout, new: Layout) -> *mut u8 {
        // `realloc` has counted the difference already; `alloc` and `dealloc` count it again below.
        count::add(signed(old.size()) - signed(new.size()));
        // SAFETY: the new layout is valid; both blocks have the bytes that are copied, and are different ones.
        unsafe {
            let target = self.alloc(new);
            if !target.is_null() {
                target.copy_from_nonoverlapping(memory, old.size().min(new.size()));
                self.dealloc(memory, old);
            }
            target
        }
    }
}
