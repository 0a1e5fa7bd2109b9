//! A store that is stopped, or full, before any of its steps: blocks give their values all the same, and nothing wrong is kept.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use onceflow_memo::{BlockStore, MemoError};
use onceflow_products::{Fault, Operation, ProductStore, StoreOptions};

/// Bytes of a product that is kept in pieces.
const LARGE: usize = 5_000_000;

/// Blocks with a short product, a long one and a file; how many were known.
fn blocks(store: &BlockStore, folder: &Path, errors: &mut Vec<MemoError>) -> usize {
    let mut known = 0;
    for number in 0..3_u8 {
        store.record("number", &[number]);
        let (file, large) = (folder.join("file"), vec![number; LARGE]);
        let mut block = store.begin("block");
        block.history("number");
        let ended = if block.known().unwrap() {
            known += 1;
            assert_eq!(block.product("small").unwrap(), Some(vec![number]));
            assert!(block.product("large").unwrap() == Some(large));
            assert!(block.restore("file", &file).unwrap());
            block.end()
        } else {
            fs::write(&file, [number; 10]).unwrap();
            block.give("small", &[number]).unwrap();
            block.give("large", &large).unwrap();
            block.give_file("file", &file).unwrap();
            block.end()
        };
        errors.extend(ended.err());
        assert_eq!(fs::read(&file).unwrap(), [number; 10]);
    }
    errors.extend(store.flush().err());
    known
}

fn fail_everywhere(fault: Fault) {
    for stop in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let (folder, words) = (folder.path(), format!("{fault:?} from step {stop} on"));
        let count = Arc::new(AtomicUsize::new(0));
        let calls = Arc::clone(&count);
        let faults =
            move |_: &Operation<'_>| (calls.fetch_add(1, Ordering::Relaxed) >= stop).then_some(fault);
        let options = StoreOptions { faults: Some(Arc::new(faults)), ..StoreOptions::default() };
        let mut errors = Vec::new();
        // A store that cannot be opened is the program's to leave out.
        if let Ok(store) = BlockStore::open_with(folder.join("store"), "faults", "1", &options) {
            assert_eq!(blocks(&store, folder, &mut errors), 0, "{words}");
        }
        let is_over = count.load(Ordering::Relaxed) <= stop;
        assert!(!is_over || errors.is_empty(), "{words}: {errors:?}");
        let store = ProductStore::open(folder.join("store"), &StoreOptions::default()).unwrap();
        assert_eq!(store.verify(|_, _| {}).unwrap().damaged, [], "{words}");
        drop(store);
        let open = || BlockStore::open(folder.join("store"), "faults", "1").unwrap();
        let again = [open(), open()].map(|store| blocks(&store, folder, &mut errors));
        assert_eq!(again[1], 3, "{words}");
        assert!(!is_over || again[0] == 3, "{words}");
        if is_over {
            return;
        }
    }
}

#[test]
fn stopped_before_any_step_nothing_wrong_is_kept() {
    fail_everywhere(Fault::Stop);
}

#[test]
fn a_full_disk_costs_the_result_and_not_the_program() {
    fail_everywhere(Fault::Full);
}

/// Ends 200 blocks while the first sync of the disk lasts; the second one may fail. How often the disk was waited for.
fn syncs_of_many_blocks(second: Option<Fault>) -> usize {
    const BLOCKS: u32 = 200;
    let folder = tempfile::tempdir().unwrap();
    let (syncs, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (counted, are_ended) = (Arc::clone(&syncs), Arc::clone(&ended));
    let faults = move |operation: &Operation<'_>| {
        let number =
            if operation.step == "sync" { counted.fetch_add(1, Ordering::SeqCst) } else { usize::MAX };
        let began = Instant::now();
        while number == 0 && !are_ended.load(Ordering::SeqCst) && began.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        second.filter(|_| number == 1)
    };
    let options = StoreOptions { faults: Some(Arc::new(faults)), ..StoreOptions::default() };
    let store = BlockStore::open_with(folder.path(), "many", "1", &options).unwrap();
    let known = |store: &BlockStore, number: u32| {
        let mut block = store.begin("block");
        block.attribute("number", &number.to_le_bytes());
        let known = block.known().unwrap();
        if !known {
            block.give("value", &number.to_le_bytes()).unwrap();
        }
        block.end().unwrap();
        known
    };
    assert!(!known(&store, 0));
    while syncs.load(Ordering::SeqCst) == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!((1..BLOCKS).all(|number| !known(&store, number)));
    assert!((0..BLOCKS).all(|number| known(&store, number)), "what waits is known");
    ended.store(true, Ordering::SeqCst);
    store.flush().unwrap();
    drop(store);
    let store = BlockStore::open(folder.path(), "many", "1").unwrap();
    assert!((0..BLOCKS).all(|number| known(&store, number)));
    syncs.load(Ordering::SeqCst)
}

#[test]
fn blocks_that_end_while_the_disk_is_waited_for_are_written_together() {
    assert_eq!(syncs_of_many_blocks(None), 2);
    let failed_once = syncs_of_many_blocks(Some(Fault::Full));
    assert_eq!(failed_once, 201, "one by one, so that what cannot be kept costs no other");
}
