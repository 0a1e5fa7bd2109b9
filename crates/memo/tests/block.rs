//! Blocks of a program: known, computed, audited; values of loops as histories.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;

use onceflow_memo::{BlockStore, MemoError, block};
use tempfile::TempDir;

fn store(folder: &TempDir, version: &str) -> BlockStore {
    BlockStore::open(folder.path(), "test", version).unwrap()
}

/// A loop of five levels as the paper's: each level is identified by the image's name and the values of `prm` until then.
fn levels(store: &BlockStore, image: &str, prm: [f64; 5]) -> (Vec<f64>, usize) {
    let mut computed = 0;
    let mut vec = vec![1.0_f64];
    store.forget("prm");
    for value in prm {
        store.record("prm", &value.to_ne_bytes());
        let before = vec.clone();
        vec = block!(store, "level", image = image, [prm]; {
            computed += 1;
            before.iter().map(|x| x * value + image.len() as f64).collect::<Vec<f64>>()
        })
        .unwrap();
    }
    (vec, computed)
}

#[test]
fn levels_with_an_equal_beginning_are_computed_once() {
    let folder = tempfile::tempdir().unwrap();
    let prm = [1.0, 2.0, 3.0, 4.0, 5.0];
    let changed = [1.0, 2.0, 9.0, 4.0, 5.0];
    let alone = {
        let other = tempfile::tempdir().unwrap();
        levels(&store(&other, "1"), "a.img", changed).0
    };
    let first = levels(&store(&folder, "1"), "a.img", prm);
    assert_eq!(first.1, 5);
    let store = store(&folder, "1");
    assert_eq!(levels(&store, "a.img", prm), (first.0, 0), "another process");
    assert_eq!(levels(&store, "a.img", changed), (alone, 3), "from the third level on");
    assert_eq!(levels(&store, "bb.img", prm).1, 5);
}

#[test]
fn another_version_or_attribute_is_another_block() {
    let folder = tempfile::tempdir().unwrap();
    let value = |store: &BlockStore, from: f64| {
        block!(store, "sum", from = from; { 42.0_f64 + from }).unwrap();
        let mut block = store.begin("sum");
        block.attribute("from", &from.to_le_bytes());
        block.key().unwrap()
    };
    let first = store(&folder, "1");
    let keys = [value(&first, 1.0), value(&first, 2.0), value(&store(&folder, "2"), 1.0)];
    assert!(keys[0] != keys[1] && keys[0] != keys[2]);
    let mut block = first.begin("sum");
    block.attribute("b", b"1").attribute("a", b"2");
    let one = block.key().unwrap();
    let mut block = first.begin("sum");
    block.attribute("a", b"2").attribute("b", b"1");
    assert_eq!(block.key().unwrap(), one, "their order is nothing");
    block.attribute("a", b"3");
    assert!(matches!(block.known(), Err(MemoError::Twice { .. })));
}

#[test]
fn products_and_files_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let written = folder.path().join("written");
    fs::write(&file, "content").unwrap();
    // More than stays in one entry.
    let large: Vec<u8> = (0..9_000_000_u32).map(|number| (number % 251) as u8).collect();
    let store = BlockStore::open(folder.path().join("store"), "test", "1").unwrap();
    for known in [false, true] {
        let mut block = store.begin("files");
        block.attribute_file(&file).unwrap();
        assert_eq!(block.known().unwrap(), known);
        if known {
            assert_eq!(block.product("small").unwrap().as_deref(), Some(&b"1"[..]));
            assert!(block.product("large").unwrap().as_deref() == Some(&large[..]));
            fs::remove_file(&written).unwrap();
            assert!(block.restore("file", &written).unwrap());
            assert_eq!(fs::read(&written).unwrap(), large);
            assert!(matches!(block.product("other"), Err(MemoError::Product { .. })));
        } else {
            block.give("small", b"1").unwrap();
            block.give("large", &large).unwrap();
            assert!(matches!(block.give("small", b"2"), Err(MemoError::Twice { .. })));
            fs::write(&written, &large).unwrap();
            block.give_file("file", &written).unwrap();
        }
        block.end().unwrap();
        store.flush().unwrap();
    }
    fs::write(&file, "changed").unwrap();
    let mut block = store.begin("files");
    block.attribute_file(&file).unwrap();
    assert!(!block.known().unwrap());
}

