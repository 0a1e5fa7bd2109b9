//! The shipped nuclei workflow on one image of any size: tile by tile, with pixels on a disk meanwhile.
//!
//! The mask is the one that [`crate::segment`] finds. Memory holds a tile or the window of an object that a seam cuts, and
//! some tens of bytes for each component of a mask; the disk holds six bytes for each pixel.

mod scratch;
mod tiling;

use std::io::{self, Write};
use std::path::Path;

use onceflow_kernels::colour::{Statistics, transfer};
use onceflow_kernels::nuclei::tiled::{self, Found, Layer, Planes as _};
use onceflow_kernels::nuclei::{Parameters, Status};
use onceflow_kernels::seams::Grid;
use onceflow_kernels::{Plane, Window};
use onceflow_region::{Bounds, Source, write_grey_png};

pub use tiling::Tiling;

use crate::EngineError;
use crate::image::unreadable;
use crate::segment::{as_colour, status_word};
use crate::view::colour;
use scratch::Scratch;

/// The nuclei of an image that is not in memory.
#[derive(Debug)]
pub struct Tiled {
    found: Found,
    image: Window,
    /// Rows that are read at once.
    strip: usize,
    scratch: Scratch,
}

impl Tiled {
    /// How the workflow ended.
    pub fn status(&self) -> Status {
        self.found.status
    }

    /// The status as files say it.
    pub fn status_word(&self) -> &'static str {
        status_word(self.found.status)
    }

    /// Number of nuclei.
    pub fn objects(&self) -> u64 {
        self.found.objects
    }

    /// Pixels in nuclei.
    pub fn foreground(&self) -> u64 {
        self.found.foreground
    }

    /// Writes the mask as a PNG file, 255 where a nucleus is, strip by strip.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_png(&mut self, to: impl Write) -> io::Result<()> {
        let (image, strip, scratch) = (self.image, self.strip, &mut self.scratch);
        write_grey_png(to, (image.width as u64, image.height as u64), |file| {
            strips(image, strip).try_for_each(|window| {
                let rows = scratch.read(Layer::Next, window);
                file.write_all(rows.map_err(|error| io::Error::other(error.to_string()))?.pixels())
            })
        })
    }
}

/// Segments the nuclei of a whole image, after its colours are moved to the target's if that is wished; pixels lie in
/// files without a name in `folder` meanwhile.
///
/// # Errors
/// When the image cannot be read, the disk is full, or an object that a seam cuts does not fit in memory.
pub fn segment_tiled(
    source: &dyn Source,
    parameters: &Parameters,
    normalize: bool,
    tiling: &Tiling,
    folder: &Path,
) -> Result<Tiled, EngineError> {
    let info = source.info();
    let side = |side: u64| {
        usize::try_from(side).map_err(|_| EngineError::Internal("an image beyond numbers".into()))
    };
    let grid = Grid::new(side(info.width)?, side(info.height)?, tiling.tile());
    let (image, strip) = (grid.image(), tiling.strip_rows(info.width));
    let mut scratch = Scratch::new(folder, image, tiling)?;
    let statistics = copy(source, image, strip, &mut scratch)?;
    if normalize {
        normalize_tiles(&grid, &statistics, &mut scratch)?;
    }
    let found = tiled::segment(&mut scratch, &grid, parameters)?;
    Ok(Tiled { found, image, strip, scratch })
}

/// Every pixel of the source is read once: files that can be read from the start only would cost a pass for each tile.
fn copy(
    source: &dyn Source,
    image: Window,
    strip: usize,
    scratch: &mut Scratch,
) -> Result<Statistics, EngineError> {
    let mut statistics = Statistics::new();
    for window in strips(image, strip) {
        let pixels = read(source, window)?;
        statistics.add(pixels.view());
        scratch.write_colours(window, pixels.view())?;
    }
    Ok(statistics)
}

fn read(source: &dyn Source, window: Window) -> Result<Plane<[u8; 3]>, EngineError> {
    let bounds = i64::try_from(window.top).ok();
    let bounds = bounds.and_then(|top| Bounds::plane(0, top, window.width as u64, window.height as u64));
    let bounds = bounds.ok_or_else(|| EngineError::Internal("an image beyond 2^63 rows".into()))?;
    let pixels = as_colour(source.read(bounds).map_err(unreadable)?)?;
    let view = colour(&pixels).ok_or_else(|| EngineError::Internal("colours that are none".into()))?;
    Ok(view.to_plane())
}

fn normalize_tiles(grid: &Grid, statistics: &Statistics, scratch: &mut Scratch) -> Result<(), EngineError> {
    let statistics = statistics.finish();
    for window in (0..grid.len()).map(|tile| grid.window(tile)) {
        let colours = scratch.colours(window)?;
        scratch.write_colours(window, transfer(colours.view(), &statistics).view())?;
    }
    Ok(())
}

/// Windows of so many rows across the image.
fn strips(image: Window, rows: usize) -> impl Iterator<Item = Window> {
    let tops = (0..image.height).step_by(rows.max(1));
    tops.map(move |top| Window { top, height: rows.min(image.height - top), ..image })
}

#[cfg(test)]
mod tests;
