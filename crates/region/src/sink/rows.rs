//! PNG files that are written row by row, because the image is not in memory.

use std::io::{self, Write};

use png::{BitDepth, ColorType, Encoder, EncodingError};

/// Writes a PNG file of 8-bit grey; `rows` writes all pixels, row by row, into what it is given.
///
/// # Errors
/// When the file cannot be written, no PNG can be of that size, or rows are missing.
pub fn write_grey_png(
    mut to: impl Write,
    (width, height): (u64, u64),
    rows: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let side = |side: u64| u32::try_from(side).ok().filter(|side| *side > 0).ok_or_else(too_large);
    let mut encoder = Encoder::new(&mut to, side(width)?, side(height)?);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    let mut stream = writer.stream_writer().map_err(failed)?;
    rows(&mut stream)?;
    stream.finish().map_err(failed)?;
    writer.finish().map_err(failed)?;
    to.flush()
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "a PNG has 1 to 2^31 - 1 columns and rows")
}

fn failed(error: EncodingError) -> io::Error {
    match error {
        EncodingError::IoError(error) => error,
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::open_bytes;

    #[test]
    fn rows_make_the_image() {
        let pixels: Vec<u8> = (0..7 * 5).map(|at| (at * 37 % 256) as u8).collect();
        for rows in [1, 2, 5] {
            let mut bytes = Vec::new();
            let all =
                |file: &mut dyn Write| pixels.chunks(rows * 7).try_for_each(|rows| file.write_all(rows));
            write_grey_png(&mut bytes, (7, 5), all).unwrap();
            let source = open_bytes("rows.png", bytes).unwrap();
            let read = source.read(source.info().bounds().unwrap()).unwrap();
            assert_eq!((read.width(), read.height(), read.as_u8()), (7, 5, Some(pixels.as_slice())));
        }
    }

    #[test]
    fn rows_that_are_missing_are_said() {
        let two = |file: &mut dyn Write| file.write_all(&[0; 14]);
        for size in [(7, 5), (0, 5), (1 << 32, 5)] {
            assert!(write_grey_png(Vec::new(), size, two).is_err());
        }
        assert!(write_grey_png(Vec::new(), (7, 2), two).is_ok());
    }
}
