//! Every record read again. What is damaged is set aside, never deleted, and computed again when it is needed.

use std::fs;
use std::io;

use crate::index::Location;
use crate::{ProductError, ProductKey, ProductStore};

/// What a verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Products that are as they were written.
    pub sound: u64,
    /// Bytes of their records.
    pub bytes: u64,
    /// Products that are not; they were set aside.
    pub damaged: Vec<ProductKey>,
}

impl ProductStore {
    /// Reads every product again. Damaged ones are set aside.
    ///
    /// # Errors
    /// When the index cannot be read, or damaged records cannot be set aside.
    pub fn verify(&self, mut progress: impl FnMut(u64, u64)) -> Result<Verified, ProductError> {
        let mut verified = Verified::default();
        let keys: Vec<ProductKey> = self.list()?.into_iter().map(|listed| listed.key).collect();
        for (batch, keys_of_batch) in keys.chunks(BATCH).enumerate() {
            progress((batch * BATCH) as u64, keys.len() as u64);
            let mut damaged = Vec::new();
            for (key, location) in keys_of_batch.iter().zip(self.index().find(keys_of_batch)?) {
                // A product that another process collected meanwhile is not damaged.
                let Some(location) = location else { continue };
                if self.read(&location).is_some_and(|record| record.key == *key) {
                    verified.sound += 1;
                    verified.bytes += location.extent.length;
                } else {
                    damaged.push((*key, location));
                }
            }
            self.set_aside(&damaged)?;
            verified.damaged.extend(damaged.into_iter().map(|(key, _)| key));
        }
        progress(keys.len() as u64, keys.len() as u64);
        Ok(verified)
    }

    /// Copies damaged records to the quarantine and takes them out of the index.
    pub(crate) fn set_aside(&self, damaged: &[(ProductKey, Location)]) -> Result<(), ProductError> {
        if damaged.is_empty() {
            return Ok(());
        }
        for (key, location) in damaged {
            let to = self.quarantine().join(format!("{key}.record"));
            let bytes = self.bytes_at(location).unwrap_or_default();
            fs::write(&to, bytes).map_err(|error| ProductError::disk(&to, &error))?;
        }
        let keys: Vec<ProductKey> = damaged.iter().map(|(key, _)| *key).collect();
        self.index().remove(&keys, true)
    }

    /// The bytes where a record should be, as far as there are any.
    fn bytes_at(&self, location: &Location) -> io::Result<Vec<u8>> {
        use std::io::{Read as _, Seek as _};
        if !crate::pack::is_name(&location.pack) {
            return Ok(Vec::new());
        }
        let mut file = fs::File::open(crate::pack::path(&self.packs(), &location.pack))?;
        file.seek(io::SeekFrom::Start(location.extent.offset))?;
        let mut bytes = Vec::new();
        file.take(location.extent.length.min(1 << 20)).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Products that are looked up together.
const BATCH: usize = 4096;
