//! Pictures that are written from the top, some rows at a time, because they are not in memory.

use std::io::{self, Write};

use onceflow_region::Pixels;
use png::{BitDepth, ColorType, Encoder, EncodingError};

/// The size of a picture and what its pixels are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// What its pixels are.
    pub kind: PictureKind,
}

/// What the pixels of a picture are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureKind {
    /// 8-bit grey, from bytes.
    Grey,
    /// 8-bit colours, from three bytes for each pixel.
    Colour,
    /// Numbers of objects, from `u32`: 16 bits in a PNG, 32 in a TIFF.
    Labels,
}

/// Takes the next rows of a picture, one or more.
pub type TakeRows<'a> = dyn FnMut(&Pixels) -> io::Result<()> + 'a;

/// The most that a label of a PNG can be.
pub const PNG_LABELS: u64 = u16::MAX as u64;

/// Writes a PNG file; `rows` gives all pixels, from the top. How many rows come at once changes nothing in the file.
///
/// # Errors
/// When the file cannot be written, no PNG can be of that size or hold a label, or rows are missing.
pub fn write_png(
    mut to: impl Write,
    picture: Picture,
    rows: impl FnOnce(&mut TakeRows<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = Encoder::new(&mut to, side(picture.width)?, side(picture.height)?);
    let (color, depth) = match picture.kind {
        PictureKind::Grey => (ColorType::Grayscale, BitDepth::Eight),
        PictureKind::Colour => (ColorType::Rgb, BitDepth::Eight),
        PictureKind::Labels => (ColorType::Grayscale, BitDepth::Sixteen),
    };
    encoder.set_color(color);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().map_err(failed)?;
    let mut stream = writer.stream_writer().map_err(failed)?;
    rows(&mut |pixels| match (pixels, picture.kind) {
        (Pixels::U8(values), PictureKind::Grey | PictureKind::Colour) => stream.write_all(values),
        (Pixels::U32(labels), PictureKind::Labels) => stream.write_all(&wide(labels)?),
        _ => Err(other_pixels()),
    })?;
    stream.finish().map_err(failed)?;
    writer.finish().map_err(failed)?;
    to.flush()
}

/// Labels as a PNG has them.
fn wide(labels: &[u32]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(labels.len() * 2);
    for &label in labels {
        let label = u16::try_from(label).map_err(|_| invalid("a PNG has labels up to 65535"))?;
        bytes.extend(label.to_be_bytes());
    }
    Ok(bytes)
}

/// A side of a picture as files say it.
pub(super) fn side(side: u64) -> io::Result<u32> {
    let side = u32::try_from(side).ok().filter(|side| (1..1 << 31).contains(side));
    side.ok_or_else(|| invalid("a picture has 1 to 2^31 - 1 columns and rows"))
}

pub(super) fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

pub(super) fn other_pixels() -> io::Error {
    invalid("rows of other pixels than the picture's")
}

fn failed(error: EncodingError) -> io::Error {
    match error {
        EncodingError::IoError(error) => error,
        error => io::Error::other(error),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use onceflow_region::Dense;

    use super::*;
    use crate::open_bytes;

    /// A picture of each kind, 7 x 5 pixels.
    pub(in crate::sink) fn pictures() -> [(Picture, Pixels); 3] {
        let of = |kind| Picture { width: 7, height: 5, kind };
        let bytes = |values: usize| Pixels::U8((0..values).map(|at| (at * 37 % 256) as u8).collect());
        let labels = Pixels::U32((0..35).map(|at| at * 1871 % 65536).collect());
        [
            (of(PictureKind::Grey), bytes(35)),
            (of(PictureKind::Colour), bytes(105)),
            (of(PictureKind::Labels), labels),
        ]
    }

    /// So many rows of it at once.
    pub(in crate::sink) fn give(pixels: &Pixels, rows: usize, take: &mut TakeRows<'_>) -> io::Result<()> {
        let length = pixels.len() / 5;
        (0..5usize)
            .step_by(rows)
            .try_for_each(|top| take(&pixels.cut(top * length, length, rows.min(5 - top), length)))
    }

    fn read(bytes: Vec<u8>) -> Dense {
        let source = open_bytes("rows.png", bytes).unwrap();
        source.read(source.info().bounds().unwrap()).unwrap()
    }

    #[test]
    fn rows_make_the_picture_however_many_come_at_once() {
        for (picture, pixels) in pictures() {
            let written = [1, 2, 5].map(|rows| {
                let mut bytes = Vec::new();
                write_png(&mut bytes, picture, |take| give(&pixels, rows, take)).unwrap();
                bytes
            });
            assert!(written[0] == written[1] && written[1] == written[2]);
            let read = read(written[0].clone());
            let narrow = |labels: &[u32]| labels.iter().map(|label| *label as u16).collect();
            let expected = match pixels {
                Pixels::U32(labels) => Pixels::U16(narrow(&labels)),
                pixels => pixels,
            };
            assert_eq!((read.width(), read.height(), read.pixels()), (7, 5, &expected));
        }
    }

    #[test]
    fn what_is_missing_or_too_large_is_said() {
        let [(grey, pixels), _, (labels, _)] = pictures();
        for (width, height) in [(7, 6), (0, 5), (1 << 31, 5)] {
            let picture = Picture { width, height, ..grey };
            assert!(write_png(Vec::new(), picture, |take| give(&pixels, 2, take)).is_err());
        }
        assert!(write_png(Vec::new(), labels, |take| give(&pixels, 2, take)).is_err(), "bytes are no labels");
        let one = Picture { width: 1, height: 1, kind: PictureKind::Labels };
        assert!(write_png(Vec::new(), one, |take| take(&Pixels::U32(vec![65536]))).is_err());
    }
}
