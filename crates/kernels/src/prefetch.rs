//! Tells the processor what will be read soon. Nothing but speed may depend on it.
//!
//! What is read next is known here long before it is read, but to no processor: rows of small windows are far apart. The
//! instruction for that is said to be unsafe since it takes any address, and it is harmless since it ignores wrong ones.

/// Brings the cache line of an element closer; an index beyond the end is ignored.
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
