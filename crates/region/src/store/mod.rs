//! Stores: where regions are kept under their identifiers, each saying what it can do.
//!
//! What a store can do are small traits; [`Store`] hands out those that a store has.
//!
//! ```
//! use onceflow_region::{Bounds, Budget, Dense, MemoryStore, Pixels, Region, RegionId, RegionKind, Store};
//!
//! let store: Box<dyn Store> = Box::new(MemoryStore::new(Budget::new(1 << 20)));
//! let id = RegionId::new("slide", "mask", RegionKind::Dense);
//! let mask = Dense::new(3, 2, 1, Pixels::U8(vec![0, 1, 0, 0, 1, 1]))?;
//! store.writer().ok_or("it does not write")?.write(&id, Region::Dense(mask))?;
//! let middle = Bounds::plane(1, 0, 1, 2).ok_or("too large")?;
//! let read = store.part_reader().ok_or("it reads no boxes")?.read_part(&id, middle)?;
//! assert_eq!(read.as_u8(), Some(&[1, 1][..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
pub(crate) mod conformance;
mod held;
mod memory;

use std::fmt::Debug;

use thiserror::Error;

pub use held::Held;
pub use memory::MemoryStore;

use crate::tier::TierError;
use crate::{Bounds, Dense, Region, RegionError, RegionId, RegionQuery, SourceError};

/// A place for regions. What it cannot do it answers with none.
pub trait Store: Debug + Send + Sync {
    /// What errors call it.
    fn name(&self) -> &str;

    /// Reading whole regions.
    fn reader(&self) -> Option<&dyn Read> {
        None
    }

    /// Reading boxes of regions.
    fn part_reader(&self) -> Option<&dyn ReadPart> {
        None
    }

    /// Writing.
    fn writer(&self) -> Option<&dyn Write> {
        None
    }

    /// Listing.
    fn lister(&self) -> Option<&dyn List> {
        None
    }

    /// Removing.
    fn remover(&self) -> Option<&dyn Remove> {
        None
    }
}

/// Reads whole regions.
pub trait Read {
    /// The latest staged region that fits.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    fn latest(&self, query: &RegionQuery) -> Result<(RegionId, Held), StoreError>;

    /// The region with this identifier.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    fn read(&self, id: &RegionId) -> Result<Held, StoreError> {
        self.latest(&RegionQuery::from(id)).map(|(_, region)| region)
    }
}

/// Reads a box of a dense region or of an image, without bringing the rest.
pub trait ReadPart {
    /// The pixels in a box as seen from the region's upper left corner.
    ///
    /// # Errors
    /// When there is no such region, it has no pixels, or the box reaches outside.
    fn read_part(&self, id: &RegionId, bounds: Bounds) -> Result<Dense, StoreError>;
}

/// Writes regions.
pub trait Write {
    /// Stages a region; one with the same identifier is replaced, since the last staged one counts.
    ///
    /// # Errors
    /// When it does not fit or cannot be written; what was there before stays.
    fn write(&self, id: &RegionId, region: Region) -> Result<(), StoreError>;
}

/// Lists regions.
pub trait List {
    /// The identifiers in ascending order.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn list(&self) -> Result<Vec<RegionId>, StoreError>;
}

/// Removes regions.
pub trait Remove {
    /// Removes a region.
    ///
    /// # Errors
    /// When there is none, or it cannot be removed.
    fn remove(&self, id: &RegionId) -> Result<(), StoreError>;
}

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
        "{store}: expected room for {bytes} bytes of {region}, found {free}; remove regions or raise the limit"
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
    #[error("{store}: {error}")]
    Tier {
        /// The store.
        store: String,
        /// Why.
        error: Box<TierError>,
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
