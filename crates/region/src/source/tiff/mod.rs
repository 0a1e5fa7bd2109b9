//! TIFF files in strips or tiles. Only those that the box touches are decoded.
//!
//! Alpha is dropped. The first image of a file with several is read.

mod header;
mod layout;

use tiff::TiffError;
use tiff::decoder::{Decoder, DecodingResult, Limits};

use super::origin::{Origin, Reader};
use super::{ImageInfo, Scale, Source, SourceError, check_read};
use crate::{Bounds, Dense, Digest, Element, Pixels};
use layout::Layout;

/// The most bytes of one strip or tile, decoded.
const CHUNK_LIMIT: usize = 256 << 20;

/// An open TIFF file.
#[derive(Debug)]
pub(super) struct TiffSource {
    origin: Origin,
    info: ImageInfo,
    layout: Layout,
}

impl TiffSource {
    pub(super) fn open(origin: Origin) -> Result<TiffSource, SourceError> {
        header::check(&origin)?;
        let mut decoder = decoder(&origin)?;
        let layout = Layout::of(&origin, &mut decoder)?;
        let (width, height) = decoder.dimensions().map_err(|error| broken(&origin, error))?;
        let (width, height) = (u64::from(width), u64::from(height));
        let info = ImageInfo {
            format: "tiff".into(),
            width,
            height,
            channels: if layout.samples == 1 { 1 } else { 3 },
            element: layout.element,
            um_per_pixel: layout::resolution(&mut decoder),
            scales: vec![Scale { width, height, downsample: 1.0 }],
        };
        Ok(TiffSource { origin, info, layout })
    }
}

impl Source for TiffSource {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let [x, y, width, height] = check_read(self.origin.name(), &self.info, &bounds)?;
        let channels = self.info.channels as usize;
        let mut decoder = decoder(&self.origin)?;
        let mut target = Target {
            columns: x..x + width,
            rows: y..y + height,
            channels,
            pixels: zeros(self.info.element, width * height * channels),
        };
        for chunk in self.layout.touched(x..x + width, y..y + height) {
            let values = decoder.read_chunk(chunk.index).map_err(|error| broken(&self.origin, error))?;
            let pitch = decoder.chunk_data_dimensions(chunk.index).0 as usize;
            let place = Place { x: chunk.x, y: chunk.y, pitch, samples: self.layout.samples };
            target.take(&place, values).ok_or_else(|| broken(&self.origin, TiffError::LimitsExceeded))?;
        }
        Dense::new(width, height, channels, target.pixels).map_err(|error| SourceError::Region {
            file: self.origin.name().to_owned(),
            error: Box::new(error),
        })
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        self.origin.digest()
    }
}

fn decoder(origin: &Origin) -> Result<Decoder<Reader>, SourceError> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = CHUNK_LIMIT;
    limits.intermediate_buffer_size = CHUNK_LIMIT;
    let decoder = Decoder::new(origin.reader()?).map_err(|error| broken(origin, error))?;
    Ok(decoder.with_limits(limits))
}

fn broken(origin: &Origin, error: TiffError) -> SourceError {
    let todo = "copy or export the file again";
    match error {
        TiffError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => origin.content(
            "a whole TIFF image",
            format!("{} bytes, where it ends too early", origin.length()),
            todo,
        ),
        TiffError::IoError(error) => origin.content("a TIFF image", error.to_string(), todo),
        TiffError::LimitsExceeded | TiffError::IntSizeError => {
            let expected = format!("strips or tiles of at most {CHUNK_LIMIT} bytes");
            origin.content(&expected, "a larger one", "save the image in tiles")
        }
        TiffError::UnsupportedError(error) => {
            let todo = "export it as 8-bit RGB or grey, uncompressed or with LZW or deflate";
            origin.content("a TIFF image that we read", error.to_string(), todo)
        }
        other => origin.content("a TIFF image", other.to_string(), todo),
    }
}

fn zeros(element: Element, values: usize) -> Pixels {
    match element {
        Element::U8 => Pixels::U8(vec![0; values]),
        Element::U16 => Pixels::U16(vec![0; values]),
        Element::I32 => Pixels::I32(vec![0; values]),
        Element::U32 => Pixels::U32(vec![0; values]),
        Element::F32 => Pixels::F32(vec![0.0; values]),
        Element::F64 => Pixels::F64(vec![0.0; values]),
    }
}

/// Where the values of a strip or tile lie in the image.
struct Place {
    x: usize,
    y: usize,
    pitch: usize,
    samples: usize,
}

/// The pixels of the box.
struct Target {
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
    channels: usize,
    pixels: Pixels,
}

impl Target {
    /// Copies what a strip or tile holds of the box; none when its type is not the one that the file states.
    fn take(&mut self, place: &Place, values: DecodingResult) -> Option<()> {
        let (columns, rows, channels) = (self.columns.clone(), self.rows.clone(), self.channels);
        let cut = Cut { columns, rows, channels };
        match (&mut self.pixels, values) {
            (Pixels::U8(pixels), DecodingResult::U8(values)) => cut.copy(place, &values, pixels),
            (Pixels::U16(pixels), DecodingResult::U16(values)) => cut.copy(place, &values, pixels),
            (Pixels::I32(pixels), DecodingResult::I32(values)) => cut.copy(place, &values, pixels),
            (Pixels::U32(pixels), DecodingResult::U32(values)) => cut.copy(place, &values, pixels),
            (Pixels::F32(pixels), DecodingResult::F32(values)) => cut.copy(place, &values, pixels),
            (Pixels::F64(pixels), DecodingResult::F64(values)) => cut.copy(place, &values, pixels),
            _ => None,
        }
    }
}

/// The box without its pixels.
struct Cut {
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
    channels: usize,
}

impl Cut {
    fn copy<T: Copy>(&self, place: &Place, values: &[T], pixels: &mut [T]) -> Option<()> {
        let left = self.columns.start.max(place.x);
        let right = self.columns.end.min(place.x + place.pitch);
        let lines = values.chunks_exact(place.pitch * place.samples);
        for (line, row) in lines.zip(place.y..).filter(|(_, row)| self.rows.contains(row)) {
            let from = line.get((left - place.x) * place.samples..(right - place.x) * place.samples)?;
            let start = (row - self.rows.start) * self.columns.len() + left - self.columns.start;
            let to = pixels.get_mut(start * self.channels..(start + right - left) * self.channels)?;
            if self.channels == place.samples {
                to.copy_from_slice(from);
                continue;
            }
            for (to, from) in to.chunks_exact_mut(self.channels).zip(from.chunks_exact(place.samples)) {
                to.copy_from_slice(&from[..self.channels]);
            }
        }
        Some(())
    }
}
