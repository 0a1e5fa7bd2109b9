//! Pages of the system: how they are taken, resized and returned, and the sizes of blocks.
#![allow(unsafe_code, reason = "memory comes from the system as addresses")]

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

use rustix::mm::{Advice, MapFlags, MremapFlags, ProtFlags, madvise, mmap_anonymous, mremap, munmap};
use rustix::param::page_size;

/// Blocks are whole multiples of this, or of the machine's pages where those are larger.
pub(super) const GRAIN: usize = 1 << 14;

/// Sizes of blocks between zero and a power of two; half of them lie above the previous power.
const SIZES: usize = 16;

/// The pages of every machine begin at multiples of this.
pub(super) const PAGE: usize = 1 << 12;

/// Slabs begin at multiples of this, the size of a huge page: the first touch of a page costs ten times as much as filling it,
/// and one huge page replaces 512 small ones. Where the system has none nothing changes.
const HUGE: usize = 1 << 21;

/// Whole pages; the bytes that are lent begin inside the first page.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageBlock {
    pub(super) start: *mut u8,
    pub(super) bytes: usize,
    /// The thread that gave it back.
    pub(super) by: u32,
}

// SAFETY: a kept block has no other owner; its address is only ever given to one thread.
unsafe impl Send for PageBlock {}

impl PageBlock {
    /// Returns the pages to the system.
    pub(super) fn unmap(self) {
        if self.bytes == 0 {
            return;
        }
        let (first, _) = self.first_page();
        // SAFETY: the block has no owner. If the system refuses it, its address is never used again.
        let _ = unsafe { munmap(first, self.bytes) };
    }

    /// The same bytes in a block of another size; its address may change.
    pub(super) fn resized(self, bytes: usize) -> Option<NonNull<u8>> {
        if self.bytes == bytes {
            return NonNull::new(self.start);
        }
        let (first, beside) = self.first_page();
        // SAFETY: the block is mapped with these bytes, and the caller does not use its old address again.
        let moved = unsafe { mremap(first, self.bytes, bytes, MremapFlags::MAYMOVE) };
        moved.ok().and_then(|first| begun(first.cast(), beside))
    }

    /// Where its pages begin, and how far behind that the lent bytes begin.
    fn first_page(self) -> (*mut c_void, usize) {
        let beside = self.start.addr() % PAGE;
        (self.start.wrapping_sub(beside).cast(), beside)
    }
}

/// New pages that begin at a multiple of a huge page; the system may use huge pages wherever they fit.
pub(super) fn slab(bytes: usize) -> Option<*mut u8> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    let all = bytes.checked_add(HUGE)?;
    // SAFETY: the system chooses an unused address.
    let mapped = unsafe { mmap_anonymous(null_mut(), all, access, MapFlags::PRIVATE) };
    let mapped = mapped.ok()?.cast::<u8>();
    let before = mapped.addr().wrapping_neg() % HUGE;
    let first = mapped.wrapping_add(before);
    PageBlock { start: mapped, bytes: before, by: 0 }.unmap();
    PageBlock { start: first.wrapping_add(bytes), bytes: HUGE - before, by: 0 }.unmap();
    // SAFETY: the pages were mapped above, and advice does not change their contents.
    let _ = unsafe { madvise(first.cast(), bytes, Advice::LinuxHugepage) };
    Some(first)
}

/// Where lent bytes begin, so far behind the beginning of their first page.
pub(super) fn begun(first: *mut u8, beside: usize) -> Option<NonNull<u8>> {
    NonNull::new(first.wrapping_add(beside))
}

/// The size of the block for so many bytes, which may begin anywhere in its first page. There are eight sizes between a power
/// of two and the next, so that a block can be reused for similar sizes.
pub(super) fn whole(bytes: usize) -> Option<usize> {
    let bytes = bytes.checked_add(PAGE)?;
    let grain = GRAIN.max(page_size());
    bytes.checked_next_multiple_of((bytes.checked_next_power_of_two()? / SIZES).max(grain))
}
