//! Where what is staged goes.

use std::sync::Arc;

use onceflow_region::{Digest, Lease};

use super::StagingError;
use crate::blob::{BlobContent, BlobStore};

/// Writes staged items, on the thread that the staging has chosen.
pub trait Sink: Send + Sync + 'static {
    /// What is staged.
    type Staged: Send;

    /// Writes an item; the lease is of the memory that it took while it waited, if it had to. An item that stays in memory
    /// because it cannot be written may keep it.
    ///
    /// # Errors
    /// When it cannot be written. The next call that stages or flushes returns the error.
    fn write(&self, item: Self::Staged, waited: Option<Lease>) -> Result<(), StagingError>;
}

/// Blobs that go to a store.
#[derive(Debug, Clone)]
pub struct Blobs(pub Arc<dyn BlobStore>);

impl Sink for Blobs {
    type Staged = (Digest, Box<dyn BlobContent + Send>);

    fn write(&self, (digest, content): Self::Staged, _waited: Option<Lease>) -> Result<(), StagingError> {
        Ok(self.0.write(&digest, &*content)?)
    }
}
