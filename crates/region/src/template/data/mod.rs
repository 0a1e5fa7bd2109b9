//! Data regions: metadata first; the box of interest is read at the first access.

mod home;
mod stitch;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Relation;
use crate::{
    Bounds, Budget, Element, HeldRegion, Pieces, ReadVolume, Region, RegionError, RegionId, Source, Store,
};
use home::DataHome;

/// What is known of a region before it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionInfo {
    /// The type of its values; `None` when it has no array of them, or the type is unknown.
    pub element: Option<Element>,
    /// Where it lies.
    pub bounds: Bounds,
    /// The part of it that is of interest: reading brings this and nothing else.
    pub interest: Bounds,
    /// Its resolution in micrometres per pixel, when it is known.
    pub um_per_pixel: Option<f64>,
    /// Other regions and templates that cover the same space.
    pub relations: Vec<Relation>,
}

/// A region of which first only the metadata are known: planning passes it on without reading a pixel.
///
/// The first [`DataRegion::get`] reads the box of interest and keeps it for all later calls. To read earlier,
/// call it early, or have [`DataRegion::prefetch`] do so in the background.
///
/// ```
/// use onceflow_region::{Bounds, DataRegion, Dense, Pixels, Region, RegionId, RegionKind};
///
/// let image = Dense::new(4, 2, 1, Pixels::U8(vec![0, 1, 2, 3, 4, 5, 6, 7]))?;
/// let id = RegionId::new("slide", "image", RegionKind::Dense);
/// let whole = DataRegion::of(id, image.bounds(), Region::Dense(image));
/// let right = whole.with_interest(Bounds::plane(2, 0, 2, 2).ok_or("too large")?)?;
/// assert_eq!((right.info().bounds.width(), right.info().interest.width()), (4, 2));
/// assert_eq!(right.get()?.as_dense().and_then(Dense::as_u8), Some(&[2, 3, 6, 7][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DataRegion {
    id: RegionId,
    info: RegionInfo,
    home: DataHome,
    budget: Option<Budget>,
    read: Mutex<Option<HeldRegion>>,
}

/// Work to be done wherever the caller likes.
pub type ReadJob = Box<dyn FnOnce() + Send>;

impl DataRegion {
    /// A region that is in memory already.
    pub fn of(id: RegionId, bounds: Bounds, region: Region) -> DataRegion {
        let element = region.element();
        DataRegion::new(id, element, bounds, DataHome::Memory(HeldRegion::new(region, None)))
    }

    /// One scale of an image that is not read; its resolution is that of the scale.
    ///
    /// # Errors
    /// When there is no such scale.
    pub fn of_image(id: RegionId, source: Arc<dyn Source>, scale: usize) -> Result<DataRegion, RegionError> {
        let (info, none) = (source.info(), || home::no_scale(source.as_ref(), scale));
        let bounds = info.scale_bounds(scale).ok_or_else(none)?;
        let downsample = info.scales.get(scale).ok_or_else(none)?.downsample;
        let (element, um_per_pixel) = (Some(info.element), info.um_per_pixel.map(|um| um * downsample));
        let region = DataRegion::new(id, element, bounds, DataHome::Image { source, scale });
        Ok(region.with_um_per_pixel(um_per_pixel))
    }

    /// A volume that is not read.
    pub fn of_volume(id: RegionId, source: Arc<dyn ReadVolume>) -> DataRegion {
        let info = source.info();
        let (element, bounds, um) = (Some(info.element), info.bounds, info.geometry.um_per_pixel());
        DataRegion::new(id, element, bounds, DataHome::Volume(source)).with_um_per_pixel(um)
    }

    /// A region in a store, where it lies by what the caller says: the store is not asked before it is read.
    pub fn of_store(
        id: RegionId,
        element: Option<Element>,
        bounds: Bounds,
        store: Arc<dyn Store>,
    ) -> DataRegion {
        DataRegion::new(id, element, bounds, DataHome::Store(store))
    }

