//! Boxes of arrays whose chunks hold rows as they are wanted: strips of some rows through all chunks that lie side by side.
//!
//! A strip stays in the processor's caches while it is read, checked, and copied to its place, so that memory is gone
//! through once, as when a plain file is read, and nothing of it is cleared before.

mod row;
#[cfg(test)]
mod tests;

use std::ops::Range;

use bytemuck::Pod;
use onceflow_region::{Pixels, SourceError, with_values};

use super::array::{ArrayWindow, ZarrArray, overlap, touched};
use super::cells::ChunkCells;
use super::checksum::Crc32c;
use super::folder::ZarrFolder;
use row::{StripChunk, StripRow, Taker};

/// A box of an array that can be read so.
pub(super) struct ArrayStrips<'a> {
    array: &'a ZarrArray,
    folder: &'a ZarrFolder,
    window: ArrayWindow,
    /// Whether a checksum follows each chunk.
    checked: bool,
    /// Bytes of a strip, which is at least a row.
    strip: usize,
}

/// Bytes of a strip, which the last of a processor's caches holds: with fewer, calls of the system cost more than that saves.
const STRIP: usize = 1 << 22;

/// Bytes that are read at a time, and checked while a nearer cache holds them.
const BLOCK: usize = 1 << 20;

/// The most files that are open at a time.
const MOST_FILES: u64 = 64;

/// The most chunks that their indices may name: each takes 16 bytes.
const MOST_CHUNKS: u64 = 1 << 20;

