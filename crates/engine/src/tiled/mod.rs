//! The shipped nuclei workflow on one image of any size: tile by tile, with pixels on a disk meanwhile.
//!
//! Memory holds a tile or the window of an object that a seam cuts, and some tens of bytes for each component of a mask;
//! the disk holds six bytes for each pixel.

mod scratch;
mod tiling;

use onceflow_kernels::colour::{Statistics, transfer};
use onceflow_kernels::nuclei::Parameters;
use onceflow_kernels::nuclei::tiled;
use onceflow_kernels::seams::Grid;
use onceflow_kernels::{Plane, Window};
use onceflow_region::Source;

pub use tiling::Tiling;

use crate::EngineError;
use crate::segment::{Segmented, as_colour};
use crate::view::colour;
use crate::whole::desk::{Desk, strips, unkept};
use crate::whole::raw::Raw;
use crate::whole::sheet::{Sheet, write_colours};
use crate::whole::{read_rows, window};
use scratch::Scratch;

/// Segments the nuclei of a whole image in tiles.
pub(crate) fn segment_tiled(
    source: &dyn Source,
    parameters: &Parameters,
    normalize: bool,
    (tiling, desk): (&Tiling, &Desk<'_>),
) -> Result<Segmented, EngineError> {
    desk.check_disk(Tiling::disk_bytes(source.info()))?;
    let image = window(source)?;
    let grid = Grid::new(image.width, image.height, tiling.tile());
    let mut scratch = Scratch::new((image, grid.len()), tiling, desk)?;
    copy_colours(source, normalize, (tiling, desk), scratch.colours_mut())?;
    let tiled::Found { status, objects, foreground } = tiled::segment(&mut scratch, &grid, parameters)?;
    let (colours, mask) = scratch.into_result();
    let sheet = Sheet::new(image, colours, mask, desk.folder.clone(), None);
    Ok(Segmented { status, objects, foreground, sheet })
}

/// Copies the colours of an image to a disk, moved to the target's if that is wished. Every pixel of the source is read
/// once: files that can be read from the start only would cost a pass for each tile.
pub(crate) fn copy_colours(
    source: &dyn Source,
    normalize: bool,
    (tiling, desk): (&Tiling, &Desk<'_>),
    to: &mut Raw,
) -> Result<(), EngineError> {
    let image = window(source)?;
    let rows = tiling.strip_rows(source.info().width);
    let mut statistics = Statistics::new();
    for strip in strips(image, rows) {
        desk.at("reading", strip.top as u64, image.height as u64);
        let pixels = read(source, strip)?;
        statistics.add(pixels.view());
        write_colours(to, strip, pixels.view()).map_err(|error| unkept(&desk.folder, &error))?;
    }
    let statistics = statistics.finish();
    for strip in strips(image, rows).filter(|_| normalize) {
        desk.at("normalize", strip.top as u64, image.height as u64);
        let bytes = to.read(strip).map_err(|error| unkept(&desk.folder, &error))?;
        let pixels = crate::whole::sheet::plane(bytes.as_chunks().0.to_vec(), strip)?;
        let moved = transfer(pixels.view(), &statistics);
        write_colours(to, strip, moved.view()).map_err(|error| unkept(&desk.folder, &error))?;
    }
    Ok(())
}

fn read(source: &dyn Source, rows: Window) -> Result<Plane<[u8; 3]>, EngineError> {
    let pixels = as_colour(source, read_rows(source, rows)?)?;
    let view = colour(&pixels).ok_or_else(|| EngineError::Internal("colours that are none".into()))?;
    Ok(view.to_plane())
}

#[cfg(test)]
mod tests;
