//! What the tests of the store share.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use onceflow_products::{
    Collection, Fault, Faults, Maker, NewProduct, NewRegion, Operation, ProductError, ProductKey,
    ProductRegion, ProductStore, StoreOptions,
};
use onceflow_region::{Bounds, RegionId, RegionKind, RegionQuery};
use tempfile::TempDir;

/// The files of the index.
pub(crate) const INDEX: [&str; 3] = ["index3.sqlite", "index3.sqlite-wal", "index3.sqlite-shm"];

/// How large a test is: what the variable says, or a small number that fits the first tier.
pub(crate) fn scale(variable: &str, few: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

/// A new folder, in memory where there is such a place: thousands of stores are made and synced.
pub(crate) fn temporary() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { TempDir::new_in(memory).unwrap() } else { TempDir::new().unwrap() }
}

pub(crate) fn open(folder: &Path) -> ProductStore {
    ProductStore::open(folder, &StoreOptions::default()).unwrap()
}

pub(crate) fn key(number: u8) -> ProductKey {
    ProductKey([number; 32])
}

pub(crate) fn maker() -> Maker {
    Maker::new("runs/first")
}

/// Products 1 and 2 have the same bytes, others have bytes of their own, some of them compressible.
pub(crate) fn product(number: u8) -> NewProduct {
    let payload = match number {
        1 | 2 => b"the same bytes".to_vec(),
        n if n % 2 == 0 => vec![n; 600 + usize::from(n)],
        n => (0..300u32).map(|i| (i * i * u32::from(n)) as u8).collect(),
    };
    NewProduct { key: key(number), payload, seconds: f64::from(number) }
}

/// Which region a product is: those with odd numbers are masks beside each other.
pub(crate) fn region(number: u8) -> Option<ProductRegion> {
    let bounds = Bounds::plane(i64::from(number) * 10, 0, 10, 5).unwrap();
    let id = RegionId::new("tile", "nuclei", RegionKind::Dense).with_version(number.into());
    (number % 2 == 1).then_some(ProductRegion { id, bounds })
}

pub(crate) fn regions(numbers: &[u8]) -> Vec<NewRegion> {
    let made = |number: &u8| NewRegion { product: product(*number), region: region(*number) };
    numbers.iter().map(made).collect()
}

/// The numbers of the products that the store finds as regions.
pub(crate) fn found_regions(store: &ProductStore) -> Vec<u8> {
    let found = store.regions(&RegionQuery::named("tile", ""), None, 100).unwrap();
    let mut numbers: Vec<u8> = found.iter().map(|listed| listed.key.0[0]).collect();
    numbers.sort_unstable();
    for listed in found {
        assert_eq!(listed.region, region(listed.key.0[0]));
    }
    numbers
}

pub(crate) fn products(numbers: &[u8]) -> Vec<NewProduct> {
    numbers.iter().map(|number| product(*number)).collect()
}

/// Whether the store has a product, with its own bytes.
pub(crate) fn has(store: &ProductStore, number: u8) -> bool {
    match store.fetch(&[key(number)]).unwrap().remove(0) {
        Some(found) => {
            assert_eq!(found.payload, product(number).payload, "product {number}");
            true
        }
        None => false,
    }
}

pub(crate) const ALL: [u8; 7] = [1, 2, 3, 4, 5, 6, 7];

/// What is true of every store: it opens, nothing in it is damaged, its numbers reconcile, all that was promised is there,
/// and what is missing can be published.
pub(crate) fn check(folder: &Path, promised: &[u8], words: &str) {
    let store = open(folder);
    let verified = store.verify(|_, _| {}).unwrap();
    assert_eq!(verified.damaged, [], "{words}");
    let statistics = store.statistics().unwrap();
    assert_eq!((statistics.products, statistics.product_bytes), (verified.sound, verified.bytes), "{words}");
    assert!(statistics.pack_bytes >= statistics.product_bytes, "{words}: {statistics:?}");
    assert_eq!(statistics.damaged, 0, "{words}");
    for number in promised {
        assert!(has(&store, *number), "{words}: product {number} was promised");
    }
    let missing: Vec<u8> = ALL.into_iter().filter(|number| !has(&store, *number)).collect();
    let stored = store.publish_regions(&regions(&missing), &maker()).unwrap().stored;
    assert_eq!(stored, missing.len() as u64, "{words}");
    assert!(ALL.into_iter().all(|number| has(&store, number)), "{words}");
    let listed = store.list().unwrap();
    let of_listed = listed.iter().filter(|listed| listed.region.is_some());
    let mut of_listed: Vec<u8> = of_listed.map(|listed| listed.key.0[0]).collect();
    of_listed.sort_unstable();
    assert_eq!(of_listed, found_regions(&store), "{words}");
}

/// The same after the index was lost.
pub(crate) fn check_without_index(folder: &Path, promised: &[u8], words: &str) {
    INDEX.iter().for_each(|name| drop(fs::remove_file(folder.join(name))));
    check(folder, promised, &format!("{words}, without the index"));
}

/// What products a work has promised so far.
#[derive(Default)]
pub(crate) struct Promises(std::sync::Mutex<Vec<u8>>);

impl Promises {
    pub(crate) fn set(&self, numbers: &[u8]) {
        *self.0.lock().unwrap() = numbers.to_vec();
    }

    pub(crate) fn now(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

/// All that a store does: publish, use, pin, verify, collect, publish again.
pub(crate) fn work(folder: &Path, faults: &Faults, promises: &Promises) -> Result<(), ProductError> {
    let options = StoreOptions { faults: Some(Arc::clone(faults)), ..StoreOptions::default() };
    let store = ProductStore::open(folder, &options)?;
    store.publish_regions(&regions(&[1, 2, 3, 4]), &maker())?;
    promises.set(&[1, 2, 3, 4]);
    drop(store);
    let store = ProductStore::open(folder, &options)?;
    store.fetch(&[key(1), key(9)])?;
    store.publish_regions(&regions(&[4, 5]), &maker())?;
    promises.set(&[1, 2, 3, 4, 5]);
    store.pin(&key(3).to_string(), true)?;
    store.verify(|_, _| {})?;
    // From here on only what is pinned must stay.
    promises.set(&[3]);
    store.collect(&Collection { size: Some(0), older_than: None })?;
    store.publish_regions(&regions(&[6]), &maker())?;
    promises.set(&[3, 6]);
    drop(store);
    let store = ProductStore::open(folder, &options)?;
    store.publish_regions(&regions(&[7]), &maker())?;
    promises.set(&[3, 6, 7]);
    Ok(())
}

/// A fault at the operations for which `meets` says so by their number; and how many there were.
pub(crate) fn faults_at(
    meets: impl Fn(usize, &Operation<'_>) -> Option<Fault> + Send + Sync + 'static,
) -> (Faults, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let faults: Faults = Arc::new(move |operation| meets(counted.fetch_add(1, Ordering::Relaxed), operation));
    (faults, count)
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The packs of a store.
pub(crate) fn packs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("packs")).unwrap();
    let mut packs: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    packs.sort();
    packs
}
