//! The allocator of the program: the system's, which also counts what each thread holds, so that runs can remember how much
//! memory operations take.
#![allow(
    unsafe_code,
    reason = "an allocator is unsafe by its trait; every call goes to the system's with its arguments as they are"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use onceflow_engine::Meter;

/// Counts and hands on.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Bytes that this thread has taken less those it has given back, and the most of it, since counting began.
    static HELD: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

/// What runs measure memory with.
pub(crate) const METER: Meter = Meter { begin, peak };

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

// SAFETY: every method is the system allocator's own; counting touches no memory but a cell of the thread, which takes none.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(signed(size) - signed(layout.size()));
        // SAFETY: as above.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-signed(layout.size()));
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
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
