//! Every record read again. What is damaged is set aside, never deleted, and computed again when it is needed.

use std::collections::{HashMap, HashSet};

use crate::index::{Found, Location};
use crate::store::Wrong;
use crate::{ProductError, ProductKey, ProductStore};

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Products that are as they were written.
    pub sound: u64,
    /// Bytes of their records; those that products share count once.
    pub bytes: u64,
    /// Products that are not; they were set aside.
    pub damaged: Vec<ProductKey>,
}

/// A product with what is wrong with it.
pub(crate) type Damaged = (ProductKey, Found, Wrong);

impl ProductStore {
    /// Checks the index, which is made again when it is damaged, and reads every product. Damaged ones are set aside.
    ///
    /// # Errors
    /// When the index cannot be read, or damaged records cannot be set aside.
    pub fn verify(&self, mut progress: impl FnMut(u64, u64)) -> Result<Verified, ProductError> {
        self.mend_index()?;
        let mut verified = Verified::default();
        let mut shared = HashSet::new();
        let keys: Vec<ProductKey> = self.list()?.into_iter().map(|listed| listed.key).collect();
        for (batch, keys_of_batch) in keys.chunks(BATCH).enumerate() {
            progress((batch * BATCH) as u64, keys.len() as u64);
            let mut damaged = Vec::new();
            for (key, found) in keys_of_batch.iter().zip(self.index().find(keys_of_batch)?) {
                // A product that another process collected meanwhile is not damaged.
                let Some(found) = found else { continue };
                match self.read(key, &found) {
                    Ok(_) => verified.add(&found, &mut shared),
                    Err(wrong) => damaged.push((*key, found, wrong)),
                }
            }
            self.set_aside(&damaged)?;
            verified.damaged.extend(damaged.into_iter().map(|(key, ..)| key));
        }
        progress(keys.len() as u64, keys.len() as u64);
        Ok(verified)
    }

    /// Copies damaged records to the quarantine and takes them out of the index.
    pub(crate) fn set_aside(&self, damaged: &[Damaged]) -> Result<(), ProductError> {
        // A product that was moved or collected since it was looked up is not damaged.
        let damaged = self.still_damaged(damaged)?;
        if damaged.is_empty() {
            return Ok(());
        }
        let copies: HashMap<ProductKey, Vec<u8>> =
            damaged.iter().map(|(key, found, _)| (*key, self.what_is_left(found))).collect();
        for (key, bytes) in copies.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            self.disk().write_whole(&self.quarantine().join(format!("{key}.record")), bytes)?;
        }
        let keys: Vec<(ProductKey, bool)> =
            damaged.iter().map(|(key, _, wrong)| (*key, *wrong == Wrong::Blob)).collect();
        self.index().remove_damaged(&keys)
    }

    fn still_damaged(&self, damaged: &[Damaged]) -> Result<Vec<Damaged>, ProductError> {
        if damaged.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<ProductKey> = damaged.iter().map(|(key, ..)| *key).collect();
        let now = self.index().find(&keys)?;
        let same = damaged.iter().zip(now).filter(|((_, found, _), now)| now.as_ref() == Some(found));
        Ok(same.map(|(damaged, _)| damaged.clone()).collect())
    }

    /// The bytes where the records of a product should be, as far as there are any.
    fn what_is_left(&self, found: &Found) -> Vec<u8> {
        let bytes = |location: &Location| {
            let mut location = location.clone();
            location.extent.length = location.extent.length.min(MOST);
            self.bytes_at(&location, MOST).unwrap_or_default()
        };
        [bytes(&found.blob), bytes(&found.entry)].concat()
    }
}

impl Verified {
    fn add(&mut self, found: &Found, shared: &mut HashSet<(String, u64)>) {
        self.sound += 1;
        self.bytes += found.entry.extent.length;
        if shared.insert((found.blob.pack.to_string(), found.blob.extent.offset)) {
            self.bytes += found.blob.extent.length;
        }
    }
}

/// Products that are looked up together.
const BATCH: usize = 4096;

/// Of a longer record only so many bytes are kept.
const MOST: u64 = 1 << 20;
