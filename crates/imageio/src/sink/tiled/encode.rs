//! The bytes of one tile: padded to its full size, and compressed.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use jpeg_encoder::{ColorType, SamplingFactor};
use onceflow_region::{Bounds, Dense, Element, Pixels};

use super::{TiffCompression, TiffForm, failed, form_error};
use crate::pyramid::{SinkError, TileEncoder};

/// Encodes tiles of one form.
pub(super) struct TiffTileEncoder {
    pub(super) file: String,
    pub(super) form: TiffForm,
}

impl TileEncoder for TiffTileEncoder {
    fn encode(&self, _: usize, _: Bounds, pixels: &Dense) -> Result<Vec<u8>, SinkError> {
        let (side, channels) = (self.form.tile as usize, pixels.channels());
        let pixel = channels * pixels.element().bytes() as usize;
        let mut bytes =
            padded(little_endian(pixels.pixels()), [pixels.width(), pixels.height()], side, pixel);
        match self.form.compression {
            TiffCompression::None => Ok(bytes),
            TiffCompression::Jpeg(quality) => self.jpeg(&bytes, channels, quality),
            TiffCompression::Deflate => {
                let predictor = TilePredictor::of(pixels.element());
                bytes
                    .chunks_exact_mut(side * pixel)
                    .for_each(|row| predictor.apply(row, channels, pixels.element()));
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(LEVEL));
                encoder
                    .write_all(&bytes)
                    .and_then(|()| encoder.finish())
                    .map_err(|error| failed(&self.file, error))
            }
        }
    }
}

/// Tissue hardly becomes smaller by more effort, which takes twice as long.
const LEVEL: u32 = 4;

impl TiffTileEncoder {
    fn jpeg(&self, bytes: &[u8], channels: usize, quality: u8) -> Result<Vec<u8>, SinkError> {
        let (mut stream, side) = (Vec::new(), self.form.tile as u16);
        let mut encoder = jpeg_encoder::Encoder::new(&mut stream, quality);
        encoder.set_sampling_factor(match subsampling(quality) {
            2 => SamplingFactor::F_2_2,
            _ => SamplingFactor::F_1_1,
        });
        let colours = if channels == 1 { ColorType::Luma } else { ColorType::Rgb };
        let encoded = encoder.encode(bytes, side, side, colours);
        encoded.map_err(|error| {
            form_error(&self.file, "a tile that JPEG can hold", error.to_string(), "choose deflate")
        })?;
        Ok(stream)
    }
}

/// How many pixels share a colour along each side: two where quality is not what matters most.
pub(super) fn subsampling(quality: u8) -> u16 {
    if quality < 90 { 2 } else { 1 }
}

/// How values are changed before they are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TilePredictor {
    /// Not at all: some readers know no differences of 64 bits.
    None = 1,
    /// Each value becomes the difference to the one to its left.
    Horizontal = 2,
    /// The same over the bytes of real numbers, sorted by their weight.
    Floating = 3,
}

impl TilePredictor {
    pub(super) fn of(element: Element) -> TilePredictor {
        match element {
            Element::I64 | Element::U64 => TilePredictor::None,
            Element::F32 | Element::F64 => TilePredictor::Floating,
            _ => TilePredictor::Horizontal,
        }
    }

    fn apply(self, row: &mut [u8], channels: usize, element: Element) {
        match (self, element.bytes()) {
            (TilePredictor::None, _) => {}
            (TilePredictor::Floating, bytes) => {
                sort(row, bytes as usize);
                subtract_bytes(row, channels);
            }
            (TilePredictor::Horizontal, 1) => subtract_bytes(row, channels),
            (TilePredictor::Horizontal, 2) => subtract::<2>(row, channels, |a, b| {
                u16::from_le_bytes(a).wrapping_sub(u16::from_le_bytes(b)).to_le_bytes()
            }),
            (TilePredictor::Horizontal, _) => subtract::<4>(row, channels, |a, b| {
                u32::from_le_bytes(a).wrapping_sub(u32::from_le_bytes(b)).to_le_bytes()
            }),
        }
    }
}

fn subtract_bytes(row: &mut [u8], channels: usize) {
    for at in (channels..row.len()).rev() {
        row[at] = row[at].wrapping_sub(row[at - channels]);
    }
}

fn subtract<const N: usize>(row: &mut [u8], channels: usize, minus: impl Fn([u8; N], [u8; N]) -> [u8; N]) {
    let (values, _) = row.as_chunks_mut::<N>();
    for at in (channels..values.len()).rev() {
        values[at] = minus(values[at], values[at - channels]);
    }
}

/// Bytes of the highest weight come first, then those of the next.
fn sort(row: &mut [u8], value: usize) {
    let numbers = row.to_vec();
    let count = numbers.len() / value;
    for (at, number) in numbers.chunks_exact(value).enumerate() {
        for (weight, byte) in number.iter().rev().enumerate() {
            row[weight * count + at] = *byte;
        }
    }
}

/// A square tile: what lies beyond the image repeats its last column and row, which costs the fewest bytes.
fn padded(bytes: Vec<u8>, [width, height]: [usize; 2], side: usize, pixel: usize) -> Vec<u8> {
    if [width, height] == [side, side] {
        return bytes;
    }
    let mut tile = Vec::with_capacity(side * side * pixel);
    for row in bytes.chunks_exact((width * pixel).max(1)) {
        tile.extend_from_slice(row);
        let last = &row[row.len() - pixel..];
        (width..side).for_each(|_| tile.extend_from_slice(last));
    }
    let last = tile.len().saturating_sub(side * pixel);
    (height..side).for_each(|_| tile.extend_from_within(last..last + side * pixel));
    tile
}

/// The bytes of all values, the lowest of each first.
fn little_endian(pixels: &Pixels) -> Vec<u8> {
    let mut bytes = pixels.as_bytes().to_vec();
    if cfg!(target_endian = "big") {
        bytes.chunks_exact_mut(pixels.element().bytes() as usize).for_each(<[u8]>::reverse);
    }
    bytes
}
