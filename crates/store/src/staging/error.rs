//! What can go wrong while staging.

use thiserror::Error;

use crate::blob::BlobError;
use crate::tier::TierError;

/// Something that cannot be staged, or words that say no staging.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StagingError {
    /// Words that say no staging.
    #[error("expected {}, found `{found}`; {todo}", StagingError::WORDS)]
    Words {
        /// The words.
        found: String,
        /// What to do.
        todo: &'static str,
    },
    /// The store failed.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// The tiers failed.
    #[error(transparent)]
    Tier(#[from] TierError),
    /// A writer cannot be started.
    #[error("expected a thread that writes, found none: {reason}; end other programs")]
    Thread {
        /// What the system said.
        reason: String,
    },
}

impl StagingError {
    /// Words that say a staging.
    pub const WORDS: &str = "co-located, co-located:group=2,batch=4 or separated:writers=4,group=2,batch=4, \
                             each perhaps with round-robin, random or random=SEED";
}
