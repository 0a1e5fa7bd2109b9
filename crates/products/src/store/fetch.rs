//! Products that are read.

use std::fs::File;
use std::io;
use std::sync::{Arc, PoisonError};

use super::{Product, ProductStore, lock, now};
use crate::disk::read_at;
use crate::index::{Found, Location};
use crate::record::blob::{self, BlobHead};
use crate::record::entry::{self, Entry};
use crate::record::{Place, ProductKey};
use crate::{ProductError, pack};

/// Packs that are kept open for reading.
const MOST_OPEN: usize = 64;

/// Uses that are noted together.
const MOST_USES: usize = 1 << 17;

/// Uses that the index does not know yet.
#[derive(Debug, Default)]
pub(super) struct Uses {
    hits: Vec<ProductKey>,
    misses: u64,
}

/// What is wrong with a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    Entry,
    Blob,
}

impl ProductStore {
    /// The products with these keys, in their order. One that is damaged is set aside and not given.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn fetch(&self, keys: &[ProductKey]) -> Result<Vec<Option<Product>>, ProductError> {
        let mut damaged = Vec::new();
        let mut products = Vec::with_capacity(keys.len());
        {
            let _reading = self.reading.read().unwrap_or_else(PoisonError::into_inner);
            for (key, found) in keys.iter().zip(self.index.find(keys)?) {
                let read = found.map(|found| self.read(key, &found).map_err(|wrong| (*key, found, wrong)));
                products.push(match read {
                    Some(Ok(product)) => Some(product),
                    Some(Err(wrong)) => {
                        damaged.push(wrong);
                        None
                    }
                    None => None,
                });
            }
        }
        match self.set_aside(&damaged) {
            // A full disk keeps damage from being set aside, and nothing else from being read.
            Err(error) if !error.is_full() => return Err(error),
            _ => {}
        }
        self.note_uses(keys, &products)?;
        Ok(products)
    }

    fn note_uses(&self, keys: &[ProductKey], products: &[Option<Product>]) -> Result<(), ProductError> {
        let mut uses = lock(&self.uses);
        uses.hits.extend(keys.iter().zip(products).filter(|(_, p)| p.is_some()).map(|(key, _)| *key));
        uses.misses += products.iter().filter(|product| product.is_none()).count() as u64;
        let many = uses.hits.len() >= MOST_USES;
        drop(uses);
        if many { self.flush_uses() } else { Ok(()) }
    }

    /// Tells the index what was used.
    pub(crate) fn flush_uses(&self) -> Result<(), ProductError> {
        let Uses { hits, misses } = std::mem::take(&mut *lock(&self.uses));
        if hits.is_empty() && misses == 0 {
            return Ok(());
        }
        self.index.note_uses(&hits, misses, now())
    }

    /// A product from its records.
    pub(crate) fn read(&self, key: &ProductKey, found: &Found) -> Result<Product, Wrong> {
        let entry = self.entry_at(&found.entry).filter(|entry| entry.key == *key).ok_or(Wrong::Entry)?;
        let (head, stored) = self.blob_at(&found.blob).ok_or(Wrong::Blob)?;
        if head.digest != entry.digest {
            // Each is sound: what is wrong is the index, which joins them.
            return Err(Wrong::Entry);
        }
        let payload = head.payload(stored).ok_or(Wrong::Blob)?;
        Ok(Product { payload, seconds: entry.seconds, maker: entry.maker })
    }

    /// The entry at a place; none when it is not what was written there.
    pub(crate) fn entry_at(&self, location: &Location) -> Option<Entry> {
        let bytes = self.bytes_at(location, entry::LONGEST as u64).ok()?;
        Entry::decode(Place { pack: &location.pack, offset: location.extent.offset }, &bytes)
    }

    /// The blob at a place as it is stored; none when its head is not what was written there.
    pub(crate) fn blob_at(&self, location: &Location) -> Option<(BlobHead, Vec<u8>)> {
        let mut bytes = self.bytes_at(location, (blob::HEAD + blob::LONGEST) as u64).ok()?;
        let head = BlobHead::decode(Place { pack: &location.pack, offset: location.extent.offset }, &bytes)?;
        if head.length() != bytes.len() as u64 {
            return None;
        }
        bytes.drain(..blob::HEAD);
        Some((head, bytes))
    }

    /// Bytes of a pack. Nothing is reserved for bytes that are not there.
    pub(crate) fn bytes_at(&self, location: &Location, most: u64) -> io::Result<Vec<u8>> {
        let (offset, length) = (location.extent.offset, location.extent.length);
        if !pack::is_name(&location.pack) || length > most {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let file = self.file(&location.pack)?;
        if length > FEW {
            let end = offset.checked_add(length);
            if end.is_none_or(|end| file.metadata().map_or(0, |file| file.len()) < end) {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let mut bytes = vec![0; length as usize];
        read_at(&file, &mut bytes, offset)?;
        Ok(bytes)
    }

    fn file(&self, name: &Arc<str>) -> io::Result<Arc<File>> {
        let mut files = lock(&self.files);
        if let Some(file) = files.get(name) {
            return Ok(Arc::clone(file));
        }
        if files.len() >= MOST_OPEN {
            files.clear();
        }
        let path = pack::path(self.packs(), name);
        self.disk.look("open pack", &path);
        let file = Arc::new(File::open(path)?);
        files.insert(Arc::clone(name), Arc::clone(&file));
        Ok(file)
    }

    /// Closes a pack that is removed: its space is given back.
    pub(crate) fn forget_file(&self, name: &str) {
        lock(&self.files).remove(name);
    }
}

/// So many bytes are reserved without a question.
const FEW: u64 = 1 << 16;
