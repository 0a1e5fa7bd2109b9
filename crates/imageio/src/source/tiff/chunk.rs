//! Reading a box: the strips or tiles that it touches are decoded, and of each only as many rows as are wanted.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use onceflow_region::{Pixels, SourceError, size_words};

use super::super::jpeg::{Colours, Frame, Refused, decode};
use super::codec::{TiffPacking, TiffPredictor};
use super::directory::{TODO, unreadable};
use super::layout::{Photometric, TiffLayout};
use crate::origin::{ByteOrigin, OriginReader};

/// The most bytes of one strip or tile, as far as it is decoded.
const CHUNK_LIMIT: usize = 256 << 20;

/// The pixels of a box that lies within the image.
pub(super) fn read(
    origin: &ByteOrigin,
    layout: &TiffLayout,
    columns: Range<usize>,
    rows: Range<usize>,
) -> Result<Pixels, SourceError> {
    let pixel = layout.channels() * layout.value_bytes();
    let bytes = vec![0; columns.len() * rows.len() * pixel];
    let mut target = ChunkTarget { columns, rows, pixel, bytes };
    let mut reader = origin.reader()?;
    for chunk in touched(layout, &target.columns, &target.rows) {
        let first = target.rows.start.max(chunk.y) - chunk.y;
        let end = target.rows.end.min(chunk.y + layout.chunk[1]) - chunk.y;
        let mut data = TiffChunk::load(origin, &mut reader, layout, &chunk, first..end)?;
        undo_predictor(layout, &mut data);
        target.take(layout, &chunk, first, &data);
    }
    Ok(unsigned_inverted(layout, Pixels::from_bytes(layout.element, target.bytes, layout.order)))
}

/// A strip or tile.
struct TiffChunk {
    index: usize,
    /// The colour that it holds, when colours are stored apart.
    plane: usize,
    /// The column of its first pixel.
    x: usize,
    /// The row of its first pixel.
    y: usize,
}

/// The strips or tiles that a box touches; those that hold nothing but alpha are left out.
fn touched(layout: &TiffLayout, columns: &Range<usize>, rows: &Range<usize>) -> Vec<TiffChunk> {
    let [width, height] = layout.chunk;
    let planes = if layout.planes { layout.channels() } else { 1 };
    let mut chunks = Vec::new();
    for plane in 0..planes {
        for row in rows.start / height..rows.end.div_ceil(height) {
            for column in columns.start / width..columns.end.div_ceil(width) {
                let index = plane * layout.per_plane() + row * layout.across() + column;
                chunks.push(TiffChunk { index, plane, x: column * width, y: row * height });
            }
        }
    }
    chunks
}

impl TiffChunk {
    /// The bytes of some rows.
    fn load(
        origin: &ByteOrigin,
        reader: &mut OriginReader,
        layout: &TiffLayout,
        chunk: &TiffChunk,
        rows: Range<usize>,
    ) -> Result<Vec<u8>, SourceError> {
        let row = layout.row_bytes();
        if layout.compression == TiffPacking::None {
            return chunk.bytes(origin, reader, layout, rows.start * row..rows.end * row);
        }
        let wanted = rows.end.checked_mul(row).filter(|&wanted| wanted <= CHUNK_LIMIT);
        let wanted = wanted.ok_or_else(|| too_large(origin))?;
        let (_, length) = layout.places[chunk.index];
        let length = usize::try_from(length).ok().filter(|&length| length <= CHUNK_LIMIT);
        let length = length.ok_or_else(|| too_large(origin))?;
        if wanted > length.saturating_mul(layout.compression.growth()) {
            return Err(chunk.broken(
                origin,
                layout,
                format!("{}, which cannot hold it", size_words(length as u64)),
            ));
        }
        let data = chunk.bytes(origin, reader, layout, 0..length)?;
        let mut bytes = match layout.compression {
            TiffPacking::Jpeg => chunk.jpeg(origin, layout, &data, wanted)?,
            other => {
                let size = size_words(length as u64);
                let corrupt =
                    || chunk.broken(origin, layout, format!("{size} of data that is corrupt or too short"));
                other.decompress(data, wanted).ok_or_else(corrupt)?
            }
        };
        bytes.drain(..rows.start * row);
        Ok(bytes)
    }

    /// Some of the bytes of the file that the strip or tile has.
    fn bytes(
        &self,
        origin: &ByteOrigin,
        reader: &mut OriginReader,
        layout: &TiffLayout,
        range: Range<usize>,
    ) -> Result<Vec<u8>, SourceError> {
        let (offset, length) = layout.places[self.index];
        let end = offset.checked_add(length).filter(|&end| end <= origin.length());
        if end.is_none() {
            let found = format!("{length} bytes from byte {offset} on, in a file of {}", origin.length());
            return Err(self.broken(origin, layout, found));
        }
        if range.end as u64 > length {
            return Err(self.broken(origin, layout, format!("{}, which cannot hold it", size_words(length))));
        }
        let mut bytes = vec![0; range.len()];
        let place = SeekFrom::Start(offset + range.start as u64);
        let read = reader.seek(place).and_then(|_| reader.read_exact(&mut bytes));
        read.map_err(|error| unreadable(origin, &error))?;
        Ok(bytes)
    }

