//! A store as processes use it, at the same time and after they were killed.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use onceflow_region::Digest;

use super::*;
use crate::Collection;

fn open(folder: &Path) -> ProductStore {
    ProductStore::open(folder, &StoreOptions::default()).unwrap()
}

fn key(number: u8) -> ProductKey {
    ProductKey([number; 32])
}

fn product(number: u8) -> NewProduct {
    NewProduct { key: key(number), payload: vec![number; 300 + usize::from(number)], seconds: 1.0 }
}

fn maker() -> Maker {
    Maker::new("runs/first")
}

/// Whether the store has a product, whole.
fn has(store: &ProductStore, number: u8) -> bool {
    match store.fetch(&[key(number)]).unwrap().remove(0) {
        Some(found) => {
            assert_eq!(found.payload, product(number).payload, "product {number}");
            true
        }
        None => false,
    }
}

#[test]
fn what_is_published_is_found_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let published = store.publish(&[product(1), product(2)], &maker()).unwrap();
    assert_eq!((published.stored, published.conflicts.len()), (2, 0));
    assert_eq!(store.publish(&[product(2)], &maker()).unwrap().stored, 0, "it is there");
    let other = open(folder.path());
    assert!(has(&other, 1) && has(&other, 2) && !has(&other, 3));
    let statistics = other.statistics().unwrap();
    assert_eq!((statistics.lookups, statistics.hits, statistics.misses), (3, 2, 1));
    assert_eq!((statistics.products, statistics.seconds_saved), (2, 2.0));
    assert_eq!(statistics.product_bytes, statistics.pack_bytes, "no byte belongs to no product");
}

#[test]
fn of_two_results_the_first_stays_and_both_makers_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.publish(&[product(1)], &maker()).unwrap();
    let other = NewProduct { payload: b"other bytes".to_vec(), ..product(1) };
    let published = store.publish(&[other], &Maker::new("runs/second")).unwrap();
    assert_eq!(published.stored, 0);
    let [conflict] = &published.conflicts[..] else { panic!("{published:?}") };
    assert_eq!((&conflict.first.run[..], &conflict.second.run[..]), ("runs/first", "runs/second"));
    assert!(has(&store, 1));
    assert_eq!(store.statistics().unwrap().conflicts, 1);
}

#[test]
fn the_index_is_made_again_from_the_packs() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).publish(&[product(1), product(2)], &maker()).unwrap();
    for damage in [None, Some(&b"SQLite format 3\0 and then something else entirely"[..]), Some(b"no index")]
    {
        for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] {
            let _ = fs::remove_file(folder.path().join(name));
        }
        if let Some(bytes) = damage {
            fs::write(folder.path().join("index.sqlite"), bytes.repeat(100)).unwrap();
        }
        let store = open(folder.path());
        assert!(has(&store, 1) && has(&store, 2), "{damage:?}");
    }
    let aside = fs::read_dir(folder.path().join("quarantine")).unwrap().count();
    assert_eq!(aside, 2, "damaged indexes are kept");
}

#[test]
fn every_changed_byte_of_a_pack_is_found_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).publish(&[product(1), product(2)], &maker()).unwrap();
    let pack = fs::read_dir(folder.path().join("packs")).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&pack).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 0x20;
        fs::write(&pack, &changed).unwrap();
        let store = open(folder.path());
        let found = [1, 2].map(|number| has(&store, number));
        assert_eq!(found.iter().filter(|found| **found).count(), 1, "byte {at}");
        // What was damaged is computed and published again.
        let lost = if found[0] { 2 } else { 1 };
        assert_eq!(store.publish(&[product(lost)], &maker()).unwrap().stored, 1);
        assert!(has(&store, lost));
        drop(store);
        fs::write(&pack, &whole).unwrap();
        for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] {
            let _ = fs::remove_file(folder.path().join(name));
        }
        for extra in fs::read_dir(folder.path().join("packs")).unwrap() {
            let extra = extra.unwrap().path();
            if extra != pack {
                fs::remove_file(extra).unwrap();
            }
        }
    }
}

/// Publishes, collects and publishes again, stopped before one step; says how many steps there were until then.
fn stopped_at(folder: &Path, stop: usize) -> (usize, bool) {
    let steps = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&steps);
    let faults: Faults = Arc::new(move |_| counted.fetch_add(1, Ordering::Relaxed) >= stop);
    let options = StoreOptions { limit: None, faults: Some(faults) };
    let ended = || -> Result<(), ProductError> {
        let store = ProductStore::open(folder, &options)?;
        store.publish(&[product(1), product(2), product(3)], &maker())?;
        drop(store);
        let store = ProductStore::open(folder, &options)?;
        store.publish(&[product(4)], &maker())?;
        store.index.close_pack(&lock(&store.writer).take().map(|w| w.name).unwrap_or_default())?;
        store.collect(&Collection { size: Some(600), older_than: None })?;
        store.publish(&[product(5)], &maker())?;
        Ok(())
    };
    let ended = ended();
    assert!(matches!(ended, Ok(()) | Err(ProductError::Stopped(_))), "{ended:?}");
    (steps.load(Ordering::Relaxed), ended.is_ok())
}

