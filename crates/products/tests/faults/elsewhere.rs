//! Packs in another folder than the index, as on a network file system.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use onceflow_products::{Fault, Faults, ProductError, ProductStore, StoreOptions};

use crate::common::{INDEX, faults_at, has, maker, packs, products, temporary};

/// A folder with one for the index and one for the packs.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(temporary())
    }

    fn index(&self) -> std::path::PathBuf {
        self.0.path().join("index")
    }

    fn blobs(&self) -> std::path::PathBuf {
        self.0.path().join("blobs")
    }

    fn open(&self, blobs: Option<&Path>) -> Result<ProductStore, ProductError> {
        self.open_with(blobs, None)
    }

    fn open_with(&self, blobs: Option<&Path>, faults: Option<Faults>) -> Result<ProductStore, ProductError> {
        let blobs = blobs.map(Path::to_path_buf);
        ProductStore::open(self.index(), &StoreOptions { blobs, faults, ..StoreOptions::default() })
    }

    /// A store of four products.
    fn filled() -> Self {
        let place = Self::new();
        let store = place.open(Some(&place.blobs())).unwrap();
        store.publish(&products(&[1, 2, 3, 4]), &maker()).unwrap();
        place
    }
}

fn error(opened: Result<ProductStore, ProductError>) -> String {
    opened.map(drop).unwrap_err().to_string()
}

#[test]
fn packs_elsewhere_are_found_again_without_naming_their_folder() {
    let place = Place::filled();
    assert!(!place.index().join("packs").exists() && packs(&place.blobs()).len() == 1);
    for blobs in [None, Some(place.blobs())] {
        let store = place.open(blobs.as_deref()).unwrap();
        assert!((1..=4).all(|number| has(&store, number)));
        assert!(store.statistics().unwrap().pack_bytes > 0);
    }
    INDEX.iter().for_each(|name| drop(fs::remove_file(place.index().join(name))));
    let store = place.open(None).unwrap();
    assert!((1..=4).all(|number| has(&store, number)), "the index is made again");
    drop(store);
    fs::remove_dir_all(place.index()).unwrap();
    let store = place.open(Some(&place.blobs())).unwrap();
    assert!((1..=4).all(|number| has(&store, number)), "and so is all of its folder");
}

#[test]
fn a_folder_of_packs_that_is_away_costs_no_result() {
    let place = Place::filled();
    let away = place.0.path().join("away");
    fs::rename(place.blobs(), &away).unwrap();
    assert!(error(place.open(None)).contains("is the file system mounted?"));
    // The folder to mount on is there, and empty.
    fs::create_dir(place.blobs()).unwrap();
    assert!(error(place.open(None)).contains("is the file system mounted?"));
    assert!(error(place.open(Some(&place.blobs()))).contains("is the file system mounted?"));
    fs::remove_dir_all(place.blobs()).unwrap();
    fs::rename(&away, place.blobs()).unwrap();
    let store = place.open(None).unwrap();
    assert!((1..=4).all(|number| has(&store, number)));
}

#[test]
fn a_folder_of_packs_belongs_to_one_store_and_a_store_to_one_folder() {
    let (place, other) = (Place::filled(), Place::filled());
    let stranger = Place::new();
    let refused = error(stranger.open(Some(&place.blobs())));
    assert!(refused.contains("a folder that is no other store's"), "{refused}");
    let refused = error(place.open(Some(&other.blobs())));
    assert!(refused.contains("its results to stay in"), "{refused}");
    let full = Place::new();
    fs::create_dir(full.blobs()).unwrap();
    fs::write(full.blobs().join("mine"), "mine").unwrap();
    assert!(error(full.open(Some(&full.blobs()))).contains("an empty folder, found mine"));
    let own = Place::new();
    own.open(None).unwrap().publish(&products(&[1]), &maker()).unwrap();
    assert!(error(own.open(Some(&own.blobs()))).contains("to stay here"));
    assert!(has(&own.open(None).unwrap(), 1));
}

#[test]
fn stopped_before_any_step_a_store_with_packs_elsewhere_opens_again() {
    for at in 0.. {
        let place = Place::new();
        let (faults, count) = faults_at(move |number, _| (number >= at).then_some(Fault::Stop));
        let work = |faults: Faults| -> Result<(), ProductError> {
            let store = place.open_with(Some(&place.blobs()), Some(Arc::clone(&faults)))?;
            store.publish(&products(&[1, 2, 3]), &maker())?;
            store.collect(&onceflow_products::Collection { size: Some(0), older_than: None })?;
            store.publish(&products(&[4]), &maker()).map(drop)
        };
        let ended = work(faults);
        assert!(matches!(ended, Ok(()) | Err(ProductError::Stopped(_))), "{ended:?}");
        let store = place.open(Some(&place.blobs())).unwrap_or_else(|error| panic!("step {at}: {error}"));
        assert_eq!(store.verify(|_, _| {}).unwrap().damaged, [], "step {at}");
        assert!(ended.is_err() || has(&store, 4));
        let missing: Vec<u8> = (1..=4).filter(|number| !has(&store, *number)).collect();
        store.publish(&products(&missing), &maker()).unwrap();
        assert!((1..=4).all(|number| has(&store, number)), "step {at}");
        if count.load(Ordering::Relaxed) <= at {
            assert!(at > 15, "{at} steps");
            break;
        }
    }
}
