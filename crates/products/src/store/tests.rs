//! A store as processes use it at the same time.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use onceflow_region::{Digest, RegionId, RegionKind};

use super::*;
use crate::{Collection, Fault, ProductRegion};

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

fn all() -> Collection {
    Collection { size: Some(0), older_than: None }
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
    assert_eq!(other.has(&[key(3), key(1)]).unwrap(), [false, true]);
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
    let published = store.publish(std::slice::from_ref(&other), &Maker::new("runs/second")).unwrap();
    assert_eq!(published.stored, 0);
    let [conflict] = &published.conflicts[..] else { panic!("{published:?}") };
    assert_eq!((&conflict.first.run[..], &conflict.second.run[..]), ("runs/first", "runs/second"));
    assert!(has(&store, 1));
    assert_eq!(store.statistics().unwrap().conflicts, 1);
    // Also of two in one batch.
    let twice = [NewProduct { key: key(2), ..other }, product(2)];
    let published = store.publish(&twice, &maker()).unwrap();
    assert_eq!((published.stored, published.conflicts.len()), (1, 1));
    assert_eq!(store.fetch(&[key(2)]).unwrap().remove(0).unwrap().payload, b"other bytes");
}

#[test]
fn equal_bytes_are_stored_once_and_stay_while_a_key_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let same = |number| NewProduct { payload: vec![9; 200], ..product(number) };
    store.publish(&[same(1), same(2)], &maker()).unwrap();
    drop(store);
    let store = open(folder.path());
    let more = store.publish(&[same(3)], &maker()).unwrap();
    assert!(more.stored == 1 && more.bytes < 200, "{more:?}: an entry alone");
    let statistics = store.statistics().unwrap();
    assert_eq!((statistics.products, statistics.blobs, statistics.payload_bytes), (3, 1, 600));
    assert!(store.list().unwrap().iter().all(|listed| listed.shared == 3 && listed.payload_bytes == 200));
    store.pin(&key(3).to_string(), true).unwrap();
    drop(store);
    let store = open(folder.path());
    let collected = store.collect(&all()).unwrap();
    assert_eq!((collected.removed, collected.kept), (2, 1));
    assert_eq!(store.fetch(&[key(3)]).unwrap().remove(0).unwrap().payload, [9; 200]);
    assert_eq!(store.statistics().unwrap().blobs, 1);
}

#[test]
fn a_large_result_has_a_pack_of_its_own_that_goes_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut payload = vec![0; 5 << 20];
    blake3::Hasher::new().finalize_xof().fill(&mut payload);
    let large = NewProduct { payload: payload.clone(), ..product(1) };
    let zeros = NewProduct { payload: vec![0; 32 << 20], ..product(2) };
    let published = store.publish(&[large, zeros, product(3)], &maker()).unwrap();
    assert!(published.stored == 3 && published.bytes < 6 << 20, "{}: zeros are compressed", published.bytes);
    drop(store);
    for name in ["index3.sqlite", "none"] {
        let _ = fs::remove_file(folder.path().join(name));
        let store = open(folder.path());
        assert_eq!(store.statistics().unwrap().packs, 2);
        let found = store.fetch(&[key(1), key(2)]).unwrap();
        assert!(found[0].as_ref().unwrap().payload == payload && has(&store, 3));
        assert!(found[1].as_ref().unwrap().payload == vec![0; 32 << 20]);
    }
    let store = open(folder.path());
    store.collect(&Collection { size: Some(1 << 20), older_than: None }).unwrap();
    assert!(!has(&store, 1) && store.statistics().unwrap().pack_bytes < 1 << 20);
}

#[test]
fn a_blob_that_is_collected_while_a_key_for_it_is_published_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_path_buf();
    open(folder.path()).publish(&[product(1)], &maker()).unwrap();
    let armed = Arc::new(AtomicBool::new(false));
    let trigger = Arc::clone(&armed);
    // Between the look for the blob and the entry of the key another process collects.
    let faults: Faults = Arc::new(move |operation| {
        if operation.step == "sync" && trigger.swap(false, Ordering::Relaxed) {
            open(&path).collect(&all()).unwrap();
        }
        None::<Fault>
    });
    let options = StoreOptions { faults: Some(faults), ..StoreOptions::default() };
    let store = ProductStore::open(folder.path(), &options).unwrap();
    store.publish(&[product(7)], &maker()).unwrap();
    armed.store(true, Ordering::Relaxed);
    let same = NewProduct { key: key(2), ..product(1) };
    assert_eq!(store.publish(&[same], &maker()).unwrap().stored, 1);
    assert!(!armed.load(Ordering::Relaxed) && !has(&store, 1), "it was collected");
    assert_eq!(store.fetch(&[key(2)]).unwrap().remove(0).unwrap().payload, product(1).payload);
}

