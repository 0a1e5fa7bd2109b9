//! TIFF files of tiles with all scales of an image, as viewers of slides open them.
//!
//! The scales follow each other as directories, all but the first marked as reduced images: tifffile, OpenSlide and QuPath
//! take that for a pyramid. Whether offsets have 32 or 64 bits (BigTIFF) is decided when the length is known.

mod directory;
mod encode;
mod resolution;
#[cfg(test)]
mod tests;

use std::io::{self, Seek, SeekFrom, Write};
use std::sync::Arc;

use onceflow_region::{Bounds, Element};

use crate::pyramid::{Pyramid, ScaleSink, SinkError, TileEncoder};
use directory::{DirectoryWriter, Offsets};
use encode::TiffTileEncoder;

/// How the tiles of a TIFF file are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TiffCompression {
    /// Not at all.
    None,
    /// Deflate, after differences were taken: no pixel changes.
    Deflate,
    /// JPEG with a quality from 1 to 100, for 8 bits: small, but pixels change.
    Jpeg(u8),
}

/// How a TIFF file is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TiffForm {
    /// Columns and rows of a tile: a multiple of 16.
    pub tile: u64,
    /// How tiles are compressed.
    pub compression: TiffCompression,
}

/// A TIFF file that takes the scales of an image.
#[derive(Debug)]
pub struct TiffScales<W> {
    to: W,
    file: String,
    /// Where the next tile is written.
    at: u64,
    form: TiffForm,
    pyramid: Pyramid,
    /// Where the tiles of each scale are.
    places: Vec<Vec<(u64, u64)>>,
    /// Beyond this offset only BigTIFF reaches.
    classic: u64,
}

/// Room for the longer of the two headers.
const HEADER: u64 = 16;

/// The largest tile: readers decode one at a time.
const LARGEST_TILE: u64 = 4096;

/// The most tiles of one scale.
const MOST_TILES: u64 = 1 << 26;

impl<W: Write + Seek + Send> TiffScales<W> {
    /// Begins a file; errors call it by the name given.
    ///
    /// # Errors
    /// When TIFF has no such image, or the file cannot be written.
    pub fn new(mut to: W, file: &str, pyramid: &Pyramid, form: TiffForm) -> Result<TiffScales<W>, SinkError> {
        check(file, pyramid, form)?;
        to.write_all(&[0; HEADER as usize]).map_err(|error| failed(file, error))?;
        let tiles = |size: &[u64; 2]| size.map(|side| side.div_ceil(form.tile)).iter().product::<u64>();
        let places = pyramid.scales.iter().map(|size| vec![(0, 0); tiles(size) as usize]).collect();
        let (file, pyramid) = (file.to_owned(), pyramid.clone());
        Ok(TiffScales { to, file, at: HEADER, form, pyramid, places, classic: u64::from(u32::MAX) })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        self.to.write_all(bytes).map_err(|error| failed(&self.file, error))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// The directories, behind the last tile.
    fn directories(&self, offsets: Offsets) -> Vec<u8> {
        let all = self.places.iter().enumerate();
        let directory = |(scale, places): (usize, &Vec<(u64, u64)>)| {
            DirectoryWriter::new(&self.pyramid, scale, self.form, places)
        };
        directory::bytes(all.map(directory), offsets, self.at)
    }

    fn check_whole(&self) -> Result<(), SinkError> {
        let missing = self.places.iter().flatten().filter(|place| place.1 == 0).count();
        match missing {
            0 => Ok(()),
            _ => Err(form_error(
                &self.file,
                "all tiles",
                format!("{missing} that were not put"),
                "report this, please",
            )),
        }
    }
}

impl<W: Write + Seek + Send> ScaleSink for TiffScales<W> {
    fn tile(&self) -> [u64; 2] {
        [self.form.tile; 2]
    }

    fn encoder(&self) -> Arc<dyn TileEncoder> {
        Arc::new(TiffTileEncoder { file: self.file.clone(), form: self.form })
    }

    fn put(&mut self, scale: usize, bounds: Bounds, encoded: Vec<u8>) -> Result<(), SinkError> {
        let tile = self.form.tile;
        let across = self.pyramid.scales.get(scale).map_or(0, |size| size[0].div_ceil(tile));
        let index = bounds.y().unsigned_abs() / tile * across + bounds.x().unsigned_abs() / tile;
        let place = self.places.get_mut(scale).and_then(|places| places.get_mut(index as usize));
        let outside =
            || form_error(&self.file, "a tile of the image", bounds.to_string(), "report this, please");
        *place.ok_or_else(outside)? = (self.at, encoded.len() as u64);
        self.write(&encoded)?;
        // Offsets are even, as the format asks.
        if self.at % 2 == 1 { self.write(&[0]) } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        self.check_whole()?;
        let narrow = self.directories(Offsets::Narrow);
        let fits = self.at + narrow.len() as u64 <= self.classic;
        let (offsets, bytes) = match fits {
            true => (Offsets::Narrow, narrow),
            false => (Offsets::Wide, self.directories(Offsets::Wide)),
        };
        let first = directory::first(offsets, self.at);
        self.write(&bytes)?;
        let to = &mut self.to;
        let written =
            to.seek(SeekFrom::Start(0)).and_then(|_| to.write_all(&directory::header(offsets, first)));
        written.and_then(|()| to.flush()).map_err(|error| failed(&self.file, error))
    }
}

/// Refuses what TIFF, or a compression, does not have.
fn check(file: &str, pyramid: &Pyramid, form: TiffForm) -> Result<(), SinkError> {
    let refused = |expected: &str, found, todo| Err(form_error(file, expected, found, todo));
    let [width, height] = pyramid.scales.first().copied().unwrap_or_default();
    let tiles = width.div_ceil(form.tile.max(1)).saturating_mul(height.div_ceil(form.tile.max(1)));
    match form.compression {
        _ if !form.tile.is_multiple_of(16) || !(16..=LARGEST_TILE).contains(&form.tile) => refused(
            "tiles with a multiple of 16 columns and rows, at most 4096",
            form.tile.to_string(),
            "choose 256 or 512",
        ),
        _ if width == 0 || height == 0 || width.max(height) > u64::from(u32::MAX) || tiles > MOST_TILES => {
            refused(
                "an image of up to 67,108,864 tiles",
                format!("{width} x {height} pixels"),
                "choose larger tiles, or a part of it",
            )
        }
        TiffCompression::Jpeg(quality) if !(1..=100).contains(&quality) => {
            refused("a quality from 1 to 100", quality.to_string(), "choose 75 to 95")
        }
        TiffCompression::Jpeg(_) if pyramid.element != Element::U8 => {
            refused("8 bits for JPEG", pyramid.element.to_string(), "choose deflate")
        }
        _ => Ok(()),
    }
}

fn form_error(file: &str, expected: &str, found: String, todo: &'static str) -> SinkError {
    SinkError::Form { file: file.to_owned(), expected: expected.to_owned(), found, todo }
}

fn failed(file: &str, error: io::Error) -> SinkError {
    SinkError::Write { file: file.to_owned(), error }
}
