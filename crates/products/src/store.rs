//! A store of products: what it is, lists, pins and numbers.

mod explain;
mod fetch;
pub(crate) mod open;
mod publish;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use onceflow_region::{Bounds, RegionQuery};

use crate::disk::{Disk, Faults};
use crate::index::Index;
use crate::lease::Lease;
use crate::pack::{self, PackWriter};
use crate::record::{Maker, ProductKey};
use crate::{Listed, ProductError, StoreStatistics};

pub use explain::Explained;
pub use publish::{NewProduct, NewRegion, Published};

use fetch::Uses;
pub(crate) use fetch::Wrong;

/// A folder of products that several processes may use at the same time.
pub struct ProductStore {
    folder: PathBuf,
    /// Where the packs are.
    packs: PathBuf,
    limit: u64,
    disk: Disk,
    index: Index,
    lease: Lease,
    writer: Mutex<Option<PackWriter>>,
    files: Mutex<HashMap<Arc<str>, Arc<File>>>,
    uses: Mutex<Uses>,
    /// Held by threads that read; a pack is removed when none does.
    reading: RwLock<()>,
}

/// How a store is opened.
#[derive(Clone, Default)]
pub struct StoreOptions {
    /// Bytes that the store may take; none: a tenth of the free disk, at most 50 GiB.
    pub limit: Option<u64>,
    /// The folder that the packs are in, which may be on a network file system; none: the one that was named when the store was
    /// made, or that of the store.
    pub blobs: Option<PathBuf>,
    /// How long opening waits for other processes; none: 20 seconds.
    pub wait: Option<Duration>,
    /// Tests stop the store before the calls for which this says so, as a kill would, or let the disk be full.
    #[doc(hidden)]
    pub faults: Option<Faults>,
}

/// A result of an earlier run.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    /// Its bytes.
    pub payload: Vec<u8>,
    /// Seconds that it took to compute.
    pub seconds: f64,
    /// Who made it.
    pub maker: Maker,
}

impl ProductStore {
    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes that the store may take.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    pub(crate) fn disk(&self) -> &Disk {
        &self.disk
    }

    pub(crate) fn lease_name(&self) -> &str {
        &self.lease.name
    }

    pub(crate) fn packs(&self) -> &Path {
        &self.packs
    }

    pub(crate) fn leases(&self) -> PathBuf {
        self.folder.join(crate::place::LEASES)
    }

    pub(crate) fn quarantine(&self) -> PathBuf {
        self.folder.join(crate::place::QUARANTINE)
    }

    /// Waits until no thread reads, and lets none read.
    pub(crate) fn no_reader(&self) -> RwLockWriteGuard<'_, ()> {
        self.reading.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which of these keys the store has, without reading the products and without counting it as their use.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn has(&self, keys: &[ProductKey]) -> Result<Vec<bool>, ProductError> {
        self.index.has(keys)
    }

    /// All products, the oldest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn list(&self) -> Result<Vec<Listed>, ProductError> {
        self.flush_uses()?;
        self.index.list(between(""))
    }

    /// The keys that begin with these digits, at most so many.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn keys(&self, digits: &str, most: usize) -> Result<Vec<ProductKey>, ProductError> {
        if is_hexadecimal(digits) { self.index.keys(between(digits), most) } else { Ok(Vec::new()) }
    }

    /// What the index says of a product. To ask is not a use.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn listed(&self, key: &ProductKey) -> Result<Option<Listed>, ProductError> {
        Ok(self.index.list([*key, *key])?.pop())
    }

    /// The regions that a query means, of which some lie within a box, the oldest first and at most so many. An empty name in the
    /// query is any name. They are not read.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn regions(
        &self,
        query: &RegionQuery,
        within: Option<&Bounds>,
        most: usize,
    ) -> Result<Vec<Listed>, ProductError> {
        let keys = self.index.regions(query, within, most)?;
        let listed = keys.iter().map(|key| self.listed(key)).collect::<Result<Vec<_>, _>>()?;
        Ok(listed.into_iter().flatten().collect())
    }

    /// Pins the products whose keys begin with these digits, so that no collection removes them, or lets them go.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn pin(&self, digits: &str, pinned: bool) -> Result<usize, ProductError> {
        if is_hexadecimal(digits) { self.index.pin(between(digits), pinned) } else { Ok(0) }
    }

    /// The store in numbers.
    ///
    /// # Errors
    /// When the index or a folder cannot be read.
    pub fn statistics(&self) -> Result<StoreStatistics, ProductError> {
        self.flush_uses()?;
        let folder = self.packs();
        let failed = |error: io::Error| ProductError::disk(folder, &error);
        let names = pack::names(folder).map_err(failed)?;
        let bytes = |name: &String| pack::path(folder, name).metadata().map_or(0, |file| file.len());
        let pack_bytes = names.iter().map(bytes).sum();
        let former_bytes = crate::migrate::former(&self.folder).iter().map(|folder| bytes_of(folder)).sum();
        let (packs, limit) = (names.len() as u64, self.limit);
        Ok(StoreStatistics { pack_bytes, packs, former_bytes, limit, ..self.index.statistics()? })
    }
}

impl Drop for ProductStore {
    fn drop(&mut self) {
        let writer = lock(&self.writer).take();
        // Use that is not noted costs nothing but a little knowledge.
        let _ = self.flush_uses();
        // A pack that stays open in the index is looked through by the next process: nothing is lost.
        if let Some(pack) = writer {
            let _ = self.index.close_pack(&pack.name);
        }
    }
}

impl std::fmt::Debug for ProductStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProductStore").field("folder", &self.folder).field("limit", &self.limit).finish()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

fn is_hexadecimal(digits: &str) -> bool {
    !digits.is_empty() && digits.len() <= 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// The first and the last key that begin with these digits.
fn between(digits: &str) -> [ProductKey; 2] {
    ['0', 'f'].map(|rest| {
        let mut key = [0; 32];
        let digits = digits.chars().chain(std::iter::repeat(rest)).take(64);
        for (number, digit) in digits.enumerate() {
            let value = digit.to_digit(16).unwrap_or_default() as u8;
            key[number / 2] |= if number % 2 == 0 { value << 4 } else { value };
        }
        ProductKey(key)
    })
}

/// Bytes of the files in a folder and in its folders.
fn bytes_of(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(file) if file.is_dir() => bytes_of(&entry.path()),
        Ok(file) => file.len(),
        Err(_) => 0,
    };
    entries.flatten().map(bytes).sum()
}
