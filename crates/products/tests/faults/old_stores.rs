//! Stores that earlier versions made. `stores/form1` and `stores/form2` are as these wrote them: five products of two runs, one of
//! them pinned, one used twice; in a pack of the second there is also what is left of a product that was collected.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use onceflow_products::{Collection, Fault, ProductError, ProductKey, ProductStore, StoreOptions};

use crate::common::{copy_folder, faults_at, open, temporary};

/// The old stores, with the files of their indexes.
const STORES: [(&str, &str); 2] = [("form1", "index.sqlite"), ("form2", "index2.sqlite")];

/// A copy of an old store.
fn copy_of(form: &str) -> tempfile::TempDir {
    let folder = temporary();
    copy_folder(&Path::new("tests/stores").join(form), folder.path());
    folder
}

/// The payload of a product in them.
fn payload(number: u8) -> Vec<u8> {
    match number {
        1 | 3 => b"dice 0.75".to_vec(),
        2 => vec![7; 3000],
        4 => Vec::new(),
        n => (0..200u32).map(|i| (i * i * u32::from(n)) as u8).collect(),
    }
}

fn check(store: &ProductStore) {
    for number in 1..=5 {
        let found = store.fetch(&[ProductKey([number; 32])]).unwrap().remove(0).unwrap();
        assert_eq!(found.payload, payload(number), "product {number}");
        assert_eq!(found.seconds, f64::from(number) / 4.0);
        let run = if number <= 3 { "runs/first" } else { "runs/second" };
        assert_eq!((&found.maker.run[..], &found.maker.user[..]), (run, "ada@lab"));
    }
    let listed = store.list().unwrap();
    assert_eq!(listed.len(), 5);
    assert!(listed.iter().all(|product| product.pinned == (product.key.0[0] == 5)));
    let uses: Vec<u64> = listed.iter().map(|product| product.uses).collect();
    assert_eq!(uses, [1, 3, 1, 1, 1], "two uses of the second are from before");
}

#[test]
fn a_store_of_an_older_form_gives_its_products() {
    for (form, index) in STORES {
        let folder = copy_of(form);
        check(&open(folder.path()));
        let format = fs::read_to_string(folder.path().join("format")).unwrap();
        assert_eq!(format, "onceflow products 3\n");
        // What was there stays as a copy until the store is collected.
        let former = folder.path().join(form.replace("form", "form-"));
        assert!(former.join(index).is_file() && fs::read_dir(&former).unwrap().count() >= 3);
        let store = open(folder.path());
        let statistics = store.statistics().unwrap();
        assert_eq!((statistics.products, statistics.blobs), (5, 4), "equal bytes are stored once");
        assert_eq!(statistics.product_bytes, statistics.pack_bytes, "what was collected stays away");
        assert!(statistics.former_bytes > 40_000 && statistics.damaged == 0, "{statistics:?}");
        store.collect(&Collection::default()).unwrap();
        assert_eq!(store.statistics().unwrap().former_bytes, 0);
        assert_eq!(store.list().unwrap().len(), 5);
    }
}

/// The products of the old stores, wherever the migration was stopped or the disk was full.
#[test]
fn a_migration_that_fails_at_any_step_leaves_a_store_that_opens() {
    for ((form, _), fault) in
        STORES.into_iter().flat_map(|store| [(store, Fault::Stop), (store, Fault::Full)])
    {
        for at in 0.. {
            let folder = copy_of(form);
            let (faults, calls) = faults_at(move |number, _| {
                (number == at || (number > at && fault == Fault::Stop)).then_some(fault)
            });
            let options = StoreOptions { faults: Some(faults), ..StoreOptions::default() };
            let opened = ProductStore::open(folder.path(), &options);
            if let Err(error) = &opened {
                assert!(matches!(error, ProductError::Stopped(_)) || error.is_full(), "{error}");
            }
            drop(opened);
            check(&open(folder.path()));
            if calls.load(Ordering::Relaxed) <= at {
                assert!(at >= 15, "{at} steps");
                break;
            }
        }
    }
}

#[test]
fn what_the_old_index_does_not_know_is_migrated_too() {
    // Without its index nothing says that the last product of the second store was collected.
    for ((form, index), products) in STORES.into_iter().zip([5, 6]) {
        let folder = copy_of(form);
        fs::remove_file(folder.path().join(index)).unwrap();
        let store = open(folder.path());
        assert_eq!(store.list().unwrap().len(), products);
        assert_eq!(store.fetch(&[ProductKey([2; 32])]).unwrap().remove(0).unwrap().payload, payload(2));
    }
}

#[test]
fn damage_in_an_old_store_stays_behind() {
    for (form, _) in STORES {
        let folder = copy_of(form);
        for pack in crate::common::packs(folder.path()) {
            let mut bytes = fs::read(&pack).unwrap();
            // In the first record of each pack.
            bytes[20] ^= 1;
            fs::write(pack, bytes).unwrap();
        }
        let store = open(folder.path());
        let found = store.fetch(&(1..=5).map(|n| ProductKey([n; 32])).collect::<Vec<_>>()).unwrap();
        let sound = found.iter().zip(1..).filter_map(|(found, n)| Some((found.as_ref()?, n)));
        let sound: Vec<_> = sound.inspect(|(found, n)| assert_eq!(found.payload, payload(*n))).collect();
        assert!((2..5).contains(&sound.len()), "{form}: {}", sound.len());
        assert_eq!(store.verify(|_, _| {}).unwrap().damaged, []);
    }
}

#[test]
fn a_store_that_an_older_version_uses_is_not_migrated() {
    for (form, _) in STORES {
        let folder = copy_of(form);
        fs::create_dir_all(folder.path().join("leases")).unwrap();
        let lease = fs::File::create(folder.path().join("leases").join("0".repeat(32))).unwrap();
        lease.lock().unwrap();
        let error = ProductStore::open(folder.path(), &StoreOptions::default()).unwrap_err().to_string();
        let number = &form[4..];
        assert!(
            error.contains(&format!("a store of form {number} while it becomes form 3, found 1")),
            "{error}"
        );
        drop(lease);
        check(&open(folder.path()));
    }
}

#[test]
fn a_newer_store_is_refused_and_both_forms_are_named() {
    let folder = temporary();
    fs::write(folder.path().join("format"), "onceflow products 4\n").unwrap();
    let error = ProductStore::open(folder.path(), &StoreOptions::default()).unwrap_err().to_string();
    assert!(error.contains("form 3 or older") && error.contains("found form 4"), "{error}");
    fs::write(folder.path().join("format"), "something else").unwrap();
    let error = ProductStore::open(folder.path(), &StoreOptions::default()).unwrap_err().to_string();
    assert!(error.contains("onceflow products 3") && error.contains("found something else"), "{error}");
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "nothing was made in it");
}