#[test]
fn the_index_is_made_again_from_the_packs() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).publish(&[product(1), product(2)], &maker()).unwrap();
    for damage in [None, Some(&b"SQLite format 3\0 and then something else entirely"[..]), Some(b"no index")]
    {
        for name in ["index3.sqlite", "index3.sqlite-wal", "index3.sqlite-shm"] {
            let _ = fs::remove_file(folder.path().join(name));
        }
        if let Some(bytes) = damage {
            fs::write(folder.path().join("index3.sqlite"), bytes.repeat(100)).unwrap();
        }
        let store = open(folder.path());
        assert!(has(&store, 1) && has(&store, 2), "{damage:?}");
    }
    let aside = fs::read_dir(folder.path().join("quarantine")).unwrap().count();
    assert_eq!(aside, 2, "damaged indexes are kept");
}

#[test]
fn a_process_goes_on_with_an_index_that_another_has_made() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.publish(&[product(1)], &maker()).unwrap();
    fs::write(folder.path().join("index3.damaged"), b"").unwrap();
    let repaired = open(folder.path());
    assert!(!has(&repaired, 1), "its pack is still being written");
    store.publish(&[product(2)], &maker()).unwrap();
    assert!(has(&store, 1) && has(&store, 2));
    assert!(has(&repaired, 1) && has(&repaired, 2));
    assert!(!folder.path().join("index3.damaged").exists());
}

#[test]
fn after_a_failed_sync_another_pack_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let fails = Arc::new(AtomicBool::new(false));
    let armed = Arc::clone(&fails);
    let faults: Faults = Arc::new(move |operation| {
        (operation.step == "sync" && armed.load(Ordering::Relaxed)).then_some(Fault::Full)
    });
    let options = StoreOptions { faults: Some(faults), ..StoreOptions::default() };
    let store = ProductStore::open(folder.path(), &options).unwrap();
    let packs = || store.statistics().unwrap().packs;
    store.publish(&[product(1)], &maker()).unwrap();
    store.publish(&[product(2)], &maker()).unwrap();
    assert_eq!(packs(), 1);
    fails.store(true, Ordering::Relaxed);
    assert!(store.publish(&[product(3)], &maker()).unwrap_err().is_full());
    fails.store(false, Ordering::Relaxed);
    store.publish(&[product(3)], &maker()).unwrap();
    assert_eq!(packs(), 2, "the system may have forgotten bytes of the first");
    assert!((1..=3).all(|number| has(&store, number)));
}

#[test]
fn a_pack_that_vanishes_while_it_is_taken_over_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    assert!(store.adopt_pack(&pack::name_of(&"0a".repeat(16)), false).unwrap().is_empty());
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
    collector.collect(&all()).unwrap();
    assert!(reader.read(&key(1), &promised).is_ok(), "the pack waits in the trash");
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
}

#[test]
fn digits_stand_for_the_keys_that_begin_with_them() {
    let [first, last] = between("3f2");
    assert_eq!(first.to_string(), format!("3f2{}", "0".repeat(61)));
    assert_eq!(last.to_string(), format!("3f2{}", "f".repeat(61)));
    assert_eq!(between("")[1], ProductKey([255; 32]));
    assert!(is_hexadecimal("3F2") && !is_hexadecimal("") && !is_hexadecimal("3g"));
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

#[test]
fn a_file_that_is_changed_after_its_digest_was_taken_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store"));
    let file = folder.path().join("slide.tif");
    let watched = || {
        let read = || Digest::of_reader("test", File::open(&file)?);
        store.source_digest(&file, "image", read).unwrap().file.unwrap()
    };
    let age = |seconds| {
        let changed = SystemTime::now() - std::time::Duration::from_secs(seconds);
        File::options().write(true).open(&file).unwrap().set_modified(changed).unwrap();
    };
    fs::write(&file, b"pixels").unwrap();
    let fresh = watched();
    assert!(fresh.is_unchanged());
    age(100);
    assert!(!fresh.is_unchanged(), "its time has changed");
    for remembered in [false, true] {
        let (settled, times) = (watched(), file.metadata().unwrap().modified().unwrap());
        assert!(settled.is_unchanged());
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&file, b"PIXELS").unwrap();
        File::options().write(true).open(&file).unwrap().set_modified(times).unwrap();
        assert!(!settled.is_unchanged(), "the same length and time, another content; {remembered}");
    }
    let gone = watched();
    fs::remove_file(&file).unwrap();
    assert!(!gone.is_unchanged());
    let of_folder = store.source_digest(folder.path(), "image", || Ok(Digest([0; 32]))).unwrap();
    assert!(of_folder.file.is_none());
}

