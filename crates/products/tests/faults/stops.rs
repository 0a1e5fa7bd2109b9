//! A store that is stopped before any of its steps, as a kill stops it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use onceflow_products::{Fault, Faults, ProductError, ProductStore, StoreOptions};

use crate::common::{
    Promises, check, check_without_index, copy_folder, faults_at, has, key, maker, open, packs, product,
    products, temporary, work,
};

/// Stops `work` before each of its steps and checks what is left; the steps that there were.
fn stop_everywhere(
    work: impl Fn(&Path, &Faults) -> Result<(), ProductError>,
    check: impl Fn(&Path, &str),
) -> BTreeSet<&'static str> {
    let steps = Arc::new(Mutex::new(BTreeSet::new()));
    for stop in 0.. {
        let folder = temporary();
        let seen = Arc::clone(&steps);
        let (faults, count) = faults_at(move |number, operation| {
            seen.lock().unwrap().insert(operation.step);
            (number >= stop).then_some(Fault::Stop)
        });
        let ended = work(folder.path(), &faults);
        assert!(matches!(ended, Ok(()) | Err(ProductError::Stopped(_))), "{ended:?}");
        check(folder.path(), &format!("stopped before step {stop}: {ended:?}"));
        if count.load(Ordering::Relaxed) <= stop {
            break;
        }
    }
    Arc::try_unwrap(steps).unwrap().into_inner().unwrap()
}

#[test]
fn stopped_before_any_step_of_publishing_and_collecting_the_store_is_whole() {
    let promises = Promises::default();
    let steps = stop_everywhere(
        |folder, faults| {
            promises.set(&[]);
            work(folder, faults, &promises)
        },
        |folder, words| {
            let copy = temporary();
            copy_folder(folder, copy.path());
            check(folder, &promises.now(), words);
            check_without_index(copy.path(), &promises.now(), words);
        },
    );
    let expected = [
        "add",
        "append",
        "close",
        "create",
        "empty",
        "move",
        "note readers",
        "note uses",
        "open index",
        "pin",
        "register",
        "remove",
        "sync",
        "sync folder",
        "write",
    ];
    assert!(expected.iter().all(|step| steps.contains(step)), "{steps:?}");
}

#[test]
fn stopped_before_any_step_of_verifying_damage_is_set_aside_later() {
    let damaged = |folder: &Path| {
        open(folder).publish(&products(&[1, 2, 3, 4]), &maker()).unwrap();
        let pack = packs(folder).remove(0);
        let mut bytes = fs::read(&pack).unwrap();
        // The bytes that products 1 and 2 share.
        bytes[70] ^= 1;
        fs::write(&pack, bytes).unwrap();
    };
    let verify = |folder: &Path, faults: &Faults| {
        damaged(folder);
        let options = StoreOptions { faults: Some(Arc::clone(faults)), ..StoreOptions::default() };
        ProductStore::open(folder, &options)?.verify(|_, _| {}).map(drop)
    };
    let steps = stop_everywhere(verify, |folder, words| {
        let store = open(folder);
        store.verify(|_, _| {}).unwrap();
        assert_eq!(store.verify(|_, _| {}).unwrap().damaged, [], "{words}");
        assert_eq!(store.has(&[1, 2, 3, 4].map(key)).unwrap(), [false, false, true, true], "{words}");
        assert!(fs::read_dir(folder.join("quarantine")).unwrap().count() >= 1, "{words}");
        assert_eq!(store.publish(&[product(1), product(2)], &maker()).unwrap().stored, 2, "{words}");
        assert!((1..=4).all(|number| has(&store, number)), "{words}");
    });
    assert!(["write", "set aside"].iter().all(|step| steps.contains(step)), "{steps:?}");
}
