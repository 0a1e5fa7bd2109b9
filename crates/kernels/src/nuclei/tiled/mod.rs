//! All tasks in order on an image that is not in memory: tile by tile, and exactly what [`super::segment`] gives.
//!
//! The tasks pass pixels on in [`Planes`], which the caller provides: memory holds a tile with its halo, facts about
//! components, and at times the window of an object that a seam cuts.

mod apart;
mod grown;
mod levelled;

use super::background::{background_status, bright_pixels};
use super::{BackgroundStatus, Parameters, SegmentationStatus};
use crate::seams::{Areas, Holes, SeamGrid};
use crate::{Connectivity, Plane, View, Window};

/// Where a segmentation keeps pixels while it works, all of the size of the image.
pub trait Planes {
    /// The error of reading or writing pixels.
    type Error;

    /// The most pixels of a window that is read or written. Larger windows are needed for large objects cut by a seam, and
    /// may be refused.
    fn room(&self) -> usize;

    /// Asks for memory for the facts about components: `bytes` in all, replacing the amount allowed before.
    ///
    /// # Errors
    /// When they are too many.
    fn allow(&mut self, bytes: usize) -> Result<(), Self::Error>;

    /// Called when a task begins with a tile.
    fn begin(&mut self, _task: &'static str, _tile: usize) {}

    /// The normalized colours in a window.
    ///
    /// # Errors
    /// When they cannot be read.
    fn colours(&mut self, window: Window) -> Result<Plane<[u8; 3]>, Self::Error>;

    /// What was last written to a layer.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&mut self, layer: Layer, window: Window) -> Result<Plane<u8>, Self::Error>;

    /// Keeps pixels.
    ///
    /// # Errors
    /// When they cannot be kept.
    fn write(&mut self, layer: Layer, window: Window, pixels: View<'_, u8>) -> Result<(), Self::Error>;
}

/// One of the layers that the tasks use in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// How much darker pixels are than their surroundings; before that, the levelled darkness.
    Difference,
    /// A mask that is read.
    Mask,
    /// The mask made from it, and the final result; before there are masks, the darkness.
    Next,
}

/// The result of a segmentation; the mask is the layer [`Layer::Next`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiledSegmentation {
    /// How the segmentation ended.
    pub status: SegmentationStatus,
    /// Number of 8-connected components of the mask.
    pub objects: u64,
    /// Number of its pixels.
    pub foreground: u64,
}

/// Segments the nuclei of a normalized image that is cut by a grid.
///
/// # Errors
/// When pixels cannot be read or kept, or an object that a seam cuts has no room.
pub fn segment<S: Planes>(
    planes: &mut S,
    grid: &SeamGrid,
    parameters: &Parameters,
) -> Result<TiledSegmentation, S::Error> {
    let mut work = TiledSegmenter { planes, grid, parameters, held: 0 };
    match background_status(work.bright_pixels()?, grid.image().len() as u64) {
        Some(BackgroundStatus::Background) => work.nothing(SegmentationStatus::Background),
        Some(BackgroundStatus::Likely) => work.nothing(SegmentationStatus::BackgroundLikely),
        None => work.segment_tissue(),
    }
}

struct TiledSegmenter<'a, S> {
    planes: &'a mut S,
    grid: &'a SeamGrid,
    parameters: &'a Parameters,
    /// Bytes of the facts about components that are still needed.
    held: usize,
}

