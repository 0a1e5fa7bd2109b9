//! Reading a whole image: strip by strip, since one read is bounded.

use onceflow_region::{Bounds, Dense, Pixels, Source};

use crate::EngineError;
use crate::image::unreadable;

/// Pixels of one strip: below what synthetic tissue paints at once and what one read may decode.
const STRIP: u64 = 1 << 26;

/// All pixels of an image. Whether they fit in memory is the caller's to know.
pub(crate) fn read_whole(source: &dyn Source) -> Result<Dense, EngineError> {
    read_in_strips(source, STRIP)
}

fn read_in_strips(source: &dyn Source, pixels: u64) -> Result<Dense, EngineError> {
    let info = source.info();
    let rows = (pixels / info.width.max(1)).max(1);
    let mut strips = strips(info.height, rows).map(|(top, rows)| read_strip(source, top, rows));
    let first = strips.next().ok_or_else(|| EngineError::Internal("an image without rows".into()))??;
    if rows >= info.height {
        return Ok(first);
    }
    let (width, channels) = (first.width(), first.channels());
    let mut all = first.into_pixels();
    for strip in strips {
        append(&mut all, strip?.into_pixels())?;
    }
    let height = usize::try_from(info.height).unwrap_or(usize::MAX);
    Dense::new(width, height, channels, all).map_err(|error| EngineError::Internal(error.to_string()))
}

/// First row and number of rows of each strip.
fn strips(height: u64, rows: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..height.div_ceil(rows)).map(move |strip| (strip * rows, rows.min(height - strip * rows)))
}

fn read_strip(source: &dyn Source, top: u64, rows: u64) -> Result<Dense, EngineError> {
    let bounds = i64::try_from(top).ok().and_then(|top| Bounds::plane(0, top, source.info().width, rows));
    let bounds = bounds.ok_or_else(|| EngineError::Internal("an image beyond 2^63 rows".into()))?;
    source.read(bounds).map_err(unreadable)
}

fn append(all: &mut Pixels, strip: Pixels) -> Result<(), EngineError> {
    match (all, strip) {
        (Pixels::U8(all), Pixels::U8(strip)) => all.extend(strip),
        (Pixels::U16(all), Pixels::U16(strip)) => all.extend(strip),
        (Pixels::U32(all), Pixels::U32(strip)) => all.extend(strip),
        _ => return Err(EngineError::Internal("strips of an image with different pixels".into())),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{open_image, open_labels};

    #[test]
    fn strips_make_the_whole_image() {
        let name = "synth:50x37?seed=3";
        for source in [open_image(name, "".as_ref()).unwrap(), open_labels(name, "".as_ref()).unwrap()] {
            let whole = source.read(source.info().bounds().unwrap()).unwrap();
            for pixels in [1, 50, 51, 500, 50 * 36, 50 * 37, 1 << 20] {
                assert_eq!(read_in_strips(source.as_ref(), pixels).unwrap(), whole, "{pixels}");
            }
        }
    }
}