    /// A plane in pieces, each a region of its own: reading brings of each piece what is of interest. Where pieces
    /// overlap, they show the same.
    ///
    /// # Errors
    /// When there is no piece.
    pub fn of_pieces(id: RegionId, pieces: Arc<Pieces<Arc<DataRegion>>>) -> Result<DataRegion, RegionError> {
        let none = || RegionError::Partition { expected: "a piece", found: "none".into(), todo: "give some" };
        let (bounds, (_, first)) = pieces.bounds().zip(pieces.keyed().next()).ok_or_else(none)?;
        let info = first.id.info().clone();
        let region = DataRegion::new(id, info.element, bounds, DataHome::Pieces(pieces));
        Ok(region.with_um_per_pixel(info.um_per_pixel))
    }

    /// The same region, not read, of which another part is of interest: the halo around a part, or the part without it.
    ///
    /// # Errors
    /// When the box reaches outside.
    pub fn with_interest(&self, interest: Bounds) -> Result<DataRegion, RegionError> {
        if !self.info.bounds.contains(&interest) {
            let outer = Box::new(self.info.bounds);
            return Err(RegionError::Outside { outer, inner: Box::new(interest) });
        }
        let (id, home, budget) = (self.id.clone(), self.home.clone(), self.budget.clone());
        let info = RegionInfo { interest, ..self.info.clone() };
        Ok(DataRegion { id, info, home, budget, read: Mutex::default() })
    }

    /// The same with another resolution.
    pub fn with_um_per_pixel(mut self, um_per_pixel: Option<f64>) -> DataRegion {
        self.info.um_per_pixel = um_per_pixel;
        self
    }

    /// The same with one more relation.
    pub fn with_relation(mut self, relation: Relation) -> DataRegion {
        self.info.relations.push(relation);
        self
    }

    /// The same, whose reads reserve their bytes first.
    pub fn within(mut self, budget: Budget) -> DataRegion {
        self.budget = Some(budget);
        self
    }

    /// Its identifier.
    pub fn id(&self) -> &RegionId {
        &self.id
    }

    /// What is known of it.
    pub fn info(&self) -> &RegionInfo {
        &self.info
    }

    /// Whether it is in memory; what is being read is not yet.
    pub fn is_read(&self) -> bool {
        self.held().is_some()
    }

    /// Bytes that it holds in memory now.
    pub fn bytes(&self) -> u64 {
        self.held().map_or(0, |held| held.bytes())
    }

    /// The content of the box of interest: the first call reads it while others wait, and keeps it. Planes and objects are
    /// seen from the upper left corner of what is of interest.
    ///
    /// # Errors
    /// When it cannot be read, or there is no room for it; the next call tries again.
    pub fn get(&self) -> Result<HeldRegion, RegionError> {
        let mut slot = self.slot();
        if let Some(held) = &*slot {
            return Ok(held.clone());
        }
        let held = self.home.read(&self.id, &self.info, self.budget.as_ref())?;
        *slot = Some(held.clone());
        Ok(held)
    }

    /// Reads in the background: `run` is given the work, to do it on another thread or in a queue of its own. Who looks
    /// meanwhile waits for it; when it fails, the next [`DataRegion::get`] says why.
    pub fn prefetch(self: &Arc<Self>, run: impl FnOnce(ReadJob)) {
        // A thread that reads it holds the lock; this call does not wait for it.
        let idle = self.read.try_lock().is_ok_and(|slot| slot.is_none());
        if idle && !self.is_read() {
            let region = Arc::clone(self);
            run(Box::new(move || drop(region.get())));
        }
    }

    /// Drops the content that was read; the next access reads it again.
    pub fn forget(&self) {
        let held = self.slot().take();
        drop(held);
    }

    fn new(id: RegionId, element: Option<Element>, bounds: Bounds, home: DataHome) -> DataRegion {
        let (interest, relations) = (bounds, Vec::new());
        let info = RegionInfo { element, bounds, interest, um_per_pixel: None, relations };
        DataRegion { id, info, home, budget: None, read: Mutex::default() }
    }

    fn held(&self) -> Option<HeldRegion> {
        let read = self.read.try_lock().ok().and_then(|slot| slot.clone());
        if let (None, DataHome::Memory(held)) = (&read, &self.home) { Some(held.clone()) } else { read }
    }

    /// What was read is whole or not there at all, so a panic elsewhere leaves it sound.
    fn slot(&self) -> MutexGuard<'_, Option<HeldRegion>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
