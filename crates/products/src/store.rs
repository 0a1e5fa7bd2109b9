//! A store of products: opening, publishing, fetching.

mod open;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::index::{Index, Location};
use crate::lease::{Lease, unique_name};
use crate::pack::{self, Extent, PackWriter};
use crate::record::{self, Conflict, Maker, ProductKey, ProductRecord};
use crate::{Listed, ProductError, StoreStatistics};

/// A folder of products that several processes may use at the same time.
pub struct ProductStore {
    folder: PathBuf,
    limit: u64,
    index: Index,
    lease: Lease,
    writer: Mutex<Option<PackWriter>>,
    files: Mutex<HashMap<String, Arc<File>>>,
    faults: Option<Faults>,
}

/// How a store is opened.
#[derive(Clone, Default)]
pub struct StoreOptions {
    /// Bytes that the store may take; none: a tenth of the free disk, at most 50 GiB.
    pub limit: Option<u64>,
    /// Tests stop the store before the steps for which this says so, as a kill would.
    #[doc(hidden)]
    pub faults: Option<Faults>,
}

/// Whether the store is stopped before a step.
#[doc(hidden)]
pub type Faults = Arc<dyn Fn(&'static str) -> bool + Send + Sync>;

/// A result to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct NewProduct {
    /// Its key.
    pub key: ProductKey,
    /// Its bytes.
    pub payload: Vec<u8>,
    /// Seconds that it took to compute.
    pub seconds: f64,
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

/// What publishing did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published {
    /// Products that are new.
    pub stored: u64,
    /// Bytes of their records.
    pub bytes: u64,
    /// Products that were there with other bytes: their computation does not repeat.
    pub conflicts: Vec<Conflict>,
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

    pub(crate) fn lease_name(&self) -> &str {
        &self.lease.name
    }

    pub(crate) fn packs(&self) -> PathBuf {
        self.folder.join(open::PACKS)
    }

    pub(crate) fn leases(&self) -> PathBuf {
        self.folder.join(open::LEASES)
    }

    pub(crate) fn quarantine(&self) -> PathBuf {
        self.folder.join(open::QUARANTINE)
    }

    /// The products with these keys, in their order. One that is damaged is set aside and not given.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn fetch(&self, keys: &[ProductKey]) -> Result<Vec<Option<Product>>, ProductError> {
        let found = self.index.find(keys)?;
        let mut damaged = Vec::new();
        let mut products = Vec::with_capacity(keys.len());
        for (key, location) in keys.iter().zip(found) {
            let record = location.as_ref().and_then(|location| self.read(location));
            let record = record.filter(|record| record.key == *key);
            if let (Some(location), None) = (&location, &record) {
                damaged.push((*key, location.clone()));
            }
            products.push(record.map(|ProductRecord { payload, seconds, maker, .. }| Product {
                payload,
                seconds,
                maker,
            }));
        }
        self.set_aside(&damaged)?;
        let hits: Vec<ProductKey> =
            keys.iter().zip(&products).filter(|(_, p)| p.is_some()).map(|(key, _)| *key).collect();
        self.index.note_uses(&hits, (keys.len() - hits.len()) as u64, now())?;
        Ok(products)
    }

    /// Which of these keys the store has, without reading the products and without counting it as their use.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn has(&self, keys: &[ProductKey]) -> Result<Vec<bool>, ProductError> {
        Ok(self.index.find(keys)?.iter().map(Option::is_some).collect())
    }

    /// Keeps products. They are on the disk before the index names them; of equal keys the first product stays.
    ///
    /// # Errors
    /// When a product cannot be written: then the index names none of them.
    pub fn publish(&self, products: &[NewProduct], maker: &Maker) -> Result<Published, ProductError> {
        let known = self.index.find(&products.iter().map(|product| product.key).collect::<Vec<_>>())?;
        let created = now();
        let record = |product: &NewProduct| ProductRecord {
            key: product.key,
            created,
            seconds: product.seconds,
            maker: maker.clone(),
            payload: product.payload.clone(),
        };
        let (new, there): (Vec<_>, Vec<_>) =
            products.iter().map(record).zip(known).partition(|(_, location)| location.is_none());
        let mut published = Published::default();
        if !new.is_empty() {
            let records: Vec<ProductRecord> = new.into_iter().map(|(record, _)| record).collect();
            let (pack, placed) = self.append(records)?;
            self.step("index")?;
            published.conflicts = self.index.add(&pack, &placed, created)?;
            published.stored = placed.len() as u64;
            published.bytes = placed.iter().map(|(extent, _)| extent.length).sum();
        }
        let there: Vec<(Extent, ProductRecord)> =
            there.into_iter().map(|(record, _)| (Extent { offset: 0, length: 0 }, record)).collect();
        if !there.is_empty() {
            // Nothing is added for keys that are there; their bytes are compared.
            published.conflicts.extend(self.index.add("", &there, created)?);
        }
        Ok(published)
    }

    /// Appends records to the pack of this process and brings them to the disk.
    fn append(
        &self,
        records: Vec<ProductRecord>,
    ) -> Result<(String, Vec<(Extent, ProductRecord)>), ProductError> {
        let encoded = records.iter().map(record::encode).collect::<Result<Vec<_>, _>>()?;
        let mut writer = lock(&self.writer);
        if writer.as_ref().is_some_and(PackWriter::is_long)
            && let Some(long) = writer.take()
        {
            self.index.close_pack(&long.name)?;
        }
        let pack = match &mut *writer {
            Some(pack) => pack,
            none => none.insert(self.new_pack()?),
        };
        let path = pack::path(&self.packs(), &pack.name);
        let failed = |error: io::Error| ProductError::disk(&path, &error);
        let mut placed = Vec::with_capacity(records.len());
        for (record, bytes) in records.into_iter().zip(encoded) {
            self.step("append")?;
            placed.push((pack.append(&bytes).map_err(failed)?, record));
        }
        self.step("sync")?;
        if let Err(error) = pack.sync() {
            // After a failed sync the system may have forgotten the bytes: nothing more is written to this file.
            *writer = None;
            return Err(failed(error));
        }
        Ok((pack.name.clone(), placed))
    }

    /// A new pack of this process, known to the index before anything is in it.
    pub(crate) fn new_pack(&self) -> Result<PackWriter, ProductError> {
        let name = unique_name();
        self.step("register")?;
        self.index.add_pack(&format!("{name}.pack"), &self.lease.name)?;
        self.step("create")?;
        let folder = self.packs();
        PackWriter::create(&folder, &name).map_err(|error| ProductError::disk(&folder, &error))
    }

    /// The record at a place; none when it is not what was written there.
    pub(crate) fn read(&self, location: &Location) -> Option<ProductRecord> {
        let Extent { offset, length } = location.extent;
        if !pack::is_name(&location.pack)
            || length > (2 * record::LONGEST + record::HEAD + record::SUM) as u64
        {
            return None;
        }
        let file = self.file(&location.pack).ok()?;
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        read_at(&file, &mut bytes, offset).ok()?;
        record::decode(&bytes)
    }

    fn file(&self, name: &str) -> io::Result<Arc<File>> {
        let mut files = lock(&self.files);
        if let Some(file) = files.get(name) {
            return Ok(Arc::clone(file));
        }
        if files.len() >= MOST_OPEN {
            files.clear();
        }
        let file = Arc::new(File::open(pack::path(&self.packs(), name))?);
        files.insert(name.to_owned(), Arc::clone(&file));
        Ok(file)
    }

    /// All products, the oldest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn list(&self) -> Result<Vec<Listed>, ProductError> {
        self.index.list()
    }

    /// Pins the products whose keys begin with these digits, so that no collection removes them, or lets them go.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn pin(&self, digits: &str, pinned: bool) -> Result<usize, ProductError> {
        self.index.pin(&digits.to_lowercase(), pinned)
    }

    /// The store in numbers.
    ///
    /// # Errors
    /// When the index or a folder cannot be read.
    pub fn statistics(&self) -> Result<StoreStatistics, ProductError> {
        let folder = self.packs();
        let failed = |error: io::Error| ProductError::disk(&folder, &error);
        let names = pack::names(&folder).map_err(failed)?;
        let bytes = |name: &String| pack::path(&folder, name).metadata().map_or(0, |file| file.len());
        let pack_bytes = names.iter().map(bytes).sum();
        let statistics = self.index.statistics()?;
        Ok(StoreStatistics { pack_bytes, packs: names.len() as u64, limit: self.limit, ..statistics })
    }

    /// Meets the fault that a test has put before a step.
    pub(crate) fn step(&self, step: &'static str) -> Result<(), ProductError> {
        match &self.faults {
            Some(stops) if stops(step) => Err(ProductError::Stopped(step)),
            _ => Ok(()),
        }
    }
}

/// Packs that are kept open for reading.
const MOST_OPEN: usize = 64;

impl Drop for ProductStore {
    fn drop(&mut self) {
        let writer = lock(&self.writer).take();
        // A pack that stays open in the index is looked through by the next process: nothing is lost.
        if let (Some(pack), None) = (writer, &self.faults) {
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

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read as _, Seek as _};
    let mut file = file.try_clone()?;
    file.seek(io::SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}
