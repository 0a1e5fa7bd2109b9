//! Blocks are reused, limited and counted as the pool promises.

use super::pages::{GRAIN, PAGE};
use super::state::MOST_KEPT;
use super::{BlockPool, LentBlock};
use std::ptr::NonNull;

/// Bytes of which the block has so many mebibytes.
const fn mebibytes(count: usize) -> usize {
    (count << 20) - PAGE
}

/// Mebibytes that are lent and kept.
fn figures(blocks: &BlockPool) -> (usize, usize) {
    let state = blocks.state();
    assert_eq!((state.lent | state.kept_bytes) % (1 << 20), 0);
    (state.lent >> 20, state.kept_bytes >> 20)
}

fn give(blocks: &BlockPool, lent: LentBlock, bytes: usize) {
    // SAFETY: tests give back what they took.
    unsafe { blocks.give(lent.start.as_ptr(), bytes) };
}

fn bytes(start: NonNull<u8>, bytes: usize) -> &'static mut [u8] {
    // SAFETY: the block has these bytes, and only one test has it.
    unsafe { std::slice::from_raw_parts_mut(start.as_ptr(), bytes) }
}

#[test]
fn a_block_comes_back_and_what_is_kept_never_adds_to_the_most() {
    let blocks = BlockPool::new();
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
    let blocks = BlockPool::new();
    blocks.limit(usize::MAX);
    let take_in_turn = || {
        for count in [1, 2, 3, 2, 1] {
            let lent = blocks.take(mebibytes(count)).unwrap();
            give(&blocks, lent, mebibytes(count));
        }
    };
    take_in_turn();
    assert_eq!(figures(&blocks), (0, 6), "one of each size");
    blocks.limit(4 << 20);
    assert!(figures(&blocks).1 <= 4);
    take_in_turn();
    assert!(figures(&blocks).1 <= 4);
}

#[test]
fn a_block_that_grows_keeps_what_is_in_it() {
    let blocks = BlockPool::new();
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
    let blocks = BlockPool::new();
    let kept = blocks.take(mebibytes(1)).unwrap();
    give(&blocks, kept, mebibytes(1));
    assert!(blocks.take(1 << 60).is_none());
    assert!(blocks.take(usize::MAX).is_none());
    assert_eq!(figures(&blocks), (0, 0), "what was kept went back before it was refused");
}

#[test]
fn many_small_blocks_are_not_all_kept() {
    let blocks = BlockPool::new();
    let lent: Vec<LentBlock> = (0..2 * MOST_KEPT).map(|_| blocks.take(1).unwrap()).collect();
    lent.into_iter().for_each(|block| give(&blocks, block, 1));
    assert_eq!(blocks.state().kept_bytes, MOST_KEPT * GRAIN);
}
