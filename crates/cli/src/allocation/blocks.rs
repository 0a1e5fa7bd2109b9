//! Large blocks of memory. A block that is given back is kept for whoever asks next, since fresh pages cost more than many
//! an operation; but what is lent and what is kept are together little more than was once lent at a time, and never more for
//! being kept than a bound allows. So the most that is resident is the most that was in use, which is what runs reserve.
#![allow(unsafe_code, reason = "memory comes from the system as addresses")]

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::mm::{Advice, MapFlags, MremapFlags, ProtFlags, madvise, mmap_anonymous, mremap, munmap};
use rustix::param::page_size;

/// Blocks are whole multiples of this, or of the machine's pages where those are larger.
const GRAIN: usize = 1 << 14;

/// Sizes up to a power of two, half of them above the one before.
const SIZES: usize = 16;

/// Every machine's pages begin at multiples of this.
const PAGE: usize = 1 << 12;

/// Blocks begin at different distances from the beginning of a page, in steps of this. If all began with a page, the same
/// pixel of several images would always lie in the same few lines of a cache.
const STEP: usize = 192;

/// Blocks that are kept at most.
const MOST_KEPT: usize = 256;

/// How much more than was ever lent at a time may be there because it is kept, where the bound allows it: blocks of several
/// sizes that are wanted in turn.
const SPARE: usize = 32 << 20;

/// Memory of the system comes in slabs that begin at multiples of this, the size of a huge page: to touch a page for the first
/// time costs ten times what it takes to fill it, and one huge page is 512 at once. Where the system has none nothing changes.
const HUGE: usize = 1 << 21;

/// Bytes of a slab; blocks of more than a quarter of it have one of their own.
const SLAB: usize = 1 << 25;

/// All large blocks of the program.
#[derive(Debug)]
pub(super) struct Blocks(Mutex<State>);

/// A block that somebody now has, and how many of its first bytes are not zero for sure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lent {
    pub(super) start: NonNull<u8>,
    pub(super) used: usize,
}

#[derive(Debug)]
struct State {
    lent: usize,
    most_lent: usize,
    kept_bytes: usize,
    /// What is kept must fit beside what is lent within this.
    bound: usize,
    /// The oldest first; those from `count` on are empty.
    kept: [Block; MOST_KEPT],
    count: usize,
    /// How far from the beginning of a page the last fresh block began.
    beside: usize,
    /// What nobody has had yet of the last slab.
    rest: Block,
}

/// Whole pages; what is lent begins somewhere in the first.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: *mut u8,
    bytes: usize,
    /// The thread that gave it back.
    by: u32,
}

thread_local! {
    /// The number of this thread among those that ever had a block; 0 before it has one.
    static NUMBER: Cell<u32> = const { Cell::new(0) };
}

/// The number of the calling thread.
fn thread() -> u32 {
    static THREADS: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.try_with(|number| {
        if number.get() == 0 {
            number.set(THREADS.fetch_add(1, Ordering::Relaxed).wrapping_add(1));
        }
        number.get()
    });
    number.unwrap_or(0)
}

// SAFETY: a block that is kept belongs to nobody; its address is only ever given to one thread.
unsafe impl Send for Block {}

impl Blocks {
    pub(super) const fn new() -> Self {
        let rest = Block { start: null_mut(), bytes: 0, by: 0 };
        let kept = [rest; MOST_KEPT];
        let (lent, most_lent, kept_bytes, bound) = (0, 0, 0, 0);
        Self(Mutex::new(State { lent, most_lent, kept_bytes, bound, kept, count: 0, beside: 0, rest }))
    }

    /// From now on nothing is kept that does not fit in so many bytes beside what is lent.
    pub(super) fn bound(&self, bytes: usize) {
        let mut state = self.state();
        state.bound = bytes;
        state.lend(0);
    }

    /// Gives all that is kept back to the system.
    pub(super) fn let_go(&self) {
        self.state().let_go(usize::MAX);
    }

