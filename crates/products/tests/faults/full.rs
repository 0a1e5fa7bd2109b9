//! A disk that is full, and a quota that is used up, at every call: the error is clean, nothing is half stored, and later
//! publishes work again.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;

use onceflow_products::{
    Collection, Fault, NewProduct, ProductError, ProductKey, ProductStore, StoreOptions,
};

use crate::common::{
    Promises, check, check_without_index, copy_folder, faults_at, maker, open, temporary, work,
};

fn full_at(from: usize, count: usize, fault: Fault) -> bool {
    let folder = temporary();
    let (faults, calls) =
        faults_at(move |number, _| (number >= from && number < from + count).then_some(fault));
    let promises = Promises::default();
    let ended = work(folder.path(), &faults, &promises);
    assert!(ended.as_ref().err().is_none_or(ProductError::is_full), "{ended:?}");
    let words = format!("{fault:?} at calls {from} to {}: {ended:?}", from + count);
    let copy = temporary();
    copy_folder(folder.path(), copy.path());
    check(folder.path(), &promises.now(), &words);
    check_without_index(copy.path(), &promises.now(), &words);
    calls.load(Ordering::Relaxed) <= from
}

#[test]
fn a_full_disk_at_any_call_leaves_a_whole_store() {
    for (count, fault) in [(1, Fault::Full), (1, Fault::Quota), (1000, Fault::Full)] {
        let calls = (0..).take_while(|from| !full_at(*from, count, fault)).count();
        assert!(calls >= 30, "{calls} calls");
    }
}

/// One process goes on after a full disk: what could not be stored is not there, and the next publish works.
#[test]
fn a_store_works_again_when_there_is_room() {
    for at in 0.. {
        let folder = temporary();
        drop(open(folder.path()));
        let (faults, calls) = faults_at(move |number, _| (number == at).then_some(Fault::Full));
        let options = StoreOptions { faults: Some(faults), ..StoreOptions::default() };
        let Ok(store) = ProductStore::open(folder.path(), &options) else { continue };
        let first = store.publish(&crate::common::products(&[1, 3, 4]), &maker());
        if let Err(error) = &first {
            assert!(error.is_full(), "{error}");
            let statistics = store.statistics().unwrap();
            assert_eq!((statistics.products, statistics.product_bytes), (0, 0), "call {at}: {error}");
            assert_eq!(statistics.pack_bytes, 0, "call {at}: nothing is half stored: {error}");
        }
        let stored = store.publish(&crate::common::products(&[1, 3, 4]), &maker()).unwrap().stored;
        assert_eq!(stored, if first.is_ok() { 0 } else { 3 });
        drop(store);
        check(folder.path(), &[1, 3, 4], &format!("call {at}"));
        if calls.load(Ordering::Relaxed) <= at {
            break;
        }
    }
}

/// A real file system of 2 MiB, where mounting is allowed.
#[test]
fn a_small_file_system_that_is_really_full() {
    if std::env::var_os("ONCEFLOW_SMALL_DISK").is_none() {
        return;
    }
    let place = temporary();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"])
        .arg(place.path())
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        println!("skipped: a small file system, since mounting is not allowed");
        return;
    }
    let filled = std::panic::catch_unwind(|| fill(place.path()));
    let unmounted = Command::new("umount").arg(place.path()).status().unwrap();
    assert!(unmounted.success());
    filled.unwrap();
}

fn fill(place: &Path) {
    let folder = place.join("store");
    std::fs::write(place.join("room"), vec![1; 400_000]).unwrap();
    let store = open(&folder);
    let product = |number: u32| {
        let mut key = [0; 32];
        key[..4].copy_from_slice(&number.to_be_bytes());
        let mut payload = vec![0; 20_000];
        blake3::Hasher::new().update(&key).finalize_xof().fill(&mut payload);
        NewProduct { key: ProductKey(key), payload, seconds: 1.0 }
    };
    let mut kept: Vec<u32> = Vec::new();
    let mut errors = 0;
    for number in 0..200 {
        match store.publish(&[product(number)], &maker()) {
            Ok(_) => kept.push(number),
            Err(error) => {
                assert!(error.is_full(), "{error}");
                errors += 1;
            }
        }
    }
    assert!(errors > 50 && kept.len() > 10, "{} kept, {errors} errors", kept.len());
    for number in &kept {
        let found = store.fetch(&[product(*number).key]).unwrap().remove(0);
        assert_eq!(found.unwrap().payload, product(*number).payload);
    }
    // A full store can be opened, or says what is wrong.
    drop(store);
    let reopened = ProductStore::open(&folder, &StoreOptions::default());
    assert!(reopened.as_ref().err().is_none_or(ProductError::is_full), "{reopened:?}");
    drop(reopened);
    // With some room, which a collection needs too, all is as before.
    std::fs::remove_file(place.join("room")).unwrap();
    let store = open(&folder);
    assert_eq!(store.verify(|_, _| {}).unwrap().damaged, []);
    store.collect(&Collection { size: Some(100_000), older_than: None }).unwrap();
    assert_eq!(store.publish(&[product(1000)], &maker()).unwrap().stored, 1);
}
