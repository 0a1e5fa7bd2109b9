//! Every byte of a small store is changed in turn: that is found, or harmless.

use std::fs;
use std::path::{Path, PathBuf};

use onceflow_products::{ProductError, ProductStore, StoreOptions};

use crate::common::{INDEX, copy_folder, key, maker, product, products, regions, scale, temporary};

const PRODUCTS: [u8; 4] = [1, 2, 3, 4];

/// What a store gives: each product with its own bytes, or not. An error is damage that was found.
fn given(store: &ProductStore) -> Result<Vec<u8>, ProductError> {
    let found = store.fetch(&PRODUCTS.map(key))?;
    for (number, found) in PRODUCTS.iter().zip(&found) {
        if let Some(found) = found {
            assert_eq!(found.payload, product(*number).payload, "product {number}");
            assert_eq!(found.seconds, f64::from(*number));
        }
    }
    store.list()?;
    store.statistics()?;
    Ok(PRODUCTS
        .into_iter()
        .zip(found)
        .filter(|(_, found)| found.is_some())
        .map(|(number, _)| number)
        .collect())
}

/// Uses a damaged store as often as damage is found in it, until it has all products again; how many it gave at first. What
/// is not found by use is found by `verify`.
fn mended(folder: &Path, words: &str) -> usize {
    let mut first = None;
    for _ in 0..4 {
        let store =
            ProductStore::open(folder, &StoreOptions::default()).unwrap_or_else(|e| panic!("{words}: {e}"));
        let Ok(there) = given(&store) else { continue };
        let found = *first.get_or_insert(there.len());
        let lost: Vec<u8> = PRODUCTS.into_iter().filter(|number| !there.contains(number)).collect();
        let published = store.publish(&products(&lost), &maker());
        let whole = published.is_ok() && given(&store).is_ok_and(|there| there == PRODUCTS);
        let verified = store.verify(|_, _| {});
        if whole && verified.is_ok_and(|verified| verified.damaged.is_empty()) {
            return found;
        }
    }
    panic!("{words}: the store was not mended");
}

/// A store of four products, closed; what the index has in its log is there, or in the index itself.
fn store(has_log: bool) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = temporary();
    let store = crate::common::open(folder.path());
    store.publish_regions(&regions(&PRODUCTS), &maker()).unwrap();
    drop(store);
    if !has_log {
        // The last that closes an index brings the log into it.
        drop(
            rusqlite::Connection::open(folder.path().join(INDEX[0]))
                .unwrap()
                .execute_batch("PRAGMA user_version"),
        );
    }
    assert_eq!(folder.path().join(INDEX[1]).exists(), has_log);
    let pack = crate::common::packs(folder.path()).remove(0);
    let index = folder.path().join(INDEX[usize::from(has_log)]);
    (folder, pack, index)
}

/// Changes every `stride`th byte of a file; how many products were found at the least.
fn flip(folder: &Path, file: &Path, stride: usize) -> usize {
    let whole = fs::read(file).unwrap();
    let name = file.strip_prefix(folder).unwrap();
    let mut least = PRODUCTS.len();
    for at in (0..whole.len()).step_by(stride) {
        let copy = temporary();
        copy_folder(folder, copy.path());
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(copy.path().join(name), changed).unwrap();
        least = least.min(mended(copy.path(), &format!("byte {at} of {}", name.display())));
    }
    least
}

#[test]
fn every_changed_byte_of_a_pack_is_found_or_harmless() {
    let (folder, pack, _) = store(false);
    let least = flip(folder.path(), &pack, scale("ONCEFLOW_FLIP_STRIDE", 7));
    assert_eq!(least, 2, "the bytes that two products share, and no others");
}

#[test]
fn every_changed_byte_of_the_index_is_found_or_harmless() {
    let (folder, _, index) = store(false);
    flip(folder.path(), &index, scale("ONCEFLOW_FLIP_STRIDE", 211));
}

#[test]
fn every_changed_byte_of_the_log_of_the_index_is_found_or_harmless() {
    let (folder, _, log) = store(true);
    // It is several times as long as the index, and a changed byte hides all that follows.
    flip(folder.path(), &log, scale("ONCEFLOW_LOG_STRIDE", 499));
}

#[test]
fn every_changed_byte_of_the_format_is_refused_or_harmless() {
    let (folder, ..) = store(false);
    let file = folder.path().join("format");
    let whole = fs::read(&file).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&file, &changed).unwrap();
        if let Ok(store) = ProductStore::open(folder.path(), &StoreOptions::default()) {
            assert_eq!(given(&store).unwrap(), PRODUCTS, "byte {at}");
        }
        fs::write(&file, &whole).unwrap();
    }
    assert_eq!(given(&crate::common::open(folder.path())).unwrap(), PRODUCTS);
}