impl<'a> ArrayStrips<'a> {
    /// `None` when chunks are compressed or hold values in another order, or too many files lie side by side.
    pub(super) fn new(
        array: &'a ZarrArray,
        folder: &'a ZarrFolder,
        window: ArrayWindow,
    ) -> Option<ArrayStrips<'a>> {
        let checked = array.plain_rows()?;
        let files = touched(&window[1], array.file[2]);
        let files = files.end - files.start;
        let chunks = array.layout().cells_per_file().iter().product::<u64>().saturating_mul(files);
        let few = files <= MOST_FILES && chunks <= MOST_CHUNKS;
        few.then_some(ArrayStrips { array, folder, window, checked, strip: STRIP })
    }

    /// The values of the box, of which there are so many, in the order of bytes that the file has.
    pub(super) fn pixels(&self, count: usize) -> Result<Pixels, SourceError> {
        let mut pixels = Pixels::zeros(self.array.layout().element, 0);
        match &mut pixels {
            Pixels::U8(bytes) if self.is_one_column() => {
                bytes.reserve_exact(count);
                self.each_row(|row| self.append(row, bytes))?;
            }
            pixels => with_values!(pixels, values => {
                values.reserve_exact(count);
                self.fill(values)
            })?,
        }
        Ok(pixels)
    }

    /// Adds the values of the box, in the order of bytes that the file has, to what takes them.
    pub(super) fn fill<T: Pod>(&self, to: &mut impl Taker<T>) -> Result<(), SourceError> {
        let mut strip = Vec::new();
        self.each_row(|row| self.take(row, &mut strip, to))
    }

    /// Whether the box has all columns of chunks that lie above each other.
    fn is_one_column(&self) -> bool {
        let columns = touched(&self.window[1], self.array.cell[2]);
        let first = columns.start * self.array.cell[2];
        columns.end - columns.start == 1 && self.window[1] == (first..first + self.array.cell[2])
    }

    /// Does something with each row of chunks.
    fn each_row(
        &self,
        mut act: impl FnMut(&mut StripRow<'a>) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let [rows, columns] = &self.window;
        let sides = [self.array.file[1], self.array.file[2]];
        for file_row in touched(rows, sides[0]) {
            let open = |column| ChunkCells::open(self.array, self.folder, [0, file_row, column]);
            let mut files = touched(columns, sides[1]).map(open).collect::<Result<Vec<_>, _>>()?;
            for row in touched(&overlap(rows, file_row * sides[0], sides[0]), self.array.cell[1]) {
                let chunks = self.chunks(row, &files)?;
                let mut row = StripRow { wanted: self.wanted(row), chunks, files };
                act(&mut row)?;
                self.check(&mut row)?;
                files = row.files;
            }
        }
        Ok(())
    }

    /// The chunks of a row, from left to right.
    fn chunks(&self, row: u64, files: &[Option<ChunkCells<'_>>]) -> Result<Vec<StripChunk>, SourceError> {
        let (array, columns) = (self.array, &self.window[1]);
        let first_file = columns.start / array.file[2];
        let chunk = |column: u64| {
            let first = [0, row * array.cell[1], column * array.cell[2]];
            let file = (first[2] / array.file[2] - first_file) as usize;
            let at = match &files[file] {
                Some(cells) => self.checked_place(cells, first, [0, row, column])?,
                None => None,
            };
            let taken = overlap(columns, first[2], array.cell[2]);
            let [start, end] =
                [taken.start, taken.end].map(|at| (at - first[2]) as usize * array.pixel_bytes());
            Ok(StripChunk { file, first, at, checksum: Crc32c::new(), columns: start..end })
        };
        touched(columns, array.cell[2]).map(chunk).collect()
    }

    /// Where a chunk begins in its file, when it was written, and has as many bytes as it must.
    fn checked_place(
        &self,
        cells: &ChunkCells<'_>,
        first: [u64; 3],
        cell: [u64; 3],
    ) -> Result<Option<u64>, SourceError> {
        let Some(place) = cells.place(cell)? else { return Ok(None) };
        let (bytes, expected) = (place.end - place.start, self.array.layout().cell_bytes() as u64);
        let expected = expected + if self.checked { 4 } else { 0 };
        match bytes == expected {
            true => Ok(Some(place.start)),
            false => Err(cells.corrupt(first, format!("{bytes} bytes instead of {expected}"))),
        }
    }

    /// The rows that are wanted of those of a row of chunks.
    fn wanted(&self, row: u64) -> Range<usize> {
        let first = row * self.array.cell[1];
        let wanted = overlap(&self.window[0], first, self.array.cell[1]);
        (wanted.start - first) as usize..(wanted.end - first) as usize
    }

    /// Bytes of a row of a chunk.
    fn pitch(&self) -> usize {
        self.array.cell[2] as usize * self.array.pixel_bytes()
    }

    /// Adds what is wanted of a row of chunks, strip by strip.
    fn take<T: Pod>(
        &self,
        row: &mut StripRow<'_>,
        strip: &mut Vec<T>,
        to: &mut impl Taker<T>,
    ) -> Result<(), SourceError> {
        let (pitch, height) = (self.pitch(), self.array.cell[1] as usize);
        let rows = (self.strip / (pitch * row.chunks.len())).min(BLOCK / pitch).clamp(1, height);
        strip.resize(rows * pitch * row.chunks.len() / size_of::<T>(), T::zeroed());
        self.clear(row, rows, bytemuck::cast_slice_mut(strip));
        for top in (0..height).step_by(rows) {
            let some = top..height.min(top + rows);
            self.read(row, some.len(), rows, bytemuck::cast_slice_mut(strip))?;
            let wanted = row.wanted.start.max(some.start)..row.wanted.end.min(some.end);
            for line in wanted {
                for (chunk, piece) in row.chunks.iter().zip(strip.chunks(rows * pitch / size_of::<T>())) {
                    let start = (line - top) * pitch;
                    let [start, end] =
                        [chunk.columns.start, chunk.columns.end].map(|at| (start + at) / size_of::<T>());
                    to.add(&piece[start..end]);
                }
            }
        }
        Ok(())
    }

    /// Chunks that were never written have the value that the metadata say, in every strip.
    fn clear(&self, row: &StripRow<'_>, rows: usize, strip: &mut [u8]) {
        let value = self.array.layout().fill_bytes();
        for (chunk, piece) in row.chunks.iter().zip(strip.chunks_mut(rows * self.pitch())) {
            if chunk.at.is_none() {
                piece.chunks_exact_mut(value.len()).for_each(|to| to.copy_from_slice(&value));
            }
        }
    }

    /// Reads the next rows of each chunk.
    fn read(
        &self,
        row: &mut StripRow<'_>,
        count: usize,
        rows: usize,
        strip: &mut [u8],
    ) -> Result<(), SourceError> {
        for (chunk, piece) in row.chunks.iter_mut().zip(strip.chunks_mut(rows * self.pitch())) {
            if let (Some(at), Some(cells)) = (&mut chunk.at, &mut row.files[chunk.file]) {
                let piece = &mut piece[..count * self.pitch()];
                cells.file.read_at(*at, piece)?;
                *at += piece.len() as u64;
                if self.checked {
                    chunk.checksum.update(piece);
                }
            }
        }
        Ok(())
    }

    /// Adds what is wanted of a chunk that fills its row: its bytes go where they belong at once.
    fn append(&self, row: &mut StripRow<'_>, bytes: &mut Vec<u8>) -> Result<(), SourceError> {
        let [chunk] = &mut row.chunks[..] else { return Ok(()) };
        let (pitch, height, wanted) = (self.pitch(), self.array.cell[1] as usize, row.wanted.clone());
        let (Some(at), Some(cells)) = (&mut chunk.at, &mut row.files[chunk.file]) else {
            bytes.resize(bytes.len() + wanted.len() * pitch, self.array.layout().fill[0]);
            return Ok(());
        };
        // What is not wanted is read all the same, since the checksum is that of the whole.
        let (mut others, block) = (Vec::new(), self.strip.min(BLOCK));
        for (rows, is_wanted) in
            [(0..wanted.start, false), (wanted.clone(), true), (wanted.end..height, false)]
        {
            let to = if is_wanted { &mut *bytes } else { &mut others };
            for some in (0..rows.len() * pitch).step_by(block) {
                let (length, before) = (block.min(rows.len() * pitch - some), to.len());
                *at += cells.file.append_at(*at, length, to)?;
                if self.checked {
                    chunk.checksum.update(&to[before..]);
                }
                if !is_wanted {
                    to.clear();
                }
            }
        }
        Ok(())
    }

    /// Compares the checksums of a row of chunks, all of which were read, with those in the files.
    fn check(&self, row: &mut StripRow<'_>) -> Result<(), SourceError> {
        for chunk in row.chunks.iter().filter(|_| self.checked) {
            if let (Some(at), Some(cells)) = (chunk.at, &mut row.files[chunk.file]) {
                let mut stated = [0; 4];
                cells.file.read_at(at, &mut stated)?;
                chunk.checksum.compare(stated).map_err(|found| cells.corrupt(chunk.first, found))?;
            }
        }
        Ok(())
    }
}
