//! The colours of an image: read, normalized, kept in memory or copied to a disk.

use onceflow_kernels::colour::{ColourSums, transfer};
use onceflow_kernels::dense::colour;
use onceflow_kernels::{Plane, View, Window};
use onceflow_region::{Dense, RegionError, Source, rgb8};
use onceflow_study::Diagnostic;

use super::layers::{plane, write_colours};
use super::{PixelBuffer, read_rows, read_whole, window};
use crate::NucleiError;
use crate::workspace::{Tiling, Workspace, strips, unkept};

/// All colours of an image, normalized to the target if `normalize`.
pub(crate) fn read_colours(source: &dyn Source, normalize: bool) -> Result<Plane<[u8; 3]>, NucleiError> {
    let image = as_colour(source, read_whole(source)?)?;
    let view = colour(&image).ok_or_else(|| NucleiError::internal("a colour image without colour pixels"))?;
    if normalize { Ok(normalized(view)) } else { Ok(view.to_plane()) }
}

/// Bytes per pixel of colours.
pub(crate) const COLOURS: u64 = 3;
/// Bytes per pixel of a mask.
pub(crate) const MASK: u64 = 1;

/// Copies the colours of an image to a disk, normalized to the target if `normalize`. Every pixel of the source is read
/// once: a file that can only be read from its start would cost a pass per tile.
pub(crate) fn copy_colours(
    source: &dyn Source,
    normalize: bool,
    (tiling, workspace): (&Tiling, &Workspace<'_>),
    to: &mut PixelBuffer,
) -> Result<(), NucleiError> {
    let image = window(source)?;
    let rows = tiling.strip_rows(source.info().width);
    let mut statistics = ColourSums::new();
    for strip in strips(image, rows) {
        workspace.at("reading", strip.top as u64, image.height as u64);
        let pixels = read(source, strip)?;
        statistics.add(pixels.view());
        write_colours(to, strip, pixels.view()).map_err(|error| unkept(&workspace.folder, &error))?;
    }
    let statistics = statistics.finish();
    for strip in strips(image, rows).filter(|_| normalize) {
        workspace.at("normalize", strip.top as u64, image.height as u64);
        let bytes = to.read(strip).map_err(|error| unkept(&workspace.folder, &error))?;
        let pixels = plane(bytes.as_chunks().0.to_vec(), strip)?;
        let moved = transfer(pixels.view(), &statistics);
        write_colours(to, strip, moved.view()).map_err(|error| unkept(&workspace.folder, &error))?;
    }
    Ok(())
}

fn read(source: &dyn Source, rows: Window) -> Result<Plane<[u8; 3]>, NucleiError> {
    let pixels = as_colour(source, read_rows(source, rows)?)?;
    let view =
        colour(&pixels).ok_or_else(|| NucleiError::internal("a colour image without colour pixels"))?;
    Ok(view.to_plane())
}

/// Colours of 8 bits as they are, without a copy; other pixels converted to them.
pub(crate) fn as_colour(source: &dyn Source, image: Dense) -> Result<Dense, NucleiError> {
    if image.channels() == 3 && image.as_u8().is_some() {
        return Ok(image);
    }
    rgb8(&image).map_err(|error| no_colours(source, &error))
}

fn no_colours(source: &dyn Source, error: &RegionError) -> NucleiError {
    let message =
        Diagnostic::error(format!("the {} image has pixels that are not colours", source.info().format));
    let message = match error {
        RegionError::Range { found } => message.expected_found("numbers from 0 to 1", found.to_string()),
        other => message.with_why(other.to_string()),
    };
    message.with_hint("convert it to 8 bits per channel, or divide by its largest value").into()
}

/// Colours normalized to the target by their own statistics.
pub(crate) fn normalized(image: View<'_, [u8; 3]>) -> Plane<[u8; 3]> {
    let mut statistics = ColourSums::new();
    statistics.add(image);
    transfer(image, &statistics.finish())
}