impl<S: Planes> TiledSegmenter<'_, S> {
    fn segment_tissue(&mut self) -> Result<TiledSegmentation, S::Error> {
        self.level()?;
        let (smallest, end) = (self.parameters.min_size, Some(self.parameters.max_size));
        let candidates = self.candidates()?;
        if candidates.count(smallest, end) == 0 {
            return self.nothing(SegmentationStatus::NoCandidates);
        }
        self.grow(candidates)?;
        self.clumps()?;
        self.split()?;
        self.finish()
    }

    fn bright_pixels(&mut self) -> Result<u64, S::Error> {
        let Parameters { blue, green, red, .. } = *self.parameters;
        let mut bright = 0;
        self.each_tile("background", |work, tile| {
            let colours = work.planes.colours(work.grid.window(tile))?;
            bright += bright_pixels(colours.view(), blue, green, red);
            Ok(())
        })?;
        Ok(bright)
    }

    fn nothing(&mut self, status: SegmentationStatus) -> Result<TiledSegmentation, S::Error> {
        self.each_tile("t7", |work, tile| {
            let window = work.grid.window(tile);
            work.write(Layer::Next, tile, &Plane::filled(0, window.width, window.height))
        })?;
        Ok(TiledSegmentation { status, objects: 0, foreground: 0 })
    }

    /// Keeps the objects of a nucleus's size and fills their holes (t7).
    fn finish(&mut self) -> Result<TiledSegmentation, S::Error> {
        let Parameters { min_size_seg, max_size_seg, fill_holes_connectivity, .. } = *self.parameters;
        let mut areas = Areas::new(self.grid, Connectivity::Four);
        self.each_tile("t7", |work, tile| {
            areas.visit(work.read(Layer::Next, tile)?.view());
            work.allow(areas.bytes())
        })?;
        let areas = areas.merged();
        self.held = areas.bytes();
        let mut holes = Holes::new(self.grid, fill_holes_connectivity);
        self.each_tile("t7", |work, tile| {
            let apart = work.read(Layer::Next, tile)?;
            let kept = areas.filter(tile, apart.view(), min_size_seg, Some(max_size_seg));
            holes.visit(kept.view());
            work.allow(holes.bytes())?;
            work.write(Layer::Mask, tile, &kept)
        })?;
        drop(areas);
        self.held = 0;
        self.fill("t7", holes)?;
        self.count()
    }

    /// Writes the mask with its holes filled to the next layer.
    fn fill(&mut self, task: &'static str, holes: Holes) -> Result<(), S::Error> {
        let holes = holes.merged();
        self.each_tile(task, |work, tile| {
            let mask = work.read(Layer::Mask, tile)?;
            work.write(Layer::Next, tile, &holes.fill(tile, mask.view()))
        })
    }

    fn count(&mut self) -> Result<TiledSegmentation, S::Error> {
        let mut areas = Areas::new(self.grid, Connectivity::Eight);
        self.each_tile("t7", |work, tile| {
            areas.visit(work.read(Layer::Next, tile)?.view());
            work.allow(areas.bytes())
        })?;
        let areas = areas.merged();
        let (objects, foreground) = (areas.count(0, None), areas.pixels());
        let status = if objects > 0 { SegmentationStatus::Ok } else { SegmentationStatus::NoCandidates };
        Ok(TiledSegmentation { status, objects, foreground })
    }

    fn each_tile(
        &mut self,
        task: &'static str,
        mut step: impl FnMut(&mut Self, usize) -> Result<(), S::Error>,
    ) -> Result<(), S::Error> {
        (0..self.grid.len()).try_for_each(|tile| {
            self.planes.begin(task, tile);
            step(self, tile)
        })
    }

    /// Asks for `bytes` beside those held.
    fn allow(&mut self, bytes: usize) -> Result<(), S::Error> {
        self.planes.allow(self.held + bytes)
    }

    fn read(&mut self, layer: Layer, tile: usize) -> Result<Plane<u8>, S::Error> {
        self.planes.read(layer, self.grid.window(tile))
    }

    fn write(&mut self, layer: Layer, tile: usize, pixels: &Plane<u8>) -> Result<(), S::Error> {
        self.planes.write(layer, self.grid.window(tile), pixels.view())
    }

    /// Writes a tile from a plane that shows it with a halo.
    fn write_own(
        &mut self,
        layer: Layer,
        tile: usize,
        halo: usize,
        pixels: &Plane<u8>,
    ) -> Result<(), S::Error> {
        let own = self.own(tile, halo).of(pixels.view());
        self.planes.write(layer, self.grid.window(tile), own)
    }

    /// Where a tile lies in a window that shows it with a halo.
    fn own(&self, tile: usize, halo: usize) -> Window {
        let (own, around) = (self.grid.window(tile), self.grid.around(tile, halo));
        Window { left: own.left - around.left, top: own.top - around.top, ..own }
    }
}