#[test]
fn a_block_that_is_dropped_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, "1");
    let mut block = store.begin("given up");
    block.give("x", b"1").unwrap();
    drop(block);
    assert!(!store.begin("given up").known().unwrap());
}

#[test]
fn an_audit_finds_what_the_attributes_do_not_decide() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, "1").with_audit(true);
    let run = |value: u64| block!(store, "hidden", name = "x"; { value });
    assert_eq!(run(1).unwrap(), 1);
    assert_eq!(run(1).unwrap(), 1);
    let error = run(2).unwrap_err();
    assert!(matches!(error, MemoError::Differs { .. }), "{error}");
}

#[test]
fn a_value_of_another_type_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, "1");
    let _: u64 = block!(store, "typed"; { 7_u64 }).unwrap();
    let other: Result<u32, _> = block!(store, "typed"; { 7_u32 });
    assert!(other.unwrap_err().to_string().contains("of another type"));
}

#[test]
fn a_block_that_begins_itself_is_refused_and_nested_ones_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    for audit in [true, false] {
        let store = store(&folder, &format!("recursive, audit {audit}")).with_audit(audit);
        let inner = || block!(store, "again", from = 1_u64; { 2_u64 });
        let outer: u64 = block!(store, "again", from = 1_u64; {
            let error = inner().unwrap_err();
            assert!(matches!(error, MemoError::RecursiveBlock { .. }), "{error}");
            assert!(error.to_string().contains("a recursive call of `again`"), "{error}");
            7
        })
        .unwrap();
        assert_eq!((outer, inner().ok()), (7, (!audit).then_some(7)), "an audit finds that it gives 2 here");
    }
    // A program that computes all the same keeps the outer result alone.
    let store = store(&folder, "both end");
    let (mut outer, mut inner) = (store.begin("x"), store.begin("x"));
    assert!(!outer.known().unwrap() && inner.known().is_err());
    inner.give("value", b"inner").unwrap();
    assert!(matches!(inner.end(), Err(MemoError::RecursiveBlock { .. })));
    outer.give("value", b"outer").unwrap();
    outer.end().unwrap();
    assert_eq!(store.begin("x").product("value").unwrap().as_deref(), Some(&b"outer"[..]));
    // Other attributes are another block, and so is the same one in another thread.
    let nested = |number: u64| block!(store, "nested", number = number; { number });
    let sum: u64 =
        block!(store, "nested", number = 0_u64; { (1..4).map(|n| nested(n).unwrap()).sum() }).unwrap();
    assert_eq!((sum, nested(2).unwrap()), (6, 2));
    let mut here = store.begin("threads");
    assert!(!here.known().unwrap());
    std::thread::scope(|scope| {
        assert!(!scope.spawn(|| store.begin("threads").known().unwrap()).join().unwrap())
    });
}

#[test]
fn values_that_are_recorded_in_a_block_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, "1");
    let run = || block!(store, "outer"; { store.record("prm", b"1"); 5_u64 });
    let error = run().unwrap_err();
    assert!(matches!(error, MemoError::RecordedInside { .. }), "{error}");
    assert!(error.to_string().contains("one of `prm` while it was computed"), "{error}");
    assert!(run().is_err(), "it was not kept");
    // Before a block, and in another thread, they are recorded as ever.
    store.record("prm", b"2");
    let other = || std::thread::scope(|scope| scope.spawn(|| store.record("other", b"3")).join().unwrap());
    assert_eq!(block!(store, "after", [prm]; { other(); 6_u64 }).unwrap(), 6);
}

#[test]
fn a_file_that_changes_under_a_block_leaves_it_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (file, store) = (folder.path().join("file"), store(&folder, "1"));
    let end = |change: &dyn Fn()| {
        fs::write(&file, "before").unwrap();
        let mut block = store.begin("reads");
        block.attribute_file(&file).unwrap();
        assert!(!block.known().unwrap());
        change();
        block.give("value", &fs::read(&file).unwrap_or_default()).unwrap();
        block.end()
    };
    let changes: [&dyn Fn(); 2] =
        [&|| fs::write(&file, "after!").unwrap(), &|| fs::remove_file(&file).unwrap()];
    for change in changes {
        let error = end(change).unwrap_err();
        assert!(matches!(&error, MemoError::Changed { path } if *path == file), "{error}");
    }
    end(&|| ()).unwrap();
    let mut block = store.begin("reads");
    block.attribute_file(&file).unwrap();
    assert_eq!(block.product("value").unwrap().as_deref(), Some(&b"before"[..]));
}