#[test]
fn regions_are_found_by_what_they_are_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let store = ProductStore::open(folder.path(), &StoreOptions::default()).unwrap();
    let mask = |number: u8, image: &str, name: &str, x: i64| NewRegion {
        product: NewProduct { key: ProductKey([number; 32]), payload: vec![number], seconds: 1.0 },
        region: Some(ProductRegion {
            id: RegionId::new(image, name, RegionKind::Dense).with_version(number.into()),
            bounds: Bounds::plane(x, 0, 100, 50).unwrap(),
        }),
    };
    let none = NewRegion { region: None, ..mask(9, "a", "b", 0) };
    let made = [mask(1, "a", "nuclei", 0), mask(2, "a", "nuclei", 100), mask(3, "b", "nuclei", 0), none];
    assert_eq!(store.publish_regions(&made, &Maker::new("test")).unwrap().stored, 4);
    let found = |store: &ProductStore, query: &RegionQuery, within: Option<Bounds>| -> Vec<u8> {
        let listed = store.regions(query, within.as_ref(), 10).unwrap();
        listed.iter().map(|listed| listed.key.0[0]).collect()
    };
    let look = |store: &ProductStore| {
        let named = RegionQuery::named;
        assert_eq!(found(store, &named("a", "nuclei"), None), [1, 2]);
        assert_eq!(found(store, &named("", "nuclei"), None), [1, 2, 3], "of any image");
        assert_eq!(found(store, &named("a", ""), Bounds::plane(99, 49, 1, 1)), [1]);
        assert_eq!(found(store, &named("a", ""), Bounds::plane(99, 49, 2, 1)), [1, 2]);
        assert_eq!(found(store, &named("a", ""), Bounds::plane(0, 50, 500, 1)), [] as [u8; 0], "below all");
        assert_eq!(found(store, &RegionQuery { version: Some(2), ..named("", "") }, None), [2]);
        let polygons = RegionQuery { kind: Some(RegionKind::Polygons), ..named("", "") };
        assert_eq!(found(store, &polygons, None), [] as [u8; 0]);
        let listed = store.listed(&ProductKey([2; 32])).unwrap().unwrap();
        assert_eq!(listed.region, made[1].region);
        assert_eq!(store.listed(&ProductKey([9; 32])).unwrap().unwrap().region, None);
    };
    look(&store);
    drop(store);
    for name in ["index3.sqlite", "index3.sqlite-wal", "index3.sqlite-shm"] {
        let _ = fs::remove_file(folder.path().join(name));
    }
    let store = ProductStore::open(folder.path(), &StoreOptions::default()).unwrap();
    look(&store);
    store.pin(&ProductKey([1; 32]).to_string(), true).unwrap();
    store.collect(&Collection { size: Some(0), older_than: None }).unwrap();
    assert_eq!(found(&store, &RegionQuery::named("", ""), None), [1], "what was collected is found no more");
}

#[test]
fn opening_waits_for_other_processes_no_longer_than_it_may() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path()).publish(&[product(1)], &maker()).unwrap();
    let wait = Some(Duration::from_millis(100));
    let refused = || {
        let began = std::time::Instant::now();
        let opened = ProductStore::open(folder.path(), &StoreOptions { wait, ..StoreOptions::default() });
        assert!(began.elapsed() < Duration::from_secs(15), "without a limit it would be twenty");
        opened.map(drop).unwrap_err().to_string()
    };
    let other = rusqlite::Connection::open(folder.path().join("index3.sqlite")).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM trash").unwrap();
    let error = refused();
    assert!(error.contains("locked"), "{error}");
    drop(other);
    // Another process repairs the store.
    fs::write(folder.path().join("index3.damaged"), b"").unwrap();
    let repairs = fs::File::create(folder.path().join("lock")).unwrap();
    repairs.lock().unwrap();
    let error = refused();
    assert!(error.contains("another process repairs or migrates the store"), "{error}");
    drop(repairs);
    assert!(has(&open(folder.path()), 1));
}
