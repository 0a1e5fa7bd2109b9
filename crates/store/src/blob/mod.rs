//! Bytes found by their own digest: equal bytes are kept once, and what is read is what was written or an error.
//!
//! A [`BlobStore`] takes bytes and gives back their [`Digest`]; with the digest the bytes, or a range of them, come
//! back. [`MemoryBlobs`] draws from a [`Budget`](onceflow_region::Budget); [`DiskBlobs`] keeps a file per blob, safe against
//! kills, two processes that write the same blob, and disks that forget: each chunk of 1 MiB is checked on every read.
//!
//! ```
//! use onceflow_store::blob::{BlobStore, DiskBlobs};
//!
//! let place = tempfile::tempdir()?;
//! let blobs = DiskBlobs::open(place.path())?;
//! let digest = blobs.put(b"tissue")?;
//! assert_eq!(blobs.put(b"tissue")?, digest);
//! assert_eq!(&blobs.get(&digest)?[..], b"tissue");
//! assert_eq!(blobs.get_range(&digest, 2..5)?, b"ssu");
//! assert_eq!(blobs.list()?, [digest]);
//! blobs.remove(&digest)?;
//! assert!(!blobs.contains(&digest)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chunks;
mod content;
mod disk;
mod error;
mod memory;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::io::Read;
use std::ops::{Deref, Range};
use std::sync::Arc;

use onceflow_region::{Digest, Lease};

pub use chunks::CHUNK;
pub use content::{BlobContent, digest};
pub use disk::DiskBlobs;
pub use error::BlobError;
pub use memory::MemoryBlobs;

/// A place for bytes that are found by their digest.
pub trait BlobStore: Debug + Send + Sync {
    /// What errors call it.
    fn name(&self) -> String;

    /// Keeps content whose digest is known; what is there already is not written again.
    ///
    /// # Errors
    /// When the content has another digest, does not fit, or cannot be written: then nothing of it is kept.
    fn write(&self, digest: &Digest, content: &dyn BlobContent) -> Result<(), BlobError>;

    /// The bytes as a stream whose every chunk is checked before any of it is handed out.
    ///
    /// # Errors
    /// When there is no such blob, or it is damaged.
    fn open(&self, digest: &Digest) -> Result<Opened, BlobError>;

    /// Some of the bytes; only their chunks are read.
    ///
    /// # Errors
    /// When there is no such blob, the range reaches outside, or one of its chunks is damaged.
    fn get_range(&self, digest: &Digest, range: Range<u64>) -> Result<Vec<u8>, BlobError>;

    /// How many bytes a blob has; `None` when there is no such blob.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn length(&self, digest: &Digest) -> Result<Option<u64>, BlobError>;

    /// Removes a blob.
    ///
    /// # Errors
    /// When there is none, or it cannot be removed.
    fn remove(&self, digest: &Digest) -> Result<(), BlobError>;

    /// All digests in ascending order.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn list(&self) -> Result<Vec<Digest>, BlobError>;

    /// Keeps bytes and tells their digest.
    ///
    /// # Errors
    /// When they do not fit or cannot be written: then none of them is kept.
    fn put(&self, bytes: &[u8]) -> Result<Digest, BlobError> {
        let digest = content::digest(&bytes)?;
        self.write(&digest, &bytes)?;
        Ok(digest)
    }

    /// All bytes of a blob.
    ///
    /// # Errors
    /// When there is no such blob, or it is damaged.
    fn get(&self, digest: &Digest) -> Result<Blob, BlobError> {
        let Opened { length, mut stream } = self.open(digest)?;
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        stream.read_to_end(&mut bytes).map_err(|error| BlobError::from_stream(&self.name(), &error))?;
        Ok(Blob::new(bytes, None))
    }

    /// Whether there is such a blob.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn contains(&self, digest: &Digest) -> Result<bool, BlobError> {
        Ok(self.length(digest)?.is_some())
    }
}

/// A blob that is being read.
pub struct Opened {
    /// How many bytes there are.
    pub length: u64,
    /// The bytes. An error of the stream says [`BlobError`] inside.
    pub stream: Box<dyn Read + Send>,
}

/// Bytes in memory, with the lease that covers them where one does. A clone is another handle to the same bytes.
#[derive(Debug, Clone)]
pub struct Blob(Arc<(Vec<u8>, Option<Lease>)>);

impl Blob {
    /// Bytes with the lease that covers them, if one does.
    pub fn new(bytes: Vec<u8>, lease: Option<Lease>) -> Blob {
        Blob(Arc::new((bytes, lease)))
    }
}

impl Deref for Blob {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.0
    }
}

impl AsRef<[u8]> for Blob {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// The range as indices of bytes in memory.
fn checked_range(digest: &Digest, range: &Range<u64>, length: u64) -> Result<(), BlobError> {
    if range.start <= range.end && range.end <= length {
        return Ok(());
    }
    Err(BlobError::Range { digest: *digest, start: range.start, end: range.end, length })
}
