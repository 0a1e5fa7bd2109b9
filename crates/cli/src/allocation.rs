//! The allocator of the program. It counts what each thread holds, so that runs can remember how much memory operations
//! take, and it keeps large blocks itself, so that what is resident is what is in use (`blocks.rs`).
#![allow(
    unsafe_code,
    reason = "an allocator is unsafe by its trait; small blocks are the system's, large ones those of `blocks.rs`"
)]

#[cfg(target_os = "linux")]
mod blocks;
#[cfg(test)]
mod declared;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
#[cfg(target_os = "linux")]
use std::ptr::{NonNull, null_mut};

use onceflow_engine::Meter;

/// Counts and hands on.
struct Counting;

/// From here on blocks are ours. The system's allocator takes them from heaps of each thread, and what is given back stays
/// resident there. It may do so with smaller ones: it uses them again while caches still hold them, and they are few.
#[cfg(target_os = "linux")]
const LARGE: usize = 1 << 16;

/// The alignment that they all have.
#[cfg(target_os = "linux")]
const ALIGNED: usize = 64;

#[cfg(target_os = "linux")]
static BLOCKS: blocks::Blocks = blocks::Blocks::new();

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Bytes that this thread has taken less those it has given back, and the most of it, since counting began.
    static HELD: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

/// What runs measure memory with.
pub(crate) const METER: Meter = Meter { begin, peak };

/// From now on no more large blocks are kept than fit in so many bytes beside those in use.
pub(crate) fn bound(bytes: u64) {
    #[cfg(target_os = "linux")]
    BLOCKS.bound(usize::try_from(bytes).unwrap_or(usize::MAX));
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// Gives all large blocks back to the system that nobody uses: whoever asks next gets new memory.
pub(crate) fn let_go() {
    #[cfg(target_os = "linux")]
    BLOCKS.let_go();
}

fn begin() {
    HELD.with(|held| held.set((0, 0)));
}

fn peak() -> u64 {
    HELD.with(|held| u64::try_from(held.get().1).unwrap_or_default())
}

fn count(bytes: i64) {
    // A thread that is ending has nothing to count with any more.
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        held.set((now + bytes, most.max(now + bytes)));
    });
}

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

// SAFETY: a block is the system allocator's or one of `BLOCKS`, by its layout alone, and goes back where it came from.
// Counting touches no memory but a cell of the thread, which takes none.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        #[cfg(target_os = "linux")]
        if is_large(layout) {
            return BLOCKS.take(layout.size()).map_or(null_mut(), |lent| lent.start.as_ptr());
        }
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        #[cfg(target_os = "linux")]
        if is_large(layout) {
            return BLOCKS.take(layout.size()).map_or(null_mut(), |lent| zeroed(lent, layout.size()));
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(signed(size) - signed(layout.size()));
        #[cfg(target_os = "linux")]
        {
            // SAFETY: the caller promises that the size does not overflow with this alignment.
            let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
            match (is_large(layout), is_large(new)) {
                (false, false) => {}
                // SAFETY: a large block came from there.
                (true, true) => {
                    let resized = unsafe { BLOCKS.resize(memory, layout.size(), size) };
                    return resized.map_or(null_mut(), NonNull::as_ptr);
                }
                // SAFETY: the caller's promises are those of this one.
                _ => return unsafe { self.moved(memory, layout, new) },
            }
        }
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-signed(layout.size()));
        #[cfg(target_os = "linux")]
        if is_large(layout) {
            // SAFETY: a large block came from there, and the caller is done with it.
            return unsafe { BLOCKS.give(memory, layout.size()) };
        }
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[cfg(target_os = "linux")]
fn is_large(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= ALIGNED
}

/// A block with zeros where somebody had it before.
#[cfg(target_os = "linux")]
fn zeroed(lent: blocks::Lent, size: usize) -> *mut u8 {
    let start = lent.start.as_ptr();
    // SAFETY: the block has these bytes, and nobody else has it.
    unsafe { start.write_bytes(0, lent.used.min(size)) };
    start
}

#[cfg(target_os = "linux")]
impl Counting {
    /// A block that is on the other side of the border when it has its new size.
    ///
    /// # Safety
    /// As [`GlobalAlloc::realloc`].
    unsafe fn moved(&self, memory: *mut u8, old: Layout, new: Layout) -> *mut u8 {
        // What is counted here has been counted: the two are undone.
        count(signed(old.size()) - signed(new.size()));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_that_is_held_is_counted() {
        begin();
        let kept = vec![1u8; 1000];
        drop(vec![0u64; 1000]);
        let mut grown: Vec<u8> = Vec::with_capacity(10);
        grown.reserve_exact(2000);
        assert!((9000..9100).contains(&peak()), "{}", peak());
        drop((kept, grown));
        assert!((9000..9100).contains(&peak()));
        begin();
        assert_eq!(peak(), 0);
        let other = std::thread::spawn(|| drop(vec![0u8; 1 << 20]));
        other.join().unwrap();
        assert!(peak() < 1 << 16, "other threads count for themselves");
    }
}
