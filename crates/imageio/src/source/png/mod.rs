//! PNG files. Rows are decoded one by one and only those of the box are kept; interlaced files need the whole image.
//!
//! Alpha is dropped, palettes become colours, and grey values of fewer than 8 bits are spread over 8.

mod checksums;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use onceflow_region::source::{check_read, dense};
use onceflow_region::{
    Access, Bounds, Dense, Details, Digest, Element, ImageInfo, ImageScale, Pixels, READ_LIMIT, Source,
    SourceError, size_words,
};
use png::{BitDepth, ColorType, Decoder, DecodingError, Limits, PixelDimensions, Transformations, Unit};

use checksums::{ChunkError, check_chunks};

use crate::origin::{ByteOrigin, OriginReader};
use crate::resolution::{METRE, um_per_pixel};

/// Bytes that the decoder may take beside what we keep; one row must fit.
const DECODER_BYTES: usize = 64 << 20;

/// No deflate stream grows by more than this; a file that states more pixels is cut off or wrong.
const MOST_GROWTH: u64 = 1032;

/// What helps with a damaged file.
const TODO: &str = "copy or export the file again";

/// An open PNG file.
#[derive(Debug)]
pub(super) struct PngSource {
    origin: ByteOrigin,
    info: ImageInfo,
    /// Values per pixel in the file, with alpha.
    samples: usize,
    interlaced: bool,
    /// Whether a read has found all checksums of the file right.
    verified: AtomicBool,
    /// Where the last read ended, for the next one that begins below.
    ahead: Mutex<Option<Ahead>>,
}

/// A decoder and the row it gives next: an image that is read in strips is decoded once rather than once for each.
struct Ahead {
    decoder: png::Reader<OriginReader>,
    next: usize,
}

impl std::fmt::Debug for Ahead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ahead(row {})", self.next)
    }
}

impl PngSource {
    pub(super) fn open(origin: ByteOrigin) -> Result<PngSource, SourceError> {
        let decoder = decoder(&origin)?;
        let (color, depth) = decoder.output_color_type();
        let header = decoder.info();
        check_length(&origin, header)?;
        let (width, height) = (u64::from(header.width), u64::from(header.height));
        let info = ImageInfo {
            format: "png".into(),
            width,
            height,
            channels: if matches!(color, ColorType::Grayscale | ColorType::GrayscaleAlpha) { 1 } else { 3 },
            element: if depth == BitDepth::Sixteen { Element::U16 } else { Element::U8 },
            um_per_pixel: header.pixel_dims.and_then(resolution),
            scales: vec![ImageScale::whole(width, height)],
            details: Details { compression: Some("deflate".into()), ..Details::default() },
        };
        let (samples, interlaced) = (color.samples(), header.interlaced);
        let (verified, ahead) = (AtomicBool::new(false), Mutex::new(None));
        Ok(PngSource { origin, info, samples, interlaced, verified, ahead })
    }

    fn rows(&self, kept: &mut KeptRows) -> Result<Ahead, DecodingError> {
        let mut ahead = self.ahead(kept.rows.start)?;
        if self.interlaced {
            let size = ahead.decoder.output_buffer_size().filter(|&size| size as u64 <= READ_LIMIT);
            let mut whole = vec![0; size.ok_or(DecodingError::LimitsExceeded)?];
            let line = ahead.decoder.next_frame(&mut whole)?.line_size;
            let mut rows = whole.chunks_exact(line.max(1));
            rows.try_for_each(|row| kept.row(row)).ok_or_else(ends_early)?;
        } else {
            kept.next = ahead.next;
            while !kept.is_complete() {
                let row = ahead.decoder.next_row()?.ok_or_else(ends_early)?;
                kept.row(row.data()).ok_or_else(ends_early)?;
            }
            ahead.next = kept.next;
        }
        Ok(ahead)
    }

    /// A decoder that has not passed a row: the one that is there, or a new one at the first row.
    fn ahead(&self, row: usize) -> Result<Ahead, DecodingError> {
        let there = self.ahead.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(ahead) = there.filter(|ahead| ahead.next <= row) {
            return Ok(ahead);
        }
        let decoder =
            decoder(&self.origin).map_err(|error| DecodingError::IoError(std::io::Error::other(error)))?;
        Ok(Ahead { decoder, next: 0 })
    }

    /// The first read checks the whole file, so that no pixel is served whose checksum does not hold. A decoder that has not
    /// unpacked all rows does not go on only for that.
    fn verify(&self, ahead: &mut Ahead) -> Result<(), SourceError> {
        if self.verified.load(Ordering::Relaxed) {
            return Ok(());
        }
        if self.interlaced || ahead.next as u64 >= self.info.height {
            ahead.decoder.finish().map_err(|error| broken(&self.origin, &error))?;
        } else {
            check_chunks(&mut self.origin.reader()?).map_err(|error| damaged(&self.origin, error))?;
        }
        self.verified.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Keeps a decoder for the read that begins below its last row.
    fn keep(&self, ahead: Ahead) {
        if !self.interlaced && (ahead.next as u64) < self.info.height {
            *self.ahead.lock().unwrap_or_else(PoisonError::into_inner) = Some(ahead);
        }
    }
}

impl Source for PngSource {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let [x, y, width, height] = check_read(self.origin.name(), &self.info, 0, &bounds)?;
        let channels = self.info.channels as usize;
        let mut kept = KeptRows {
            columns: x..x + width,
            rows: y..y + height,
            samples: self.samples,
            channels,
            next: 0,
            pixels: empty(self.info.element, width * height * channels),
        };
        let mut ahead = self.rows(&mut kept).map_err(|error| broken(&self.origin, &error))?;
        self.verify(&mut ahead)?;
        self.keep(ahead);
        dense(self.origin.name(), [width, height], channels, kept.pixels)
    }

