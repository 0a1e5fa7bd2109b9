//! How the pixels of one directory are stored, and whether we read that.

use onceflow_region::{ByteOrder, Element, SourceError, size_words};

use super::super::openslide;
use super::codec::{TiffPacking, TiffPredictor};
use super::directory::{Directories, TODO, TiffDirectory};
use crate::origin::ByteOrigin;

/// The longest side of an image; no scanner comes near it, and products of two sides stay small enough.
const LONGEST_SIDE: u64 = 1 << 24;

/// The most bytes of one row of a strip or tile.
const LONGEST_ROW: usize = 256 << 20;

/// How the pixels are stored.
#[derive(Debug)]
pub(super) struct TiffLayout {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Columns and rows of a tile or strip.
    pub(super) chunk: [usize; 2],
    pub(super) tiled: bool,
    /// Values per pixel in the file, with alpha.
    pub(super) samples: usize,
    /// Whether each colour has strips or tiles of its own.
    pub(super) planes: bool,
    pub(super) element: Element,
    pub(super) colours: Photometric,
    pub(super) compression: TiffPacking,
    pub(super) predictor: TiffPredictor,
    pub(super) order: ByteOrder,
    /// Where each tile or strip begins, and how many bytes it has.
    pub(super) places: Vec<(u64, u64)>,
    /// What all JPEG streams of the directory have in common.
    pub(super) tables: Option<Vec<u8>>,
}

/// What the values mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Photometric {
    /// Grey, where 0 is white.
    WhiteIsZero,
    /// Grey, where 0 is black.
    BlackIsZero,
    /// Red, green and blue.
    Rgb,
    /// Brightness and two differences of colour, within JPEG streams.
    YCbCr,
}

/// What JPEG tables may be long: four of each kind take less than two thousand bytes.
const LONGEST_TABLES: usize = 1 << 16;

impl TiffLayout {
    pub(super) fn of(
        origin: &ByteOrigin,
        files: &mut Directories<'_>,
        directory: &TiffDirectory,
    ) -> Result<TiffLayout, SourceError> {
        let compression = compression(origin, files, directory)?;
        let [width, height] =
            [side(origin, files, directory, WIDTH)?, side(origin, files, directory, HEIGHT)?];
        let tiled = directory.has(TILE_WIDTH.0) || directory.has(TILE_HEIGHT.0);
        let chunk = match tiled {
            true => {
                [side(origin, files, directory, TILE_WIDTH)?, side(origin, files, directory, TILE_HEIGHT)?]
            }
            false => [width, strip_rows(files, directory)?.clamp(1, height)],
        };
        let samples = files.one(directory, 277)?.unwrap_or(1);
        let colours = colours(origin, files, directory, samples, compression)?;
        let samples = samples as usize;
        let planes = samples > 1 && files.one(directory, 284)?.unwrap_or(1) == 2;
        let mut layout = TiffLayout {
            width,
            height,
            chunk,
            tiled,
            samples,
            planes,
            element: element(origin, files, directory, samples as u64)?,
            colours,
            compression,
            predictor: predictor(origin, files, directory)?,
            order: files.order,
            places: Vec::new(),
            tables: None,
        };
        layout.check(origin)?;
        layout.places = places(origin, files, directory, layout.count())?;
        if compression == TiffPacking::Jpeg {
            layout.tables = files.bytes(directory, 347)?.filter(|tables| tables.len() <= LONGEST_TABLES);
        }
        Ok(layout)
    }

    /// Values per pixel that reading gives.
    pub(super) fn channels(&self) -> usize {
        match self.colours {
            Photometric::WhiteIsZero | Photometric::BlackIsZero => 1,
            Photometric::Rgb | Photometric::YCbCr => 3,
        }
    }

    /// Bytes of one value.
    pub(super) fn value_bytes(&self) -> usize {
        self.element.bytes() as usize
    }

    /// Values that lie side by side in a tile or strip.
    pub(super) fn samples_together(&self) -> usize {
        if self.planes { 1 } else { self.samples }
    }

    /// Bytes of a row of a tile or strip.
    pub(super) fn row_bytes(&self) -> usize {
        self.chunk[0] * self.samples_together() * self.value_bytes()
    }

    /// Tiles or strips side by side.
    pub(super) fn across(&self) -> usize {
        self.width.div_ceil(self.chunk[0])
    }

    /// Tiles or strips of one plane.
    pub(super) fn per_plane(&self) -> usize {
        self.across() * self.height.div_ceil(self.chunk[1])
    }

    fn count(&self) -> usize {
        self.per_plane() * if self.planes { self.samples } else { 1 }
    }

    fn check(&self, origin: &ByteOrigin) -> Result<(), SourceError> {
        if self.row_bytes() > LONGEST_ROW {
            let expected = format!("rows of at most {}", size_words(LONGEST_ROW as u64));
            return Err(origin.content(&expected, self.row_bytes().to_string(), TODO));
        }
        if self.compression == TiffPacking::Jpeg && self.element != Element::U8 {
            return Err(unsupported(origin, format!("JPEG values of type {}", self.element)));
        }
        match (self.predictor, self.element) {
            (TiffPredictor::Floating, Element::F32 | Element::F64)
            | (TiffPredictor::None | TiffPredictor::Horizontal, _) => Ok(()),
            (TiffPredictor::Floating, element) => {
                Err(unsupported(origin, format!("predictor 3 of {element}")))
            }
        }
    }
}

const WIDTH: (u16, &str) = (256, "width");
const HEIGHT: (u16, &str) = (257, "height");
const TILE_WIDTH: (u16, &str) = (322, "tile width");
const TILE_HEIGHT: (u16, &str) = (323, "tile height");