    fn jpeg(
        &self,
        origin: &ByteOrigin,
        layout: &TiffLayout,
        data: &[u8],
        wanted: usize,
    ) -> Result<Vec<u8>, SourceError> {
        let refused = |Refused { expected, found }: Refused| {
            origin.content(&format!("{} as {expected}", self.name(layout)), found, TODO)
        };
        let stream = with_tables(layout.tables.as_deref(), data);
        let frame = Frame::of(&stream).map_err(refused)?;
        if frame.bytes() > CHUNK_LIMIT {
            return Err(too_large(origin));
        }
        let (width, samples) = (layout.chunk[0], layout.samples_together());
        if frame.width != width || frame.components != samples || frame.bytes() < wanted {
            let (columns, rows, colours) = (frame.width, frame.height, frame.components);
            let found = format!("a JPEG of {columns} x {rows} pixels with {colours} colours");
            return Err(self.broken(origin, layout, found));
        }
        let colours = if layout.colours == Photometric::Rgb { Colours::Rgb } else { Colours::AsStated };
        let mut bytes = decode(&stream, &frame, colours).map_err(refused)?;
        bytes.truncate(wanted);
        Ok(bytes)
    }

    fn broken(&self, origin: &ByteOrigin, layout: &TiffLayout, found: String) -> SourceError {
        let [width, height] = layout.chunk;
        let expected = format!("{} with {width} x {height} pixels", self.name(layout));
        origin.content(&expected, found, TODO)
    }

    fn name(&self, layout: &TiffLayout) -> String {
        format!("{} {}", if layout.tiled { "tile" } else { "strip" }, self.index)
    }
}

/// A stream of its own from what all have in common and what one has: the end of the first and the start of the second
/// are left out.
fn with_tables(tables: Option<&[u8]>, data: &[u8]) -> Vec<u8> {
    match (tables, data) {
        (Some([start @ .., 0xff, 0xd9]), [0xff, 0xd8, rest @ ..]) => [start, rest].concat(),
        _ => data.to_vec(),
    }
}

fn too_large(origin: &ByteOrigin) -> SourceError {
    let expected = format!("strips or tiles of at most {}", size_words(CHUNK_LIMIT as u64));
    origin.content(&expected, "a larger one", "save the image in tiles")
}

fn undo_predictor(layout: &TiffLayout, data: &mut [u8]) {
    // JPEG streams have no predictor, even when the directory states one.
    if layout.predictor != TiffPredictor::None && layout.compression != TiffPacking::Jpeg {
        for row in data.chunks_exact_mut(layout.row_bytes()) {
            layout.predictor.undo(row, layout.samples_together(), layout.value_bytes(), layout.order);
        }
    }
}

fn unsigned_inverted(layout: &TiffLayout, pixels: Pixels) -> Pixels {
    match (layout.colours, pixels) {
        (Photometric::WhiteIsZero, Pixels::U8(values)) => {
            Pixels::U8(values.iter().map(|value| !value).collect())
        }
        (Photometric::WhiteIsZero, Pixels::U16(values)) => {
            Pixels::U16(values.iter().map(|value| !value).collect())
        }
        (_, pixels) => pixels,
    }
}

/// The bytes of the box, gathered from strips or tiles.
struct ChunkTarget {
    columns: Range<usize>,
    rows: Range<usize>,
    /// Bytes of a pixel.
    pixel: usize,
    bytes: Vec<u8>,
}

impl ChunkTarget {
    /// Copies what some rows of a strip or tile, from its row `first` on, hold of the box.
    fn take(&mut self, layout: &TiffLayout, chunk: &TiffChunk, first: usize, data: &[u8]) {
        let value = layout.value_bytes();
        let stored = layout.samples_together() * value;
        let left = self.columns.start.max(chunk.x);
        let right = self.columns.end.min(chunk.x + layout.chunk[0]);
        let pitch = self.columns.len() * self.pixel;
        let top = chunk.y + first - self.rows.start;
        let lines = self.bytes.chunks_exact_mut(pitch).skip(top);
        for (to, from) in lines.zip(data.chunks_exact(layout.row_bytes())) {
            let from = &from[(left - chunk.x) * stored..(right - chunk.x) * stored];
            let to =
                &mut to[(left - self.columns.start) * self.pixel..(right - self.columns.start) * self.pixel];
            if stored == self.pixel {
                to.copy_from_slice(from);
                continue;
            }
            // Alpha is left out, or a colour goes between the others.
            let (place, kept) = if layout.planes { (chunk.plane * value, value) } else { (0, self.pixel) };
            for (to, from) in to.chunks_exact_mut(self.pixel).zip(from.chunks_exact(stored)) {
                to[place..place + kept].copy_from_slice(&from[..kept]);
            }
        }
    }
}
