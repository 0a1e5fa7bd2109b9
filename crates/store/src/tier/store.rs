//! Tiers as a store of regions under their identifiers.

use std::sync::Arc;

use onceflow_region::store::{
    HeldRegion, ListRegions, ReadRegion, ReadRegionPart, RemoveRegion, Store, WriteRegion,
};
use onceflow_region::{Bounds, Dense, Region, RegionId, RegionQuery, StoreError};

use super::{Cost, TierKey, Tiers};

const NAME: &str = "tiers";

impl Store for Tiers {
    fn name(&self) -> &str {
        NAME
    }

    fn reader(&self) -> Option<&dyn ReadRegion> {
        Some(self)
    }

    fn part_reader(&self) -> Option<&dyn ReadRegionPart> {
        Some(self)
    }

    fn writer(&self) -> Option<&dyn WriteRegion> {
        Some(self)
    }

    fn lister(&self) -> Option<&dyn ListRegions> {
        Some(self)
    }

    fn remover(&self) -> Option<&dyn RemoveRegion> {
        Some(self)
    }
}

impl ReadRegion for Tiers {
    fn latest(&self, query: &RegionQuery) -> Result<(RegionId, HeldRegion), StoreError> {
        let latest = self.shared.lock().index.latest(query);
        let id = latest.ok_or_else(|| missing(query.to_string()))?;
        self.read(&id).map(|region| (id, region))
    }

    fn read(&self, id: &RegionId) -> Result<HeldRegion, StoreError> {
        let found = self.get(id.clone()).map_err(tier_error)?;
        found.map(HeldRegion::shared).ok_or_else(|| missing(id.to_string()))
    }
}

impl ReadRegionPart for Tiers {
    fn read_part(&self, id: &RegionId, bounds: Bounds) -> Result<Dense, StoreError> {
        match &*self.read(id)? {
            Region::Dense(dense) => dense
                .crop(bounds)
                .map_err(|error| StoreError::Region { store: NAME.into(), error: Box::new(error) }),
            other => Err(wrong_kind(id, "dense".into(), other)),
        }
    }
}

impl WriteRegion for Tiers {
    /// What is written like this is never dropped; [`Tiers::put`] says what may be.
    fn write(&self, id: &RegionId, region: Region) -> Result<(), StoreError> {
        if id.kind != region.kind() {
            return Err(wrong_kind(id, id.kind.to_string(), &region));
        }
        self.put(id.clone(), Arc::new(region), Cost::keep()).map_err(tier_error)
    }
}

impl ListRegions for Tiers {
    fn list(&self) -> Result<Vec<RegionId>, StoreError> {
        Ok(self.shared.lock().index.regions())
    }
}

impl RemoveRegion for Tiers {
    fn remove(&self, id: &RegionId) -> Result<(), StoreError> {
        match self.forget(TierKey::Region(id.clone())) {
            true => Ok(()),
            false => Err(missing(id.to_string())),
        }
    }
}

fn missing(region: String) -> StoreError {
    StoreError::Missing { store: NAME.into(), region }
}

fn wrong_kind(id: &RegionId, expected: String, region: &Region) -> StoreError {
    StoreError::Kind {
        store: NAME.into(),
        region: id.to_string(),
        expected,
        found: region.kind().to_string(),
    }
}

fn tier_error(error: super::TierError) -> StoreError {
    StoreError::Tier { store: NAME.into(), reason: error.to_string() }
}
