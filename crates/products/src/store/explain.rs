//! What is known of a product, and whether its bytes are sound.

use std::path::PathBuf;
use std::sync::PoisonError;

use super::{Product, ProductStore, between, is_hexadecimal};
use crate::index::Found;
use crate::{Listed, ProductError, ProductKey, pack};

/// A product in all detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// What the index says of it.
    pub listed: Listed,
    /// The digest of its bytes, in hexadecimal digits; none where they are damaged.
    pub digest: Option<String>,
    /// The file that holds its bytes.
    pub pack: PathBuf,
    /// Where in the file they begin.
    pub offset: u64,
    /// Bytes of the file that they take.
    pub stored_bytes: u64,
    /// Whether they are compressed.
    pub compressed: bool,
    /// Whether the entry and the bytes are as they were written.
    pub sound: bool,
}

impl ProductStore {
    /// The products whose keys begin with these digits, in all detail, at most `most`. Reading them is not a use.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn explain(&self, digits: &str, most: usize) -> Result<Vec<Explained>, ProductError> {
        if !is_hexadecimal(digits) {
            return Ok(Vec::new());
        }
        self.flush_uses()?;
        let mut listed = self.index.list(between(digits))?;
        listed.truncate(most);
        let keys: Vec<_> = listed.iter().map(|listed| listed.key).collect();
        let found = self.index.find(&keys)?;
        // One that was collected meanwhile is not there.
        let there = listed.into_iter().zip(found).filter_map(|(listed, found)| Some((listed, found?)));
        Ok(there.map(|(listed, found)| self.explained(listed, &found)).collect())
    }

    /// A product without counting it as used; none when it is not there or damaged.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn peek(&self, key: ProductKey) -> Result<Option<Product>, ProductError> {
        let _reading = self.reading.read().unwrap_or_else(PoisonError::into_inner);
        let found = self.index.find(&[key])?.pop().flatten();
        Ok(found.and_then(|found| self.read(&key, &found).ok()))
    }

    fn explained(&self, listed: Listed, found: &Found) -> Explained {
        let head = self.blob_at(&found.blob).map(|(head, _)| head);
        let sound = self.read(&listed.key, found).is_ok();
        let hex = |digest: [u8; 32]| blake3::Hash::from_bytes(digest).to_hex().to_string();
        Explained {
            digest: head.filter(|_| sound).map(|head| hex(head.digest)),
            pack: pack::path(self.packs(), &found.blob.pack),
            offset: found.blob.extent.offset,
            stored_bytes: found.blob.extent.length,
            compressed: head.is_some_and(|head| head.compressed),
            sound,
            listed,
        }
    }
}
