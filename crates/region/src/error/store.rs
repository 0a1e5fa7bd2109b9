//! What can be wrong with a store of regions.

use crate::two_sizes;
use thiserror::Error;

use super::{RegionError, SourceError};

/// A store that cannot do what it was asked.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StoreError {
    /// There is no such region.
    #[error("{store}: expected region {region}, found none with this name, time and version; list the store")]
    Missing {
        /// The store.
        store: String,
        /// What was asked for.
        region: String,
    },
    /// An identifier that states another kind than the region has.
    #[error("{store}: expected region {region} to be {expected}, found {found}; name the kind that it has")]
    Kind {
        /// The store.
        store: String,
        /// The region.
        region: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// There is no room.
    #[error(
        "{store}: expected room for {} of {region}, found {}; remove regions or raise the limit",
        two_sizes(*.bytes, *.free).0,
        two_sizes(*.bytes, *.free).1
    )]
    Full {
        /// The store.
        store: String,
        /// The region.
        region: String,
        /// Bytes wanted.
        bytes: u64,
        /// Bytes free.
        free: u64,
    },
    /// The system refuses to write: no space, no permission.
    #[error("{store}: {file}: {reason}; {todo}")]
    Write {
        /// The store.
        store: String,
        /// The file or folder.
        file: String,
        /// What the system says.
        reason: String,
        /// What to do.
        todo: &'static str,
    },
    /// The store met a panic in another thread and does not trust itself any more.
    #[error("{store}: a thread stopped in the middle of a change; run again")]
    Broken {
        /// The store.
        store: String,
    },
    /// What is stored cannot be cut.
    #[error("{store}: {error}")]
    Region {
        /// The store.
        store: String,
        /// Why.
        error: Box<RegionError>,
    },
    /// The tiers under the store failed.
    #[error("{store}: {reason}")]
    Tier {
        /// The store.
        store: String,
        /// Why.
        reason: String,
    },
    /// The image behind a region cannot be read.
    #[error("{store}: {error}")]
    Source {
        /// The store.
        store: String,
        /// Why.
        error: Box<SourceError>,
    },
}
