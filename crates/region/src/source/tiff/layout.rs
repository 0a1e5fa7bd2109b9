//! How the pixels of a TIFF file are stored, and whether we read that.

use std::ops::Range;

use tiff::ColorType;
use tiff::decoder::Decoder;
use tiff::decoder::ifd::Value;
use tiff::tags::{CompressionMethod, PlanarConfiguration, SampleFormat, Tag};

use super::super::origin::{Origin, Reader};
use super::super::resolution::{CENTIMETRE, INCH, um_per_pixel};
use super::{SourceError, broken};
use crate::Element;

/// How the pixels are stored.
#[derive(Debug)]
pub(super) struct Layout {
    /// Columns of a strip or tile.
    width: usize,
    /// Rows of a strip or tile.
    height: usize,
    /// Strips or tiles side by side.
    across: usize,
    /// Values per pixel in the file, with alpha.
    pub(super) samples: usize,
    pub(super) element: Element,
}

/// A strip or tile.
pub(super) struct Chunk {
    pub(super) index: u32,
    /// The column of its first pixel.
    pub(super) x: usize,
    /// The row of its first pixel.
    pub(super) y: usize,
}

impl Layout {
    pub(super) fn of(origin: &Origin, decoder: &mut Decoder<Reader>) -> Result<Layout, SourceError> {
        check_storage(origin, decoder)?;
        let (samples, bits) = colours(origin, decoder)?;
        let element = element(origin, decoder, bits)?;
        let (columns, _) = decoder.dimensions().map_err(|error| broken(origin, error))?;
        let (width, height) = decoder.chunk_dimensions();
        let across = columns.div_ceil(width.max(1)) as usize;
        Ok(Layout { width: width as usize, height: height as usize, across, samples, element })
    }

    /// The strips or tiles that a box touches.
    pub(super) fn touched(&self, columns: Range<usize>, rows: Range<usize>) -> impl Iterator<Item = Chunk> {
        let (width, height, across) = (self.width, self.height, self.across);
        let down = rows.start / height..rows.end.div_ceil(height);
        let right = columns.start / width..columns.end.div_ceil(width);
        let chunk = move |row: usize, column: usize| Chunk {
            index: (row * across + column) as u32,
            x: column * width,
            y: row * height,
        };
        down.flat_map(move |row| right.clone().map(move |column| chunk(row, column)))
    }
}

/// Micrometres per pixel, when the file states them.
pub(super) fn resolution(decoder: &mut Decoder<Reader>) -> Option<f64> {
    let unit = match decoder.find_tag_unsigned::<u16>(Tag::ResolutionUnit).ok()? {
        None | Some(2) => INCH,
        Some(3) => CENTIMETRE,
        Some(_) => return None,
    };
    let mut per_unit = |tag| match decoder.find_tag(tag) {
        Ok(Some(Value::Rational(over, under))) => Some(f64::from(over) / f64::from(under)),
        _ => None,
    };
    um_per_pixel(unit, per_unit(Tag::XResolution)?, per_unit(Tag::YResolution)?)
}

fn check_storage(origin: &Origin, decoder: &mut Decoder<Reader>) -> Result<(), SourceError> {
    let mut number = |tag, default: u16| -> Result<u16, SourceError> {
        let found = decoder.find_tag_unsigned(tag).map_err(|error| broken(origin, error))?;
        Ok(found.unwrap_or(default))
    };
    let planes = number(Tag::PlanarConfiguration, PlanarConfiguration::Chunky.to_u16())?;
    let samples = number(Tag::SamplesPerPixel, 1)?;
    if planes != PlanarConfiguration::Chunky.to_u16() && samples > 1 {
        let todo = "export it with the colours of a pixel side by side";
        return Err(origin.content("colours side by side", "colours in planes of their own", todo));
    }
    let method = CompressionMethod::from_u16_exhaustive(number(Tag::Compression, 1)?);
    match method {
        CompressionMethod::None
        | CompressionMethod::LZW
        | CompressionMethod::Deflate
        | CompressionMethod::OldDeflate
        | CompressionMethod::PackBits => Ok(()),
        other => {
            let expected = "no compression, LZW, deflate or PackBits";
            Err(origin.content(expected, format!("{other:?}, which is not read yet"), "convert it with LZW"))
        }
    }
}

/// Values per pixel and their bits.
fn colours(origin: &Origin, decoder: &mut Decoder<Reader>) -> Result<(usize, u8), SourceError> {
    let color = decoder.colortype().map_err(|error| broken(origin, error))?;
    let stated =
        decoder.find_tag_unsigned::<u16>(Tag::SamplesPerPixel).map_err(|error| broken(origin, error))?;
    let (samples, bits) = match color {
        ColorType::Gray(bits) => (1, bits),
        ColorType::RGB(bits) => (3, bits),
        ColorType::RGBA(bits) => (4, bits),
        other => return Err(unsupported(origin, format!("{other:?}"))),
    };
    if usize::from(stated.unwrap_or(1)) != samples {
        return Err(unsupported(origin, format!("{color:?} with {} values per pixel", stated.unwrap_or(1))));
    }
    Ok((samples, bits))
}

fn element(origin: &Origin, decoder: &mut Decoder<Reader>, bits: u8) -> Result<Element, SourceError> {
    let formats =
        decoder.find_tag_unsigned_vec::<u16>(Tag::SampleFormat).map_err(|error| broken(origin, error))?;
    let format = formats.and_then(|formats| formats.first().copied()).unwrap_or(SampleFormat::Uint.to_u16());
    match (SampleFormat::from_u16_exhaustive(format), bits) {
        (SampleFormat::Uint, 8) => Ok(Element::U8),
        (SampleFormat::Uint, 16) => Ok(Element::U16),
        (SampleFormat::Uint, 32) => Ok(Element::U32),
        (SampleFormat::Int, 32) => Ok(Element::I32),
        (SampleFormat::IEEEFP, 32) => Ok(Element::F32),
        (SampleFormat::IEEEFP, 64) => Ok(Element::F64),
        (format, bits) => Err(unsupported(origin, format!("{format:?} of {bits} bits"))),
    }
}

fn unsupported(origin: &Origin, found: String) -> SourceError {
    origin.content("grey, RGB or RGBA values of 8, 16 or 32 bits", found, "export it as 8-bit RGB or grey")
}
