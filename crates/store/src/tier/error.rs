//! What can go wrong in tiers.

use onceflow_region::{size_words, two_sizes};
use thiserror::Error;

use crate::blob::BlobError;
use crate::codec::CodecError;

/// A region that cannot be kept or brought back.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TierError {
    /// There is no room in memory, and nothing can leave.
    #[error(
        "expected room for {} in memory, found {} and nothing that can leave; release or forget regions, or raise the limit",
        two_sizes(*.bytes, *.free).0,
        two_sizes(*.bytes, *.free).1
    )]
    Full {
        /// Bytes wanted.
        bytes: u64,
        /// Bytes free.
        free: u64,
    },
    /// A region was to leave its tier, and no tier below could take it; it stays where it is.
    #[error(
        "expected room for {} in a tier below memory, found none; raise a capacity, or forget regions",
        size_words(*.bytes)
    )]
    Stuck {
        /// Bytes of the region as a blob.
        bytes: u64,
    },
    /// A store of a tier failed. When a region was being read, it is lost if no other tier holds it.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// A region cannot be encoded, or its bytes cannot be decoded.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// Moving regions in the background failed since the last call, which was not carried out.
    #[error("moving regions between tiers failed: {0}")]
    Background(Box<TierError>),
    /// Threads for the background cannot be started.
    #[error("expected a thread for moving regions, found none: {reason}; end other programs")]
    Thread {
        /// What the system said.
        reason: String,
    },
}
