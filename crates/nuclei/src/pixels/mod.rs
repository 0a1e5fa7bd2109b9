//! The pixels of one whole image: read strip by strip, since a read is bounded, and held in memory or on a disk.

mod buffer;
mod colours;
mod layers;

use onceflow_kernels::Window;
use onceflow_region::{Bounds, Dense, Pixels, Source};

pub(crate) use buffer::PixelBuffer;
pub(crate) use colours::{COLOURS, MASK, as_colour, copy_colours, normalized, read_colours};
pub(crate) use layers::{ImageLayers, plane, read_drawn};

use crate::NucleiError;

/// Pixels of one strip: below the bound of one read.
const STRIP: u64 = 1 << 25;

/// All pixels of an image. The caller reserves the memory.
pub(crate) fn read_whole(source: &dyn Source) -> Result<Dense, NucleiError> {
    read_in_strips(source, STRIP)
}

/// The window of a whole image.
pub(crate) fn window(source: &dyn Source) -> Result<Window, NucleiError> {
    let info = source.info();
    let sides = usize::try_from(info.width).ok().zip(usize::try_from(info.height).ok());
    let sides = sides.filter(|(width, height)| width.checked_mul(*height).is_some());
    let (width, height) =
        sides.ok_or_else(|| NucleiError::internal("an image with more pixels than addresses"))?;
    Ok(Window { left: 0, top: 0, width, height })
}

/// Some rows of an image.
pub(crate) fn read_rows(source: &dyn Source, rows: Window) -> Result<Dense, NucleiError> {
    read_strip(source, rows.top as u64, rows.height as u64)
}

fn read_in_strips(source: &dyn Source, pixels: u64) -> Result<Dense, NucleiError> {
    let info = source.info();
    let rows = (pixels / info.width.max(1)).max(1);
    let mut strips = strips(info.height, rows).map(|(top, rows)| read_strip(source, top, rows));
    let first = strips.next().ok_or_else(|| NucleiError::internal("an image without rows"))??;
    if rows >= info.height {
        return Ok(first);
    }
    let (width, channels) = (first.width(), first.channels());
    let mut all = first.into_pixels();
    for strip in strips {
        append(&mut all, strip?.into_pixels())?;
    }
    let height = usize::try_from(info.height).unwrap_or(usize::MAX);
    Dense::new(width, height, channels, all).map_err(|error| NucleiError::internal(error.to_string()))
}

/// First row and number of rows of each strip.
fn strips(height: u64, rows: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..height.div_ceil(rows)).map(move |strip| (strip * rows, rows.min(height - strip * rows)))
}

fn read_strip(source: &dyn Source, top: u64, rows: u64) -> Result<Dense, NucleiError> {
    let bounds = i64::try_from(top).ok().and_then(|top| Bounds::plane(0, top, source.info().width, rows));
    let bounds = bounds.ok_or_else(|| NucleiError::internal("an image beyond 2^63 rows"))?;
    Ok(source.read(bounds)?)
}

fn append(all: &mut Pixels, strip: Pixels) -> Result<(), NucleiError> {
    match (all, strip) {
        (Pixels::U8(all), Pixels::U8(strip)) => all.extend(strip),
        (Pixels::U16(all), Pixels::U16(strip)) => all.extend(strip),
        (Pixels::U32(all), Pixels::U32(strip)) => all.extend(strip),
        (Pixels::I32(all), Pixels::I32(strip)) => all.extend(strip),
        (Pixels::F32(all), Pixels::F32(strip)) => all.extend(strip),
        (Pixels::F64(all), Pixels::F64(strip)) => all.extend(strip),
        (Pixels::I8(all), Pixels::I8(strip)) => all.extend(strip),
        (Pixels::I16(all), Pixels::I16(strip)) => all.extend(strip),
        (Pixels::I64(all), Pixels::I64(strip)) => all.extend(strip),
        (Pixels::U64(all), Pixels::U64(strip)) => all.extend(strip),
        _ => return Err(NucleiError::internal("strips of an image with different pixels")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_images::{open_image, open_labels};

    #[test]
    fn strips_make_the_whole_image() {
        let name = "synth:50x37?seed=3";
        for source in [open_image(name), open_labels(name)] {
            let whole = source.read(source.info().bounds().unwrap()).unwrap();
            for pixels in [1, 50, 51, 500, 50 * 36, 50 * 37, 1 << 20] {
                assert_eq!(read_in_strips(source.as_ref(), pixels).unwrap(), whole, "{pixels}");
            }
        }
    }
}