#[test]
fn stopped_before_any_step_the_store_opens_and_is_whole() {
    for stop in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let (steps, ended) = stopped_at(folder.path(), stop);
        let store = open(folder.path());
        let verified = store.verify(|_, _| {}).unwrap();
        assert_eq!(verified.damaged, [], "stopped before step {stop}");
        let statistics = store.statistics().unwrap();
        assert_eq!(statistics.products, verified.sound);
        // What the index names can be read, and everything can be published after it.
        let found: BTreeMap<u8, bool> = (1..=5).map(|number| (number, has(&store, number))).collect();
        let missing: Vec<NewProduct> = found.iter().filter(|(_, f)| !**f).map(|(n, _)| product(*n)).collect();
        assert_eq!(store.publish(&missing, &maker()).unwrap().stored, missing.len() as u64);
        assert!((1..=5).all(|number| has(&store, number)));
        if ended {
            assert!(steps >= 12, "{steps} steps");
            break;
        }
    }
}

#[test]
fn a_collection_keeps_what_fits_and_gives_the_space_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.publish(&(1..=40).map(product).collect::<Vec<_>>(), &maker()).unwrap();
    drop(store);
    let store = open(folder.path());
    store.pin(&key(7).to_string(), true).unwrap();
    let all = store.statistics().unwrap();
    let collected =
        store.collect(&Collection { size: Some(all.product_bytes / 4), older_than: None }).unwrap();
    let left = store.statistics().unwrap();
    assert_eq!(collected.removed + left.products, 40);
    assert!(left.product_bytes <= all.product_bytes / 4 + 500, "{left:?}");
    assert!(has(&store, 7), "it is pinned");
    assert_eq!(left.pack_bytes, left.product_bytes);
    assert_eq!(store.verify(|_, _| {}).unwrap().sound, left.products);
}

#[test]
fn a_reader_keeps_what_it_was_promised_while_others_collect() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).publish(&[product(1), product(2)], &maker()).unwrap();
    let reader = open(folder.path());
    let promised = reader.index.find(&[key(1)]).unwrap().remove(0).unwrap();
    let collector = open(folder.path());
    collector.collect(&Collection { size: Some(0), older_than: None }).unwrap();
    assert!(reader.read(&promised).is_some(), "the pack waits in the trash");
    drop(reader);
    collector.empty_trash().unwrap();
    assert_eq!(collector.statistics().unwrap().pack_bytes, 0);
}

#[test]
fn many_threads_with_stores_of_their_own_agree() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8u8 {
            let folder = folder.path();
            scope.spawn(move || {
                let store = open(folder);
                for round in 0..20u8 {
                    let number = (thread * 5 + round) % 50;
                    if !has(&store, number) {
                        store.publish(&[product(number)], &maker()).unwrap();
                        // Another thread may have collected it already; what is found is whole.
                        has(&store, number);
                    }
                    if round == 10 && thread % 4 == 0 {
                        store.collect(&Collection { size: Some(2000), older_than: None }).unwrap();
                    }
                }
            });
        }
    });
    let store = open(folder.path());
    let verified = store.verify(|_, _| {}).unwrap();
    assert!(verified.damaged.is_empty() && verified.sound > 0);
    assert_eq!(store.statistics().unwrap().conflicts, 0);
}

#[test]
fn a_folder_of_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "x").unwrap();
    let error = ProductStore::open(folder.path(), &StoreOptions::default()).unwrap_err().to_string();
    assert!(error.contains("found thesis.tex"), "{error}");
    let newer = tempfile::tempdir().unwrap();
    fs::write(newer.path().join("format"), "onceflow products 2\n").unwrap();
    let error = ProductStore::open(newer.path(), &StoreOptions::default()).unwrap_err().to_string();
    assert!(error.contains("onceflow products 1") && error.contains("found onceflow products 2"), "{error}");
}

#[test]
fn digests_of_files_are_remembered_only_while_they_are_proven() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"));
    let file = folder.path().join("slide.tif");
    let reads = std::cell::Cell::new(0);
    let digest = |what: &str| {
        let read = || {
            reads.set(reads.get() + 1);
            Digest::of_reader("test", File::open(&file)?)
        };
        store.remembered_digest(&file, what, read).unwrap()
    };
    fs::write(&file, b"pixels").unwrap();
    let first = digest("image");
    // The same length within the same moment: too fresh to be trusted, so it is read again.
    fs::write(&file, b"PIXELS").unwrap();
    let second = digest("image");
    assert!(second != first && reads.get() == 2);
    let age = |seconds| {
        let changed = SystemTime::now() - std::time::Duration::from_secs(seconds);
        File::options().write(true).open(&file).unwrap().set_modified(changed).unwrap();
    };
    age(100);
    assert!((digest("image"), digest("image")) == (second, second) && reads.get() == 3, "read once");
    assert!(digest("truth") == second && reads.get() == 4, "another way to read it");
    age(50);
    assert!(digest("image") == second && reads.get() == 5, "its time has changed");
}