fn side(
    origin: &ByteOrigin,
    files: &mut Directories<'_>,
    directory: &TiffDirectory,
    (tag, name): (u16, &str),
) -> Result<usize, SourceError> {
    let expected = format!("a {name} from 1 to {LONGEST_SIDE}");
    match files.one(directory, tag)? {
        Some(number) if (1..=LONGEST_SIDE).contains(&number) => Ok(number as usize),
        Some(number) => Err(origin.content(&expected, number.to_string(), TODO)),
        None => Err(origin.content(&expected, "none", TODO)),
    }
}

/// Rows of a strip: all of them when the file says nothing, or more than there are.
fn strip_rows(files: &mut Directories<'_>, directory: &TiffDirectory) -> Result<usize, SourceError> {
    let rows = files.one(directory, 278)?.unwrap_or(LONGEST_SIDE);
    Ok(rows.min(LONGEST_SIDE) as usize)
}

fn compression(
    origin: &ByteOrigin,
    files: &mut Directories<'_>,
    directory: &TiffDirectory,
) -> Result<TiffPacking, SourceError> {
    let number = files.one(directory, 259)?.unwrap_or(1);
    TiffPacking::of(number).map_err(|name| match number {
        // JPEG 2000, which slides have.
        33003 | 33005 | 34712 => openslide::needed(origin.name(), &name),
        _ => {
            let expected = "no compression, LZW, deflate, PackBits or JPEG";
            origin.content(expected, name, "convert it with LZW")
        }
    })
}

fn predictor(
    origin: &ByteOrigin,
    files: &mut Directories<'_>,
    directory: &TiffDirectory,
) -> Result<TiffPredictor, SourceError> {
    match files.one(directory, 317)?.unwrap_or(1) {
        1 => Ok(TiffPredictor::None),
        2 => Ok(TiffPredictor::Horizontal),
        3 => Ok(TiffPredictor::Floating),
        other => Err(origin.content("predictor 1, 2 or 3", other.to_string(), "convert it with LZW")),
    }
}

/// One value may be left over for alpha, which is dropped; dropping more would lose measured channels.
fn colours(
    origin: &ByteOrigin,
    files: &mut Directories<'_>,
    directory: &TiffDirectory,
    samples: u64,
    compression: TiffPacking,
) -> Result<Photometric, SourceError> {
    let number = files.one(directory, 262)?.unwrap_or(if samples >= 3 { 2 } else { 1 });
    match (number, samples) {
        (0, 1..=2) => Ok(Photometric::WhiteIsZero),
        (1, 1..=2) => Ok(Photometric::BlackIsZero),
        (2, 3..=4) => Ok(Photometric::Rgb),
        (6, 3) if compression == TiffPacking::Jpeg => Ok(Photometric::YCbCr),
        (0..=2, _) => Err(unsupported(origin, format!("{samples} values per pixel"))),
        (3, _) => Err(unsupported(origin, "a palette".into())),
        (5, _) => Err(unsupported(origin, "CMYK".into())),
        (6, _) => Err(unsupported(origin, "YCbCr without JPEG".into())),
        (other, _) => Err(unsupported(origin, format!("photometric interpretation {other}"))),
    }
}

fn element(
    origin: &ByteOrigin,
    files: &mut Directories<'_>,
    directory: &TiffDirectory,
    samples: u64,
) -> Result<Element, SourceError> {
    let bits = same(origin, files.numbers(directory, 258, samples)?, 1)?;
    match (same(origin, files.numbers(directory, 339, samples)?, 1)?, bits) {
        (1 | 4, 8) => Ok(Element::U8),
        (1 | 4, 16) => Ok(Element::U16),
        (1 | 4, 32) => Ok(Element::U32),
        (1 | 4, 64) => Ok(Element::U64),
        (2, 8) => Ok(Element::I8),
        (2, 16) => Ok(Element::I16),
        (2, 32) => Ok(Element::I32),
        (2, 64) => Ok(Element::I64),
        (3, 32) => Ok(Element::F32),
        (3, 64) => Ok(Element::F64),
        (3, bits) => Err(unsupported(origin, format!("real numbers of {bits} bits"))),
        (_, bits) => Err(unsupported(origin, format!("values of {bits} bits"))),
    }
}

/// The number that all colours have in common.
fn same(origin: &ByteOrigin, numbers: Option<Vec<u64>>, default: u64) -> Result<u64, SourceError> {
    let numbers = numbers.unwrap_or_default();
    let first = numbers.first().copied().unwrap_or(default);
    match numbers.iter().all(|&number| number == first) {
        true => Ok(first),
        false => Err(unsupported(origin, format!("colours of different types ({numbers:?})"))),
    }
}

/// Where the tiles or strips are: as many as the sides ask for.
fn places(
    origin: &ByteOrigin,
    files: &mut Directories<'_>,
    directory: &TiffDirectory,
    count: usize,
) -> Result<Vec<(u64, u64)>, SourceError> {
    let (offsets, lengths) = if directory.has(324) { (324, 325) } else { (273, 279) };
    // Some writers leave room for more.
    let most = (count as u64).saturating_mul(2).saturating_add(1024);
    let offsets = files.numbers(directory, offsets, most)?.unwrap_or_default();
    let lengths = files.numbers(directory, lengths, most)?.unwrap_or_default();
    if offsets.len() < count || lengths.len() < count {
        let found = format!("{} places and {} lengths", offsets.len(), lengths.len());
        return Err(origin.content(&format!("{count} strips or tiles"), found, TODO));
    }
    Ok(offsets.into_iter().zip(lengths).take(count).collect())
}

fn unsupported(origin: &ByteOrigin, found: String) -> SourceError {
    let expected = "grey, RGB or RGBA values of 8, 16 or 32 bits";
    origin.content(expected, found, "export it as 8-bit RGB or grey")
}