    fn access(&self) -> Access {
        if self.interlaced { Access::Whole } else { Access::Rows }
    }

    fn reads_check_file(&self) -> bool {
        true
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        self.origin.digest()
    }
}

fn decoder(origin: &ByteOrigin) -> Result<png::Reader<OriginReader>, SourceError> {
    let mut decoder = Decoder::new_with_limits(origin.reader()?, Limits { bytes: DECODER_BYTES });
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.read_info().map_err(|error| broken(origin, &error))
}

fn check_length(origin: &ByteOrigin, header: &png::Info<'_>) -> Result<(), SourceError> {
    let row = header.raw_row_length() as u64;
    let stated = row.saturating_mul(u64::from(header.height));
    let most = origin.length().saturating_mul(MOST_GROWTH);
    if stated <= most {
        return Ok(());
    }
    let expected = format!("data for {} x {} pixels", header.width, header.height);
    let found = format!("a file of {}, which cannot hold them", size_words(origin.length()));
    Err(origin.content(&expected, found, "copy the file again"))
}

fn resolution(stated: PixelDimensions) -> Option<f64> {
    match stated.unit {
        Unit::Meter => um_per_pixel(METRE, f64::from(stated.xppu), f64::from(stated.yppu)),
        Unit::Unspecified => None,
    }
}

fn broken(origin: &ByteOrigin, error: &DecodingError) -> SourceError {
    match error {
        DecodingError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => origin.content(
            "a whole PNG image",
            format!("a file that ends too early, after {}", size_words(origin.length())),
            TODO,
        ),
        DecodingError::IoError(error) => origin.unreadable(error),
        DecodingError::LimitsExceeded => {
            let expected = format!(
                "rows of at most {}, or an interlaced image of at most {}",
                size_words(DECODER_BYTES as u64),
                size_words(READ_LIMIT)
            );
            origin.content(&expected, "a larger one", "save the image as TIFF in tiles")
        }
        other => origin.content("a PNG image", plain(&other.to_string()), TODO),
    }
}

fn damaged(origin: &ByteOrigin, error: ChunkError) -> SourceError {
    match error {
        ChunkError::Io(error) => broken(origin, &DecodingError::IoError(error)),
        ChunkError::Checksum { chunk, stated, found } => {
            let found = format!("a chunk {chunk} with checksum {found:08x} instead of {stated:08x}");
            origin.content("a PNG image", found, TODO)
        }
    }
}

/// The words of the decoder, with chunks by their names: it describes them as its own values.
fn plain(words: &str) -> String {
    if words.starts_with("Corrupt deflate stream") {
        return "pixels that cannot be unpacked: the file is damaged".into();
    }
    let Some((before, rest)) = words.split_once("ChunkType {") else { return words.to_owned() };
    let Some((chunk, after)) = rest.split_once('}') else { return words.to_owned() };
    let name = chunk.split_once("type:").map_or(chunk, |(_, name)| name);
    let name = name.split(',').next().unwrap_or_default().trim();
    format!("{before}{name}{}", plain(after))
}

fn ends_early() -> DecodingError {
    DecodingError::IoError(std::io::ErrorKind::UnexpectedEof.into())
}

fn empty(element: Element, values: usize) -> Pixels {
    match element {
        Element::U16 => Pixels::U16(Vec::with_capacity(values)),
        _ => Pixels::U8(Vec::with_capacity(values)),
    }
}

/// The pixels of the box, gathered row by row.
struct KeptRows {
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
    samples: usize,
    channels: usize,
    next: usize,
    pixels: Pixels,
}

impl KeptRows {
    fn is_complete(&self) -> bool {
        self.next >= self.rows.end
    }

    /// Takes the next row of the image; what lies outside the box is passed over. `None` when the row is too short.
    fn row(&mut self, row: &[u8]) -> Option<()> {
        let wanted = self.rows.contains(&self.next);
        self.next += 1;
        if !wanted {
            return Some(());
        }
        let bytes = if matches!(self.pixels, Pixels::U16(_)) { 2 } else { 1 };
        let (pixel, kept) = (self.samples * bytes, self.channels * bytes);
        let line = row.get(self.columns.start * pixel..self.columns.end * pixel)?;
        let colours = line.chunks_exact(pixel).flat_map(|values| &values[..kept]);
        match &mut self.pixels {
            Pixels::U8(pixels) if pixel == kept => pixels.extend_from_slice(line),
            Pixels::U8(pixels) => pixels.extend(colours),
            Pixels::U16(pixels) => {
                let wide = line.chunks_exact(pixel).flat_map(|values| values[..kept].chunks_exact(2));
                pixels.extend(wide.map(|value| u16::from_be_bytes([value[0], value[1]])));
            }
            _ => return None,
        }
        Some(())
    }
}
