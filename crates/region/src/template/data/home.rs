//! Where a data region lies, and how what is of interest comes from there.

use std::sync::Arc;

use super::{DataRegion, RegionInfo, stitch};
use crate::{
    Bounds, Budget, HeldRegion, Lease, Pieces, ReadVolume, Region, RegionError, RegionId, RegionKind,
};
use crate::{Source, SourceError, Store, StoreError};

/// Where a data region lies.
#[derive(Debug, Clone)]
pub(super) enum DataHome {
    Memory(HeldRegion),
    Image { source: Arc<dyn Source>, scale: usize },
    Volume(Arc<dyn ReadVolume>),
    Store(Arc<dyn Store>),
    Pieces(Arc<Pieces<Arc<DataRegion>>>),
}

impl DataHome {
    /// What is of interest, with the memory that it takes.
    pub(super) fn read(
        &self,
        id: &RegionId,
        info: &RegionInfo,
        budget: Option<&Budget>,
    ) -> Result<HeldRegion, RegionError> {
        let whole = info.interest == info.bounds;
        match self {
            // What is in memory, or held by a store, is there already.
            DataHome::Memory(held) if whole => return Ok(held.clone()),
            DataHome::Store(store) if whole => return from_store(store.as_ref(), id),
            _ => {}
        }
        let lease = budget.map(|budget| reserve(budget, id, self.expected(info))).transpose()?;
        let region = self.interest(id, info)?;
        leased(id, region, lease, budget)
    }

    fn interest(&self, id: &RegionId, info: &RegionInfo) -> Result<Region, RegionError> {
        let interest = info.interest;
        match self {
            DataHome::Memory(held) => held.crop(own(held, info)?),
            DataHome::Image { source, scale } => {
                source.read_scale(*scale, interest).map(Region::Dense).map_err(from_source)
            }
            DataHome::Volume(source) => source.read(interest).map(Region::Volume).map_err(from_source),
            DataHome::Store(store) => match store.part_reader().filter(|_| id.kind == RegionKind::Dense) {
                Some(parts) => {
                    let read = parts.read_part(id, plane(&interest, &info.bounds)?);
                    read.map(Region::Dense).map_err(from_store_error)
                }
                None => {
                    let held = from_store(store.as_ref(), id)?;
                    held.crop(own(&held, info)?)
                }
            },
            DataHome::Pieces(pieces) => stitch::plane(pieces, &interest).map(Region::Dense),
        }
    }

    /// Bytes that reading will take, as far as they are known before; the rest is reserved when it is there.
    fn expected(&self, info: &RegionInfo) -> u64 {
        let value = info.element.map_or(0, |element| element.bytes());
        match self {
            DataHome::Image { source, .. } => source.info().bytes_of(&info.interest),
            _ => info.interest.positions().unwrap_or(u64::MAX).saturating_mul(value),
        }
    }
}

/// The box of interest in a region's own coordinates: planes and objects are seen from their upper left corner.
fn own(region: &Region, info: &RegionInfo) -> Result<Bounds, RegionError> {
    match region.kind() {
        RegionKind::Dense | RegionKind::Objects | RegionKind::Image => plane(&info.interest, &info.bounds),
        _ => Ok(info.interest),
    }
}

fn plane(interest: &Bounds, whole: &Bounds) -> Result<Bounds, RegionError> {
    let seen = interest.relative_to(whole);
    let seen = seen.and_then(|seen| Bounds::plane(seen.x(), seen.y(), seen.width(), seen.height()));
    seen.ok_or_else(|| RegionError::Outside { outer: Box::new(*whole), inner: Box::new(*interest) })
}

fn reserve(budget: &Budget, id: &RegionId, bytes: u64) -> Result<Lease, RegionError> {
    budget.try_reserve(bytes).ok_or_else(|| full(budget, id, bytes))
}

fn leased(
    id: &RegionId,
    region: Region,
    lease: Option<Lease>,
    budget: Option<&Budget>,
) -> Result<HeldRegion, RegionError> {
    let (Some(mut lease), Some(budget)) = (lease, budget) else { return Ok(HeldRegion::new(region, None)) };
    let bytes = region.bytes();
    lease.shrink(bytes);
    if !lease.try_grow(bytes - lease.bytes()) {
        return Err(full(budget, id, bytes));
    }
    Ok(HeldRegion::new(region, Some(lease)))
}

fn full(budget: &Budget, id: &RegionId, bytes: u64) -> RegionError {
    let free = budget.limit().saturating_sub(budget.used());
    from_store_error(StoreError::Full { store: "memory".into(), region: id.to_string(), bytes, free })
}

fn from_store(store: &dyn Store, id: &RegionId) -> Result<HeldRegion, RegionError> {
    let unreadable = || StoreError::Missing { store: store.name().into(), region: id.to_string() };
    let reader = store.reader().ok_or_else(|| from_store_error(unreadable()))?;
    reader.read(id).map_err(from_store_error)
}

fn from_store_error(error: StoreError) -> RegionError {
    RegionError::Store { error: Box::new(error) }
}

fn from_source(error: SourceError) -> RegionError {
    RegionError::Source { error: Box::new(error) }
}

/// There is no such scale.
pub(super) fn no_scale(source: &dyn Source, scale: usize) -> RegionError {
    let (file, scales) = (source.info().format.clone(), source.info().scales.len());
    from_source(SourceError::NoScale { file, scale, scales })
}
