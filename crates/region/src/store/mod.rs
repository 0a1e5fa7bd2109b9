//! Traits of stores that keep regions under their identifiers.
//!
//! Each capability (read, read a box, write, list, remove) is a small trait; [`Store`] hands out those that a store has.

mod held;

use std::fmt::Debug;

pub use held::HeldRegion;

use crate::{Bounds, Dense, Region, RegionId, RegionQuery, StoreError};

/// A place for regions. A capability that it lacks is `None`.
pub trait Store: Debug + Send + Sync {
    /// What errors call it.
    fn name(&self) -> &str;

    /// Reading whole regions.
    fn reader(&self) -> Option<&dyn ReadRegion> {
        None
    }

    /// Reading boxes of regions.
    fn part_reader(&self) -> Option<&dyn ReadRegionPart> {
        None
    }

    /// Writing.
    fn writer(&self) -> Option<&dyn WriteRegion> {
        None
    }

    /// Listing.
    fn lister(&self) -> Option<&dyn ListRegions> {
        None
    }

    /// Removing.
    fn remover(&self) -> Option<&dyn RemoveRegion> {
        None
    }
}

/// Reads whole regions.
pub trait ReadRegion {
    /// The latest staged region that fits.
    ///
    /// # Errors
    /// When there is no such region, or it cannot be read.
    fn latest(&self, query: &RegionQuery) -> Result<(RegionId, HeldRegion), StoreError>;

    /// The region with this identifier.
    ///
    /// # Errors
    /// When there is no such region, or it cannot be read.
    fn read(&self, id: &RegionId) -> Result<HeldRegion, StoreError> {
        self.latest(&RegionQuery::from(id)).map(|(_, region)| region)
    }
}

/// Reads a box of a dense region or of an image, without bringing the rest.
pub trait ReadRegionPart {
    /// The pixels in a box as seen from the region's upper left corner.
    ///
    /// # Errors
    /// When there is no such region, it has no pixels, or the box reaches outside.
    fn read_part(&self, id: &RegionId, bounds: Bounds) -> Result<Dense, StoreError>;
}

/// Writes regions.
pub trait WriteRegion {
    /// Stages a region; one with the same identifier is replaced, since the last staged one counts.
    ///
    /// # Errors
    /// When it does not fit or cannot be written; what was there before stays.
    fn write(&self, id: &RegionId, region: Region) -> Result<(), StoreError>;
}

/// Lists regions.
pub trait ListRegions {
    /// The identifiers in ascending order.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn list(&self) -> Result<Vec<RegionId>, StoreError>;
}

/// Removes regions.
pub trait RemoveRegion {
    /// Removes a region.
    ///
    /// # Errors
    /// When there is no such region, or it cannot be removed.
    fn remove(&self, id: &RegionId) -> Result<(), StoreError>;
}
