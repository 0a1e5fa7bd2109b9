//! Prefetches memory that will be read soon. Only speed depends on it.
//!
//! The program knows long before what it will read, the processor does not: rows of small windows are far apart. The
//! instruction is marked unsafe because it takes any address; it ignores invalid ones.

/// Loads the cache line of an element into the cache; an index beyond the end is ignored.
#[inline(always)]
#[allow(unsafe_code, reason = "a hint about memory that is there")]
pub fn prefetch<T>(memory: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = memory.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is that of an element, and nothing is read from it or written to it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (memory, index);
}
