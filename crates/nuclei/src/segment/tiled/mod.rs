//! The nuclei workflow on one image of any size: tile by tile, with its pixels in temporary files.
//!
//! Memory holds a tile or the window of an object that a seam cuts, and some tens of bytes per component of a mask; the
//! disk holds six bytes per pixel.

mod layers;

use onceflow_kernels::nuclei::Parameters;
use onceflow_kernels::nuclei::tiled;
use onceflow_kernels::seams::SeamGrid;
use onceflow_region::Source;

use super::Segmented;
use crate::NucleiError;
use crate::pixels::{ImageLayers, copy_colours, window};
use crate::workspace::{Tiling, Workspace};
use layers::TiledLayers;

/// Segments the nuclei of a whole image in tiles.
pub(crate) fn segment_tiled(
    source: &dyn Source,
    parameters: &Parameters,
    normalize: bool,
    (tiling, workspace): (&Tiling, &Workspace<'_>),
) -> Result<Segmented, NucleiError> {
    workspace.check_disk(Tiling::disk_bytes(source.info()))?;
    let image = window(source)?;
    let grid = SeamGrid::new(image.width, image.height, tiling.tile());
    let mut layers = TiledLayers::new((image, grid.len()), tiling, workspace)?;
    copy_colours(source, normalize, (tiling, workspace), layers.colours_mut())?;
    let tiled::TiledSegmentation { status, objects, foreground } =
        tiled::segment(&mut layers, &grid, parameters)?;
    let (colours, mask) = layers.into_result();
    let layers = ImageLayers::new(image, colours, mask, workspace.folder.clone(), None);
    Ok(Segmented { status, objects, foreground, layers })
}

#[cfg(test)]
mod tests;
