//! PNG files as sinks of one scale: bands of rows, from the top.

use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};

use onceflow_region::{Bounds, Dense, Element, Pixels};
use png::{BitDepth, ColorType, EncodingError, PixelDimensions, StreamWriter, Unit};

use super::rows::side;
use crate::pyramid::{Pyramid, ScaleSink, SinkError, TileEncoder};

/// A PNG file that takes the whole image of a pyramid.
pub struct PngScales<W: Write + 'static> {
    file: String,
    stream: StreamWriter<'static, SharedWriter<W>>,
    to: SharedWriter<W>,
    tile: [u64; 2],
}

/// About the bytes of a band of rows: as large as memory allows, since tiles of a source are decoded again for each band.
const BAND: u64 = 32 << 20;

/// Rows of a band.
const FEWEST: u64 = 128;
const MOST: u64 = 2048;

impl<W: Write + Send + 'static> PngScales<W> {
    /// Columns and rows of the bands that an image with these columns is written in.
    pub fn band(width: u64, channels: usize, element: Element) -> [u64; 2] {
        let row = width.saturating_mul(channels as u64).saturating_mul(element.bytes()).max(1);
        [width, (BAND / row).clamp(FEWEST, MOST).next_multiple_of(2)]
    }

    /// Begins a file; errors call it by the name given.
    ///
    /// # Errors
    /// When PNG has no such image, or the file cannot be written.
    pub fn new(to: W, file: &str, pyramid: &Pyramid) -> Result<PngScales<W>, SinkError> {
        let [width, height] = pyramid.scales.first().copied().unwrap_or_default();
        let (colours, depth) = form(file, pyramid)?;
        let to = SharedWriter(Arc::new(Mutex::new(BufWriter::new(to))));
        let sides = side(width).and_then(|width| Ok((width, side(height)?)));
        let (across, down) = sides.map_err(|error| SinkError::Write { file: file.to_owned(), error })?;
        let mut encoder = png::Encoder::new(to.clone(), across, down);
        encoder.set_color(colours);
        encoder.set_depth(depth);
        encoder.set_pixel_dims(pyramid.um_per_pixel.and_then(per_metre));
        let stream = encoder.write_header().and_then(png::Writer::into_stream_writer);
        let stream = stream.map_err(|error| failed(file, error))?;
        let tile = Self::band(width, pyramid.channels, pyramid.element);
        Ok(PngScales { file: file.to_owned(), stream, to, tile })
    }
}

impl<W: Write + Send + 'static> ScaleSink for PngScales<W> {
    fn tile(&self) -> [u64; 2] {
        self.tile
    }

    fn encoder(&self) -> Arc<dyn TileEncoder> {
        Arc::new(PngTileEncoder { file: self.file.clone() })
    }

    fn put(&mut self, _: usize, _: Bounds, encoded: Vec<u8>) -> Result<(), SinkError> {
        let written = self.stream.write_all(&encoded);
        written.map_err(|error| SinkError::Write { file: self.file.clone(), error })
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        let Self { file, stream, to, .. } = *self;
        stream.finish().map_err(|error| failed(&file, error))?;
        to.lock().flush().map_err(|error| SinkError::Write { file, error })
    }
}

/// Values as a PNG has them, the highest byte first.
struct PngTileEncoder {
    file: String,
}

impl TileEncoder for PngTileEncoder {
    fn encode(&self, _: usize, _: Bounds, pixels: &Dense) -> Result<Vec<u8>, SinkError> {
        match pixels.pixels() {
            Pixels::U8(values) => Ok(values.clone()),
            Pixels::U16(values) => Ok(values.iter().flat_map(|value| value.to_be_bytes()).collect()),
            Pixels::U32(labels) => {
                let narrow = |label: &u32| u16::try_from(*label).map_err(|_| self.too_large(*label));
                let narrow = labels.iter().map(narrow).collect::<Result<Vec<u16>, _>>()?;
                Ok(narrow.into_iter().flat_map(u16::to_be_bytes).collect())
            }
            other => Err(no_form(&self.file, pixels.channels(), other.element())),
        }
    }
}

impl PngTileEncoder {
    fn too_large(&self, label: u32) -> SinkError {
        SinkError::Form {
            file: self.file.clone(),
            expected: "labels up to 65535 in a PNG".into(),
            found: label.to_string(),
            todo: "name it .tif, which has 32 bits",
        }
    }
}

fn form(file: &str, pyramid: &Pyramid) -> Result<(ColorType, BitDepth), SinkError> {
    match (pyramid.channels, pyramid.element) {
        (1, Element::U8) => Ok((ColorType::Grayscale, BitDepth::Eight)),
        (3, Element::U8) => Ok((ColorType::Rgb, BitDepth::Eight)),
        (1, Element::U16 | Element::U32) => Ok((ColorType::Grayscale, BitDepth::Sixteen)),
        (3, Element::U16) => Ok((ColorType::Rgb, BitDepth::Sixteen)),
        (channels, element) => Err(no_form(file, channels, element)),
    }
}

fn no_form(file: &str, channels: usize, element: Element) -> SinkError {
    SinkError::Form {
        file: file.to_owned(),
        expected: "grey or colours of 8 or 16 bits, or labels, in a PNG".into(),
        found: format!("{channels} channel(s) of {element}"),
        todo: "name it .tif, which has all kinds of numbers",
    }
}

/// Pixels per metre, as PNG says it.
fn per_metre(um_per_pixel: f64) -> Option<PixelDimensions> {
    let pixels = (1e6 / um_per_pixel).round();
    let pixels = (1.0..f64::from(u32::MAX)).contains(&pixels).then_some(pixels as u32)?;
    Some(PixelDimensions { xppu: pixels, yppu: pixels, unit: Unit::Meter })
}

fn failed(file: &str, error: EncodingError) -> SinkError {
    let error = match error {
        EncodingError::IoError(error) => error,
        error => io::Error::other(error),
    };
    SinkError::Write { file: file.to_owned(), error }
}

/// What is written to, kept beside the encoder: the encoder does not say whether its last bytes could be written.
struct SharedWriter<W: Write>(Arc<Mutex<BufWriter<W>>>);

impl<W: Write> SharedWriter<W> {
    fn lock(&self) -> std::sync::MutexGuard<'_, BufWriter<W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write> Clone for SharedWriter<W> {
    fn clone(&self) -> Self {
        SharedWriter(Arc::clone(&self.0))
    }
}

impl<W: Write> Write for SharedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().flush()
    }
}
