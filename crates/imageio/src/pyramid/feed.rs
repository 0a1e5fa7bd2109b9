//! Who reads what next: blocks are given out in order, and only a few beyond the last that was put.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use onceflow_region::{Bounds, Dense, Source};

use super::grid::TileGrid;
use super::order::BlockOrder;
use super::{Pyramid, PyramidError};

/// The blocks of an image, for many threads.
pub(super) struct BlockFeed<'a> {
    source: &'a dyn Source,
    pyramid: &'a Pyramid,
    grid: &'a TileGrid,
    /// Blocks that may be under way.
    window: usize,
    /// Rows that are read at once, from a source that has no better way.
    rows: Option<u64>,
    stop: &'a AtomicBool,
    state: Mutex<FeedState>,
    moved: Condvar,
}

struct FeedState {
    /// Blocks that were not given out yet.
    order: BlockOrder,
    given: usize,
    put: usize,
    ended: bool,
    band: Option<(Bounds, Dense)>,
}

/// A block and its pixels, or why there are none.
pub(super) struct PyramidBlock {
    pub(super) index: usize,
    pub(super) bounds: Bounds,
    pub(super) image: Result<Dense, PyramidError>,
}

impl<'a> BlockFeed<'a> {
    pub(super) fn new(
        (source, pyramid, grid): (&'a dyn Source, &'a Pyramid, &'a TileGrid),
        window: usize,
        rows: Option<u64>,
        stop: &'a AtomicBool,
    ) -> BlockFeed<'a> {
        let state = Mutex::new(FeedState { order: grid.order(), given: 0, put: 0, ended: false, band: None });
        BlockFeed { source, pyramid, grid, window, rows, stop, state, moved: Condvar::new() }
    }

    /// The next block, when there is room for it; `None` when all are given out or the feed is closed.
    pub(super) fn next(&self) -> Option<PyramidBlock> {
        let waits = |state: &mut FeedState| !state.ended && state.given >= state.put + self.window;
        let state = self.moved.wait_while(self.lock(), waits);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.ended {
            return None;
        }
        let place = state.order.next()?;
        let index = state.given;
        state.given += 1;
        let bounds = match self.grid.block(place) {
            Ok(bounds) => bounds,
            Err(error) => {
                return Some(PyramidBlock { index, bounds: self.pyramid.bounds, image: Err(error) });
            }
        };
        let image = match self.rows {
            _ if self.stop.load(Ordering::Relaxed) => Err(PyramidError::Stopped),
            // Others wait meanwhile: rows come one after the other anyway.
            Some(rows) => self.of_band(&mut state, bounds, rows),
            None => {
                drop(state);
                self.read(bounds)
            }
        };
        Some(PyramidBlock { index, bounds, image })
    }

    /// So many blocks were put.
    pub(super) fn put(&self, blocks: usize) {
        self.lock().put = blocks;
        self.moved.notify_all();
    }

    /// Closes the feed.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.moved.notify_all();
    }

    fn of_band(&self, state: &mut FeedState, bounds: Bounds, rows: u64) -> Result<Dense, PyramidError> {
        let here = |(band, _): &&(Bounds, Dense)| band.contains(&bounds);
        if state.band.as_ref().filter(here).is_none() {
            state.band = None;
            let band = self.band(&bounds, rows)?;
            state.band = Some((band, self.read(band)?));
        }
        match &state.band {
            Some((band, image)) => {
                let within = bounds.relative_to(band).ok_or_else(|| self.grid.lost(&bounds))?;
                Ok(image.crop(within)?)
            }
            None => Err(self.grid.lost(&bounds)),
        }
    }

    fn band(&self, bounds: &Bounds, rows: u64) -> Result<Bounds, PyramidError> {
        let (width, height) = (self.pyramid.bounds.width(), self.pyramid.bounds.height());
        let whole = Bounds::plane(0, 0, width, height);
        let band = Bounds::plane(0, bounds.y(), width, rows);
        whole.and_then(|whole| whole.intersect(&band?)).ok_or_else(|| self.grid.lost(bounds))
    }

    /// Reads a box of what is wanted.
    fn read(&self, bounds: Bounds) -> Result<Dense, PyramidError> {
        let corner = self.pyramid.bounds;
        let bounds = bounds.translate(corner.x(), corner.y()).ok_or_else(|| self.grid.lost(&bounds))?;
        Ok(self.source.read_scale(self.pyramid.source_scale, bounds)?)
    }

    fn lock(&self) -> MutexGuard<'_, FeedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