    /// A block of at least so many bytes, aligned for whatever is not larger than a line of a cache.
    pub(super) fn take(&self, bytes: usize) -> Option<Lent> {
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
        Some(Lent { start: start?, used: resized.and(kept).map_or(0, |block| block.bytes) })
    }

    /// Takes a block back.
    ///
    /// # Safety
    /// It came from here for this number of bytes, and nobody uses it any more.
    pub(super) unsafe fn give(&self, start: *mut u8, bytes: usize) {
        let Some(bytes) = whole(bytes) else { return };
        let mut state = self.state();
        state.lent -= bytes;
        state.keep(Block { start, bytes, by: thread() });
    }

    /// Makes a block larger or smaller; its place may change.
    ///
    /// # Safety
    /// It came from here for the first number of bytes; with an answer its old place is nobody's.
    pub(super) unsafe fn resize(&self, start: *mut u8, from: usize, to: usize) -> Option<NonNull<u8>> {
        let (used, from, to) = (from.min(to), whole(from)?, whole(to)?);
        let block = Block { start, bytes: from, by: thread() };
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

    /// The system has no more: all that is kept goes back to it, and it is asked again.
    fn last_resort(&self, again: impl FnOnce() -> Option<NonNull<u8>>) -> Option<NonNull<u8>> {
        self.state().let_go(usize::MAX);
        again()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Notes what is lent, and lets go what would be too much beside it.
    fn lend(&mut self, bytes: usize) {
        self.lent += bytes;
        self.most_lent = self.most_lent.max(self.lent);
        self.let_go((self.lent + self.kept_bytes).saturating_sub(self.room()));
    }

    /// What may be lent and kept together.
    fn room(&self) -> usize {
        self.most_lent.saturating_add(SPARE).min(self.bound).max(self.most_lent)
    }

    /// Takes back what could not be lent: it was never the most.
    fn take_back(&mut self, bytes: usize) {
        self.lent -= bytes;
        self.most_lent = self.lent;
    }

    fn keep(&mut self, block: Block) {
        if self.count == MOST_KEPT {
            self.remove(0).unmap();
        }
        self.kept[self.count] = block;
        self.count += 1;
        self.kept_bytes += block.bytes;
    }

    /// Gives at least so many bytes back to the system, or all that is kept; the oldest first.
    fn let_go(&mut self, bytes: usize) {
        let least = self.kept_bytes.saturating_sub(bytes);
        while self.kept_bytes > least {
            self.remove(0).unmap();
        }
    }

    /// A kept block: one of just this size or, when something must change, the one that changes least.
    fn choose(&mut self, bytes: usize) -> Option<Block> {
        let room = self.lent + self.kept_bytes + bytes <= self.room();
        self.take_exact(bytes).or_else(|| if room { None } else { self.take_nearest(bytes) })
    }

    /// Of equal ones the newest that the same thread gave back: the caches of its processor may still hold it, those of
    /// another one would have to send it.
    fn take_exact(&mut self, bytes: usize) -> Option<Block> {
        let (kept, own) = (&self.kept[..self.count], thread());
        let same = kept.iter().rposition(|block| block.bytes == bytes && block.by == own);
        let place = same.or_else(|| kept.iter().position(|block| block.bytes == bytes))?;
        Some(self.remove(place))
    }

    fn take_nearest(&mut self, bytes: usize) -> Option<Block> {
        let nearest = (0..self.count).min_by_key(|place| self.kept[*place].bytes.abs_diff(bytes))?;
        Some(self.remove(nearest))
    }

    fn remove(&mut self, place: usize) -> Block {
        let block = self.kept[place];
        self.kept.copy_within(place + 1..self.count, place);
        self.count -= 1;
        self.kept_bytes -= block.bytes;
        block
    }

    /// Pages that nobody has had.
    fn fresh(&mut self, bytes: usize) -> Option<*mut u8> {
        if bytes > SLAB / 4 {
            return slab(bytes);
        }
        if self.rest.bytes < bytes {
            let old = std::mem::replace(&mut self.rest, Block { start: slab(SLAB)?, bytes: SLAB, by: 0 });
            old.unmap();
        }
        let first = self.rest.start;
        self.rest = Block { start: first.wrapping_add(bytes), bytes: self.rest.bytes - bytes, by: 0 };
        Some(first)
    }

    fn next_beside(&mut self) -> usize {
        self.beside = (self.beside + STEP) % PAGE;
        self.beside
    }
}

impl Block {
    fn unmap(self) {
        if self.bytes == 0 {
            return;
        }
        let (first, _) = self.first_page();
        // SAFETY: the block is nobody's. One that the system does not take back is lost, which harms nobody else.
        let _ = unsafe { munmap(first, self.bytes) };
    }

    fn resized(self, bytes: usize) -> Option<NonNull<u8>> {
        if self.bytes == bytes {
            return NonNull::new(self.start);
        }
        let (first, beside) = self.first_page();
        // SAFETY: the block is mapped with these bytes, and whoever calls has no other use of its old place.
        let moved = unsafe { mremap(first, self.bytes, bytes, MremapFlags::MAYMOVE) };
        moved.ok().and_then(|first| begun(first.cast(), beside))
    }

    /// Where its pages begin, and how far behind that what is lent does.
    fn first_page(self) -> (*mut c_void, usize) {
        let beside = self.start.addr() % PAGE;
        (self.start.wrapping_sub(beside).cast(), beside)
    }
}

/// Pages that begin with a huge one; the system may give huge ones wherever they fit.
fn slab(bytes: usize) -> Option<*mut u8> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    let all = bytes.checked_add(HUGE)?;
    // SAFETY: the system chooses a place where nothing is.
    let mapped = unsafe { mmap_anonymous(null_mut(), all, access, MapFlags::PRIVATE) };
    let mapped = mapped.ok()?.cast::<u8>();
    let before = mapped.addr().wrapping_neg() % HUGE;
    let first = mapped.wrapping_add(before);
    Block { start: mapped, bytes: before, by: 0 }.unmap();
    Block { start: first.wrapping_add(bytes), bytes: HUGE - before, by: 0 }.unmap();
    // SAFETY: the pages were mapped above, and an advice changes nothing that is in them.
    let _ = unsafe { madvise(first.cast(), bytes, Advice::LinuxHugepage) };
    Some(first)
}

fn begun(first: *mut u8, beside: usize) -> Option<NonNull<u8>> {
    NonNull::new(first.wrapping_add(beside))
}

/// Whole pages for so many bytes wherever in the first page they begin. There are eight sizes between a power of two and
/// the next, so that a block is found again for about as many bytes.
fn whole(bytes: usize) -> Option<usize> {
    let bytes = bytes.checked_add(PAGE)?;
    let grain = GRAIN.max(page_size());
    bytes.checked_next_multiple_of((bytes.checked_next_power_of_two()? / SIZES).max(grain))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of which the block has so many mebibytes.
    const fn mebibytes(count: usize) -> usize {
        (count << 20) - PAGE
    }

    /// Mebibytes that are lent and kept.
    fn figures(blocks: &Blocks) -> (usize, usize) {
        let state = blocks.state();
        assert_eq!((state.lent | state.kept_bytes) % (1 << 20), 0);
        (state.lent >> 20, state.kept_bytes >> 20)
    }

    fn give(blocks: &Blocks, lent: Lent, bytes: usize) {
        // SAFETY: tests give back what they took.
        unsafe { blocks.give(lent.start.as_ptr(), bytes) };
    }

    fn bytes(start: NonNull<u8>, bytes: usize) -> &'static mut [u8] {
        // SAFETY: the block has these bytes, and only one test has it.
        unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), bytes) }
    }

    #[test]
    fn a_block_comes_back_and_what_is_kept_never_adds_to_the_most() {
        let blocks = Blocks::new();
        let [a, b] = [3, 1].map(|count| blocks.take(mebibytes(count)).unwrap());
        bytes(a.start, mebibytes(3)).fill(7);
        assert_eq!(a.used, 0, "fresh pages are zero");
        assert_ne!(a.start.addr().get() % PAGE, b.start.addr().get() % PAGE);
        assert_eq!(figures(&blocks), (4, 0));
        give(&blocks, a, mebibytes(3));
        assert_eq!(figures(&blocks), (1, 3));
        let again = blocks.take(mebibytes(3) - 10).unwrap();
        assert_eq!((again.start, again.used), (a.start, 3 << 20), "the same block, as it was left");
        give(&blocks, again, mebibytes(3) - 10);
        give(&blocks, b, mebibytes(1));
        let other = blocks.take(mebibytes(2)).unwrap();
        assert_eq!(figures(&blocks), (2, 1), "there was no room for a fresh one beside both");
        let larger = blocks.take(mebibytes(4)).unwrap();
        assert_eq!(figures(&blocks), (6, 0), "room was made for what was asked");
        bytes(larger.start, mebibytes(4)).fill(1);
        give(&blocks, larger, mebibytes(4));
        give(&blocks, other, mebibytes(2));
        assert_eq!(figures(&blocks), (0, 6));
    }

    #[test]
    fn blocks_of_several_sizes_are_kept_where_the_bound_allows_it() {
        let blocks = Blocks::new();
        blocks.bound(usize::MAX);
        let take_in_turn = || {
            for count in [1, 2, 3, 2, 1] {
                let lent = blocks.take(mebibytes(count)).unwrap();
                give(&blocks, lent, mebibytes(count));
            }
        };
        take_in_turn();
        assert_eq!(figures(&blocks), (0, 6), "one of each size");
        blocks.bound(4 << 20);
        assert!(figures(&blocks).1 <= 4);
        take_in_turn();
        assert!(figures(&blocks).1 <= 4);
    }

    #[test]
    fn a_block_that_grows_keeps_what_is_in_it() {
        let blocks = Blocks::new();
        let small = blocks.take(mebibytes(1)).unwrap();
        bytes(small.start, mebibytes(1)).fill(9);
        let grow = |start: NonNull<u8>, from, to| {
            // SAFETY: the block came from here, has these bytes, and is read in its new place only.
            unsafe { blocks.resize(start.as_ptr(), mebibytes(from), mebibytes(to)) }.unwrap()
        };
        let grown = grow(small.start, 1, 5);
        let (old, new) = bytes(grown, mebibytes(5)).split_at(mebibytes(1));
        assert!(old.iter().all(|byte| *byte == 9) && new.iter().all(|byte| *byte == 0));
        assert_eq!(figures(&blocks), (5, 0));
        let kept = blocks.take(mebibytes(7)).unwrap();
        give(&blocks, kept, mebibytes(7));
        let copied = grow(grown, 5, 7);
        assert_eq!((copied, figures(&blocks)), (kept.start, (7, 5)), "a block that is there is used");
        assert!(bytes(copied, mebibytes(1)).iter().all(|byte| *byte == 9));
        let shrunk = grow(copied, 7, 1);
        assert!(bytes(shrunk, mebibytes(1)).iter().all(|byte| *byte == 9));
        assert_eq!(figures(&blocks), (1, 5));
    }

    #[test]
    fn more_than_there_is_is_refused_and_not_counted() {
        let blocks = Blocks::new();
        let kept = blocks.take(mebibytes(1)).unwrap();
        give(&blocks, kept, mebibytes(1));
        assert!(blocks.take(1 << 60).is_none());
        assert!(blocks.take(usize::MAX).is_none());
        assert_eq!(figures(&blocks), (0, 0), "what was kept went back before it was refused");
    }

    #[test]
    fn many_small_blocks_are_not_all_kept() {
        let blocks = Blocks::new();
        let lent: Vec<Lent> = (0..2 * MOST_KEPT).map(|_| blocks.take(1).unwrap()).collect();
        lent.into_iter().for_each(|block| give(&blocks, block, 1));
        assert_eq!(blocks.state().kept_bytes, MOST_KEPT * GRAIN);
    }
}
