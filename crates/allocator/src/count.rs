//! How many bytes each thread holds, and the most that it held.

use std::cell::Cell;

thread_local! {
    /// Bytes that this thread took minus those it gave back, and the maximum of it, since counting began.
    static HELD: Cell<(i64, i64)> = const { Cell::new((0, 0)) };
}

/// Counts from zero from now on, in this thread.
pub fn begin_counting() {
    HELD.with(|held| held.set((0, 0)));
}

/// Most bytes that this thread held at once since counting began.
pub fn peak_counted() -> u64 {
    HELD.with(|held| u64::try_from(held.get().1).unwrap_or_default())
}

pub(crate) fn add(bytes: i64) {
    // A thread that is ending has no cell any more.
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        held.set((now + bytes, most.max(now + bytes)));
    });
}
