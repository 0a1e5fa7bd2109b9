//! TIFF files of deflated strips, as long as they come; BigTIFF where the pixels alone pass 4 GiB.

use std::io::{self, Seek, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use onceflow_region::Pixels;
use tiff::TiffError;
use tiff::encoder::{DirectoryEncoder, Rational, TiffEncoder, TiffKind, TiffKindBig, TiffKindStandard};
use tiff::tags::{CompressionMethod, PhotometricInterpretation, SampleFormat, Tag};

use super::rows::{Picture, PictureKind, TakeRows, invalid, other_pixels, side};

/// Bytes of one strip before it is deflated: readers decode one at a time.
const STRIP: usize = 1 << 20;

/// Bytes up to which offsets of 32 bits surely do: deflated strips are hardly ever larger than what they hold.
const MOST: u64 = 4_000_000_000;

/// Writes a TIFF file; `rows` gives all pixels, from the top. How many rows come at once changes nothing in the file.
///
/// # Errors
/// When the file cannot be written, no TIFF can be of that size, or rows are missing.
pub fn write_tiff(
    mut to: impl Write + Seek,
    picture: Picture,
    rows: impl FnOnce(&mut TakeRows<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let bytes = picture.width.saturating_mul(picture.height).saturating_mul(pixel_bytes(picture.kind) as u64);
    if bytes > MOST {
        write_kind::<_, TiffKindBig>(&mut to, picture, rows)?;
    } else {
        write_kind::<_, TiffKindStandard>(&mut to, picture, rows)?;
    }
    to.flush()
}

fn pixel_bytes(kind: PictureKind) -> usize {
    match kind {
        PictureKind::Grey => 1,
        PictureKind::Colour => 3,
        PictureKind::Labels => 4,
    }
}

fn write_kind<W: Write + Seek, K: TiffKind>(
    to: &mut W,
    picture: Picture,
    rows: impl FnOnce(&mut TakeRows<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let (width, height) = (side(picture.width)?, side(picture.height)?);
    let mut encoder = TiffEncoder::<_, K>::new_generic(to).map_err(failed)?;
    let mut directory = encoder.image_directory().map_err(failed)?;
    let row = width as usize * pixel_bytes(picture.kind);
    let mut strips = StripWriter::new(row * (STRIP / row).clamp(1, height as usize));
    rows(&mut |pixels| {
        strips.add(pixels, picture.kind)?;
        strips.write_full(&mut directory)
    })?;
    strips.write_rest(&mut directory)?;
    if strips.bytes != row as u64 * u64::from(height) {
        return Err(invalid("more or fewer rows than the picture has"));
    }
    describe(&mut directory, (width, height), picture.kind).map_err(failed)?;
    let rows_per_strip = (strips.length / row) as u32;
    directory.write_tag(Tag::RowsPerStrip, rows_per_strip).map_err(failed)?;
    strips.write_places(&mut directory).map_err(failed)?;
    directory.finish().map_err(failed)
}

fn describe<W: Write + Seek, K: TiffKind>(
    directory: &mut DirectoryEncoder<'_, W, K>,
    (width, height): (u32, u32),
    kind: PictureKind,
) -> Result<(), TiffError> {
    let (bits, values, colours) = match kind {
        PictureKind::Grey => (8u16, 1, PhotometricInterpretation::BlackIsZero),
        PictureKind::Colour => (8, 3, PhotometricInterpretation::RGB),
        PictureKind::Labels => (32, 1, PhotometricInterpretation::BlackIsZero),
    };
    directory.write_tag(Tag::ImageWidth, width)?;
    directory.write_tag(Tag::ImageLength, height)?;
    directory.write_tag(Tag::BitsPerSample, [bits; 3].get(..values).unwrap_or(&[bits]))?;
    directory.write_tag(Tag::Compression, CompressionMethod::Deflate.to_u16())?;
    directory.write_tag(Tag::PhotometricInterpretation, colours.to_u16())?;
    directory.write_tag(Tag::SamplesPerPixel, values as u16)?;
    let format = SampleFormat::Uint.to_u16();
    directory.write_tag(Tag::SampleFormat, [format; 3].get(..values).unwrap_or(&[format]))?;
    // The size of pixels is unknown: 1 without a unit.
    directory.write_tag(Tag::XResolution, Rational { n: 1, d: 1 })?;
    directory.write_tag(Tag::YResolution, Rational { n: 1, d: 1 })?;
    directory.write_tag(Tag::ResolutionUnit, 1u16)
}

/// Strips of equal length, but for the last; the encoder of the crate `tiff` would not deflate them one by one.
struct StripWriter {
    /// Bytes of a strip.
    length: usize,
    /// What is not written yet.
    waiting: Vec<u8>,
    /// What came so far.
    bytes: u64,
    offsets: Vec<u64>,
    lengths: Vec<u64>,
}

impl StripWriter {
    fn new(length: usize) -> Self {
        Self { length, waiting: Vec::new(), bytes: 0, offsets: Vec::new(), lengths: Vec::new() }
    }

    fn add(&mut self, pixels: &Pixels, kind: PictureKind) -> io::Result<()> {
        let before = self.waiting.len();
        match (pixels, kind) {
            (Pixels::U8(values), PictureKind::Grey | PictureKind::Colour) => self.waiting.extend(values),
            // Numbers have the byte order of the file, which is the machine's.
            (Pixels::U32(labels), PictureKind::Labels) => {
                self.waiting.extend(labels.iter().flat_map(|label| label.to_ne_bytes()));
            }
            _ => return Err(other_pixels()),
        }
        self.bytes += (self.waiting.len() - before) as u64;
        Ok(())
    }

    /// Writes the whole strips that are there, and keeps the rest.
    fn write_full<W: Write + Seek, K: TiffKind>(
        &mut self,
        directory: &mut DirectoryEncoder<'_, W, K>,
    ) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let strips = waiting.chunks_exact(self.length);
        self.waiting.extend(strips.remainder());
        strips.into_iter().try_for_each(|strip| self.write(strip, directory))
    }

    fn write_rest<W: Write + Seek, K: TiffKind>(
        &mut self,
        directory: &mut DirectoryEncoder<'_, W, K>,
    ) -> io::Result<()> {
        let rest = std::mem::take(&mut self.waiting);
        if rest.is_empty() { Ok(()) } else { self.write(&rest, directory) }
    }

    fn write<W: Write + Seek, K: TiffKind>(
        &mut self,
        strip: &[u8],
        directory: &mut DirectoryEncoder<'_, W, K>,
    ) -> io::Result<()> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(strip)?;
        let deflated = encoder.finish()?;
        self.offsets.push(directory.write_data(deflated.as_slice()).map_err(failed)?);
        self.lengths.push(deflated.len() as u64);
        Ok(())
    }

    /// Says where the strips are: with 32 bits, unless one lies beyond.
    fn write_places<W: Write + Seek, K: TiffKind>(
        &self,
        directory: &mut DirectoryEncoder<'_, W, K>,
    ) -> Result<(), TiffError> {
        for (tag, places) in [(Tag::StripOffsets, &self.offsets), (Tag::StripByteCounts, &self.lengths)] {
            match places.iter().map(|place| u32::try_from(*place)).collect::<Result<Vec<_>, _>>() {
                Ok(narrow) => directory.write_tag(tag, narrow.as_slice())?,
                Err(_) => directory.write_tag(tag, places.as_slice())?,
            }
        }
        Ok(())
    }
}

fn failed(error: TiffError) -> io::Error {
    match error {
        TiffError::IoError(error) => error,
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::rows::tests::{give, pictures};
    use super::*;
    use crate::open_bytes;

    #[test]
    fn rows_make_the_picture_however_many_come_at_once() {
        for (picture, pixels) in pictures() {
            let written = [1, 2, 5].map(|rows| {
                let mut bytes = Cursor::new(Vec::new());
                write_tiff(&mut bytes, picture, |take| give(&pixels, rows, take)).unwrap();
                bytes.into_inner()
            });
            assert!(written[0] == written[1] && written[1] == written[2]);
            let source = open_bytes("rows.tif", written[0].clone()).unwrap();
            let read = source.read(source.info().bounds().unwrap()).unwrap();
            assert_eq!((read.width(), read.height(), read.pixels()), (7, 5, &pixels));
        }
    }

    #[test]
    fn many_strips_and_large_files_are_read_again() {
        let picture = Picture { width: 1000, height: 700, kind: PictureKind::Labels };
        let row = |y: u32| Pixels::U32((0..1000).map(|x| (x / 9) * (y / 7) * 4099).collect());
        let rows = |take: &mut TakeRows<'_>| (0..700).try_for_each(|y| take(&row(y)));
        let mut files = [Cursor::new(Vec::new()), Cursor::new(Vec::new())];
        write_tiff(&mut files[0], picture, rows).unwrap();
        write_kind::<_, TiffKindBig>(&mut files[1], picture, rows).unwrap();
        for (file, version) in files.into_iter().zip([42, 43]) {
            assert_eq!(file.get_ref()[2], version);
            let source = open_bytes("strips.tif", file.into_inner()).unwrap();
            let read = source.read(source.info().bounds().unwrap()).unwrap();
            let expected: Vec<u32> = (0..700)
                .flat_map(|y| match row(y) {
                    Pixels::U32(labels) => labels,
                    _ => Vec::new(),
                })
                .collect();
            assert_eq!(read.as_u32(), Some(expected.as_slice()));
        }
    }

    #[test]
    fn what_is_missing_or_too_much_is_said() {
        let [(grey, pixels), ..] = pictures();
        for (width, height) in [(7, 6), (7, 4), (0, 5), (1 << 31, 5)] {
            let picture = Picture { width, height, ..grey };
            let written = write_tiff(Cursor::new(Vec::new()), picture, |take| give(&pixels, 2, take));
            assert!(written.is_err(), "{width} x {height}");
        }
    }
}
