//! The store in the memory of a process, drawing from the budget.

use std::sync::{Mutex, MutexGuard};

use onceflow_region::store::{
    HeldRegion, ListRegions, ReadRegion, ReadRegionPart, RemoveRegion, Store, WriteRegion,
};
use onceflow_region::{Bounds, Budget, Dense, Lease, Region, RegionId, RegionQuery, Shelf, StoreError};

/// Regions in memory; their bytes are reserved before they are kept.
///
/// ```
/// use onceflow_region::{Bounds, Budget, Dense, Pixels, Region, RegionId, RegionKind, Store};
/// use onceflow_store::MemoryStore;
///
/// let store: Box<dyn Store> = Box::new(MemoryStore::new(Budget::new(1 << 20)));
/// let id = RegionId::new("slide", "mask", RegionKind::Dense);
/// let mask = Dense::new(3, 2, 1, Pixels::U8(vec![0, 1, 0, 0, 1, 1]))?;
/// store.writer().ok_or("it does not write")?.write(&id, Region::Dense(mask))?;
/// let middle = Bounds::plane(1, 0, 1, 2).ok_or("too large")?;
/// let read = store.part_reader().ok_or("it reads no boxes")?.read_part(&id, middle)?;
/// assert_eq!(read.as_u8(), Some(&[1, 1][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MemoryStore {
    budget: Budget,
    shelf: Mutex<Shelf<HeldRegion>>,
}

impl MemoryStore {
    /// An empty store that draws from this budget.
    pub fn new(budget: Budget) -> MemoryStore {
        MemoryStore { budget, shelf: Mutex::new(Shelf::new()) }
    }

    /// Stages a region whose bytes are reserved already; what the lease holds beyond them is given back.
    ///
    /// # Errors
    /// When the lease is too small and the rest does not fit; what was there before stays.
    pub fn write_leased(&self, id: &RegionId, region: Region, mut lease: Lease) -> Result<(), StoreError> {
        self.check(id, &region)?;
        lease.shrink(region.bytes());
        if !lease.try_grow(region.bytes() - lease.bytes()) {
            return Err(self.full(id, region.bytes()));
        }
        let before = self.shelf()?.put(id.clone(), HeldRegion::new(region, Some(lease)));
        // Freeing a large region is not done while others wait for the shelf.
        drop(before);
        Ok(())
    }

    fn check(&self, id: &RegionId, region: &Region) -> Result<(), StoreError> {
        if id.kind == region.kind() {
            return Ok(());
        }
        Err(self.wrong_kind(id, id.kind.to_string(), region))
    }

    fn wrong_kind(&self, id: &RegionId, expected: String, region: &Region) -> StoreError {
        let (store, region, found) = (NAME.into(), id.to_string(), region.kind().to_string());
        StoreError::Kind { store, region, expected, found }
    }

    fn full(&self, id: &RegionId, bytes: u64) -> StoreError {
        let free = self.budget.limit().saturating_sub(self.budget.used());
        StoreError::Full { store: NAME.into(), region: id.to_string(), bytes, free }
    }

    fn shelf(&self) -> Result<MutexGuard<'_, Shelf<HeldRegion>>, StoreError> {
        self.shelf.lock().map_err(|_| StoreError::Broken { store: NAME.into() })
    }
}

const NAME: &str = "memory";

fn missing(region: String) -> StoreError {
    StoreError::Missing { store: NAME.into(), region }
}

impl ReadRegion for MemoryStore {
    fn latest(&self, query: &RegionQuery) -> Result<(RegionId, HeldRegion), StoreError> {
        let shelf = self.shelf()?;
        let found = shelf.latest(query).map(|(id, held)| (id.clone(), held.clone()));
        found.ok_or_else(|| missing(query.to_string()))
    }

    fn read(&self, id: &RegionId) -> Result<HeldRegion, StoreError> {
        self.shelf()?.get(id).cloned().ok_or_else(|| missing(id.to_string()))
    }
}

impl ReadRegionPart for MemoryStore {
    fn read_part(&self, id: &RegionId, bounds: Bounds) -> Result<Dense, StoreError> {
        let store = || NAME.into();
        match &*self.read(id)? {
            Region::Dense(dense) => dense
                .crop(bounds)
                .map_err(|error| StoreError::Region { store: store(), error: Box::new(error) }),
            Region::Image(image) => image
                .read(bounds)
                .map_err(|error| StoreError::Source { store: store(), error: Box::new(error) }),
            other => Err(self.wrong_kind(id, "dense or an image".into(), other)),
        }
    }
}

impl WriteRegion for MemoryStore {
    fn write(&self, id: &RegionId, region: Region) -> Result<(), StoreError> {
        let bytes = region.bytes();
        let lease = self.budget.try_reserve(bytes).ok_or_else(|| self.full(id, bytes))?;
        self.write_leased(id, region, lease)
    }
}

impl ListRegions for MemoryStore {
    fn list(&self) -> Result<Vec<RegionId>, StoreError> {
        Ok(self.shelf()?.iter().map(|(id, _)| id.clone()).collect())
    }
}

impl RemoveRegion for MemoryStore {
    fn remove(&self, id: &RegionId) -> Result<(), StoreError> {
        let taken = self.shelf()?.take(id);
        taken.map(drop).ok_or_else(|| missing(id.to_string()))
    }
}

impl Store for MemoryStore {
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

#[cfg(test)]
mod tests {
    use onceflow_region::{Pixels, RegionKind};

    use super::*;
    use crate::conformance;

    fn plane(side: usize) -> Region {
        Region::Dense(Dense::new(side, side, 1, Pixels::U8(vec![7; side * side])).unwrap())
    }

    fn id(version: u32) -> RegionId {
        RegionId::new("image", "mask", RegionKind::Dense).with_version(version)
    }

    #[test]
    fn conforms() {
        let budget = Budget::new(1 << 20);
        let store = MemoryStore::new(budget.clone());
        conformance::check(&store);
        drop(store);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn refuses_what_does_not_fit_and_keeps_what_was_there() {
        let store = MemoryStore::new(Budget::new(150));
        store.write(&id(1), plane(10)).unwrap();
        let error = store.write(&id(2), plane(8)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "memory: expected room for 64 bytes of image::mask, found 50 bytes; remove regions or raise the limit"
        );
        assert_eq!(store.list().unwrap(), [id(1)]);
        // The replaced region is not given back before the new one is safe.
        assert!(store.write(&id(1), plane(9)).is_err());
        assert_eq!(store.read(&id(1)).unwrap().bytes(), 100);
        store.remove(&id(1)).unwrap();
        store.write(&id(2), plane(12)).unwrap();
    }

    #[test]
    fn bytes_are_given_back_when_the_last_reader_lets_go() {
        let budget = Budget::new(150);
        let store = MemoryStore::new(budget.clone());
        store.write(&id(1), plane(10)).unwrap();
        let held = store.read(&id(1)).unwrap();
        store.remove(&id(1)).unwrap();
        assert_eq!(budget.used(), 100);
        drop(held);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn takes_over_a_lease_and_gives_back_the_surplus() {
        let budget = Budget::new(150);
        let store = MemoryStore::new(budget.clone());
        store.write_leased(&id(1), plane(5), budget.try_reserve(120).unwrap()).unwrap();
        assert_eq!(budget.used(), 25);
        store.write_leased(&id(2), plane(5), budget.try_reserve(1).unwrap()).unwrap();
        assert_eq!(budget.used(), 50);
        assert!(store.write_leased(&id(3), plane(12), budget.try_reserve(1).unwrap()).is_err());
        assert_eq!(budget.used(), 50);
    }
}
