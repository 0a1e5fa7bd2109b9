//! The store alone: lookups, publishing, many entries.

use std::fs::File;
use std::io::Write as _;
use std::time::Instant;

use onceflow_products::{Maker, NewProduct, ProductKey, ProductStore, StoreOptions};
use onceflow_terminal::Failure;
use tempfile::TempDir;

use super::figure;
use crate::figure::{BenchFigure, Goal};
use crate::program::failed;

/// Keys of a batch.
const BATCH: u64 = 100_000;

/// A store in a new folder, without a limit.
fn new_store() -> Result<(TempDir, ProductStore), Failure> {
    let folder = tempfile::tempdir().map_err(failed)?;
    let options = StoreOptions { limit: Some(u64::MAX), ..StoreOptions::default() };
    let store = ProductStore::open(folder.path(), &options).map_err(failed)?;
    Ok((folder, store))
}

/// A key that looks random.
fn key(number: u64) -> ProductKey {
    ProductKey(bytes_of(number, 32).try_into().unwrap_or_default())
}

/// Bytes that cannot be compressed.
fn bytes_of(number: u64, length: usize) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

fn seconds(work: impl FnOnce() -> Result<(), Failure>) -> Result<f64, Failure> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Results as long as a row of metrics: found one by one, and all in one batch.
pub(super) fn lookups() -> Result<Vec<BenchFigure>, Failure> {
    let (_folder, store) = new_store()?;
    let product = |number| NewProduct { key: key(number), payload: bytes_of(number, 200), seconds: 0.1 };
    let products: Vec<NewProduct> = (0..BATCH).map(product).collect();
    store.publish(&products, &Maker::new("bench")).map_err(failed)?;
    let keys: Vec<ProductKey> = products.iter().map(|product| product.key).collect();
    let has = |keys: &[ProductKey]| store.has(keys).map(drop).map_err(failed);
    let fetch = |keys: &[ProductKey]| store.fetch(keys).map(drop).map_err(failed);
    has(&keys)?;
    let one = |look: &dyn Fn(&[ProductKey]) -> Result<(), Failure>| {
        let all = seconds(|| keys.iter().step_by(10).try_for_each(|key| look(std::slice::from_ref(key))))?;
        Ok::<f64, Failure>(all / (BATCH as f64 / 10.0) * 1e6)
    };
    let absent: Vec<ProductKey> = (BATCH..2 * BATCH).map(key).collect();
    Ok(vec![
        figure("one key looked up, warm", one(&has)?, "us", Some(Goal::AtMost(20.0))),
        figure("one result read, warm", one(&fetch)?, "us", Some(Goal::AtMost(20.0))),
        figure("100,000 keys looked up in one batch", seconds(|| has(&keys))?, "s", Some(Goal::AtMost(0.5))),
        figure("100,000 keys that are not there", seconds(|| has(&absent))?, "s", Some(Goal::AtMost(0.5))),
        figure("100,000 results read in one batch", seconds(|| fetch(&keys))?, "s", None),
    ])
}

/// Results of 16 MB beside the same bytes in a plain file, written and synced.
pub(super) fn publishing() -> Result<Vec<BenchFigure>, Failure> {
    let (folder, store) = new_store()?;
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    for round in 0..9 {
        let payload = bytes_of(round, 16_000_000);
        let path = folder.path().join(format!("plain-{round}"));
        plain.push(seconds(|| {
            let mut file = File::create(&path).map_err(failed)?;
            file.write_all(&payload).and_then(|()| file.sync_all()).map_err(failed)
        })?);
        let product = NewProduct { key: key(round), payload, seconds: 1.0 };
        ours.push(seconds(|| {
            store.publish(std::slice::from_ref(&product), &Maker::new("bench")).map(drop).map_err(failed)
        })?);
    }
    let (plain, ours) = (median(plain), median(ours));
    let rate = |seconds: f64| 16.0 / seconds;
    Ok(vec![
        figure("16 MB written and synced as a plain file", rate(plain), "MB/s", None),
        figure("16 MB published", rate(ours), "MB/s", None),
        figure("16 MB published, share of the plain file", plain / ours, "", Some(Goal::AtLeast(0.7))),
    ])
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Many small results, in batches as a run publishes them.
pub(super) fn small() -> Result<Vec<BenchFigure>, Failure> {
    let (_folder, store) = new_store()?;
    let mut took = 0.0;
    for batch in 0..100u64 {
        let numbers = batch * 1000..(batch + 1) * 1000;
        let product =
            |number| NewProduct { key: key(number), payload: bytes_of(number, 10_000), seconds: 0.1 };
        let products: Vec<NewProduct> = numbers.map(product).collect();
        took += seconds(|| store.publish(&products, &Maker::new("bench")).map(drop).map_err(failed))?;
    }
    Ok(vec![figure("100,000 results of 10 kB published", took, "s", Some(Goal::AtMost(10.0)))])
}

/// Ten million keys. They are published in their order and share their bytes, so that the index is made fast; a lookup in it
/// goes as deep as in any other.
pub(super) fn entries() -> Result<Vec<BenchFigure>, Failure> {
    const ALL: u64 = 10_000_000;
    let (_folder, store) = new_store()?;
    let ordered = |number: u64| {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&number.to_be_bytes());
        ProductKey(key)
    };
    let built = seconds(|| {
        for batch in 0..ALL / BATCH {
            let product = |number| NewProduct { key: ordered(number), payload: vec![7; 20], seconds: 0.1 };
            let products: Vec<NewProduct> = (batch * BATCH..(batch + 1) * BATCH).map(product).collect();
            store.publish(&products, &Maker::new("bench")).map_err(failed)?;
        }
        Ok(())
    })?;
    let asked: Vec<ProductKey> =
        (0..20_000u64).map(|n| ordered(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % ALL)).collect();
    let look =
        |keys: &[ProductKey]| keys.iter().try_for_each(|key| store.has(&[*key]).map(drop).map_err(failed));
    look(&asked[..10_000])?;
    let took = seconds(|| look(&asked[10_000..]))? / 10_000.0 * 1e6;
    Ok(vec![
        figure("10,000,000 results published", built, "s", None),
        figure("one of 10,000,000 keys looked up", took, "us", Some(Goal::AtMost(50.0))),
    ])
}
