//! The allocator, installed in a program, counts what each thread holds.
#![allow(clippy::unwrap_used)]

use onceflow_allocator::{CountingAllocator, begin_counting, peak_counted};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_most_that_is_held_is_counted() {
    begin_counting();
    let kept = vec![1u8; 1000];
    drop(vec![0u64; 1000]);
    let mut grown: Vec<u8> = Vec::with_capacity(10);
    grown.reserve_exact(2000);
    assert!((9000..9100).contains(&peak_counted()), "{}", peak_counted());
    drop((kept, grown));
    assert!((9000..9100).contains(&peak_counted()));
    begin_counting();
    assert_eq!(peak_counted(), 0);
    let other = std::thread::spawn(|| drop(vec![0u8; 1 << 20]));
    other.join().unwrap();
    assert!(peak_counted() < 1 << 16, "other threads count for themselves");
}

#[test]
fn blocks_keep_their_bytes_when_they_grow_into_the_pool_and_shrink_out_of_it() {
    let mut bytes: Vec<u8> = (0..1000).map(|at| (at % 251) as u8).collect();
    let first = bytes.clone();
    bytes.reserve_exact(1 << 20);
    assert_eq!(bytes, first);
    bytes.shrink_to_fit();
    assert_eq!(bytes, first);
    assert!(vec![0u8; 1 << 20].iter().all(|byte| *byte == 0), "zeros, also in a block that was used before");
}
