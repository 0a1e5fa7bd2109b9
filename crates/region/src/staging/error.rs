//! What can go wrong while staging.

use thiserror::Error;

use crate::blob::BlobError;

/// A blob that cannot be staged, or words that say no staging.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StagingError {
    /// Words that say no staging.
    #[error(
        "expected co-located, co-located:group=2,batch=4 or separated:writers=4,group=2,batch=4,round-robin|random|random=SEED, found {found}; {todo}"
    )]
    Words {
        /// The words.
        found: String,
        /// What to do.
        todo: &'static str,
    },
    /// A blob that is larger than all memory there is.
    #[error("expected a blob of at most {limit} bytes, found {bytes}; raise the limit of memory")]
    Large {
        /// Bytes of the blob.
        bytes: u64,
        /// Bytes of the budget.
        limit: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// A writer cannot be started.
    #[error("expected a thread that writes, found none: {reason}; end other programs")]
    Thread {
        /// What the system said.
        reason: String,
    },
}
