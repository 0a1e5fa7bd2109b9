//! Blobs in the memory of a process, drawing from the budget.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

use onceflow_region::{Budget, Digest, Lease};

use super::content::write_checked;
use super::{Blob, BlobContent, BlobError, BlobStore, Opened, checked_range};

/// Blobs in memory; what they take is reserved before it is used.
#[derive(Debug)]
pub struct MemoryBlobs {
    budget: Budget,
    blobs: Mutex<BTreeMap<Digest, Blob>>,
}

impl MemoryBlobs {
    /// An empty store that draws from this budget.
    pub fn new(budget: Budget) -> MemoryBlobs {
        MemoryBlobs { budget, blobs: Mutex::new(BTreeMap::new()) }
    }

    fn blobs(&self) -> Result<MutexGuard<'_, BTreeMap<Digest, Blob>>, BlobError> {
        self.blobs.lock().map_err(|_| BlobError::Broken { store: self.name() })
    }

    fn missing(&self, digest: &Digest) -> BlobError {
        BlobError::Missing { store: self.name(), digest: *digest }
    }

    fn reserve(&self, bytes: u64) -> Result<Lease, BlobError> {
        let free = self.budget.limit().saturating_sub(self.budget.used());
        self.budget.try_reserve(bytes).ok_or_else(|| BlobError::Full { store: self.name(), bytes, free })
    }
}

impl BlobStore for MemoryBlobs {
    fn name(&self) -> String {
        "memory".to_owned()
    }

    fn write(&self, digest: &Digest, content: &dyn BlobContent) -> Result<(), BlobError> {
        if self.contains(digest)? {
            return Ok(());
        }
        let lease = self.reserve(content.length())?;
        // The lease covers what is asked for: content that says less than it writes is stopped there.
        let mut bytes = vec![0; usize::try_from(content.length()).unwrap_or(usize::MAX)];
        let mut rest = &mut bytes[..];
        write_checked(content, digest, &mut rest as &mut dyn Write)?;
        self.blobs()?.insert(*digest, Blob::new(bytes, Some(lease)));
        Ok(())
    }

    fn open(&self, digest: &Digest) -> Result<Opened, BlobError> {
        let blob = self.get(digest)?;
        Ok(Opened { length: blob.len() as u64, stream: Box::new(Cursor::new(blob)) })
    }

    fn get(&self, digest: &Digest) -> Result<Blob, BlobError> {
        self.blobs()?.get(digest).cloned().ok_or_else(|| self.missing(digest))
    }

    fn get_range(&self, digest: &Digest, range: Range<u64>) -> Result<Vec<u8>, BlobError> {
        let blob = self.get(digest)?;
        checked_range(digest, &range, blob.len() as u64)?;
        Ok(blob[range.start as usize..range.end as usize].to_vec())
    }

    fn length(&self, digest: &Digest) -> Result<Option<u64>, BlobError> {
        Ok(self.blobs()?.get(digest).map(|blob| blob.len() as u64))
    }

    fn remove(&self, digest: &Digest) -> Result<(), BlobError> {
        let removed = self.blobs()?.remove(digest);
        removed.map(drop).ok_or_else(|| self.missing(digest))
    }

    fn list(&self) -> Result<Vec<Digest>, BlobError> {
        Ok(self.blobs()?.keys().copied().collect())
    }
}
