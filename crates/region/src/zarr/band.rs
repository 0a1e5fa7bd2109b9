//! Filling a box: file by file, and of each file the chunks that the box touches.

use std::io::IoSliceMut;
use std::ops::Range;

use super::array::{Array, Rows, Window, overlap, touched};
use super::checksum::Checksum;
use super::codec::{Codecs, Unpacker};
use super::folder::{Entry, Folder};
use super::scatter::{Scatter, scatter};
use super::shard;
use crate::SourceError;
use crate::pixels::Order;
use crate::source::origin::content;

/// Some rows of a box while they are filled.
pub(super) struct Band<'a> {
    array: &'a Array,
    folder: &'a Folder,
    window: Window,
    target: Target<'a>,
    unpacker: Unpacker,
}

/// What is filled; what nothing is put into stays zero.
pub(super) enum Target<'a> {
    /// Zeros, of which a part may be another band's.
    Zeros(&'a mut [u8]),
    /// Nothing yet, that becomes so many bytes: what comes in order is added, and nothing is cleared before.
    Growing(&'a mut Vec<u8>, usize),
}

impl Target<'_> {
    /// All of it up to some byte, at least.
    fn up_to(&mut self, end: usize) -> &mut [u8] {
        match self {
            Target::Zeros(bytes) => bytes,
            Target::Growing(bytes, _) => {
                if bytes.len() < end {
                    bytes.resize(end, 0);
                }
                bytes
            }
        }
    }

    fn whole(&mut self) -> &mut [u8] {
        let length = if let Target::Growing(_, length) = self { *length } else { 0 };
        self.up_to(length)
    }
}

impl<'a> Band<'a> {
    pub(super) fn new(array: &'a Array, folder: &'a Folder, window: Window, target: Target<'a>) -> Band<'a> {
        Band { array, folder, window, target, unpacker: Unpacker::new() }
    }

    /// Takes all that the files of the array hold of the box.
    pub(super) fn fill(mut self) -> Result<(), SourceError> {
        let [rows, columns] = self.window.clone();
        for channel in touched(&(0..self.array.size[0]), self.array.file[0]) {
            for row in touched(&rows, self.array.file[1]) {
                for column in touched(&columns, self.array.file[2]) {
                    self.take_file([channel, row, column])?;
                }
            }
        }
        self.target.whole();
        Ok(())
    }

    /// Takes what a file holds of the box.
    fn take_file(&mut self, place: [u64; 3]) -> Result<(), SourceError> {
        let key = self.array.key(place);
        let Some(mut file) = self.folder.file(&key)? else { return self.without_file(&key, place) };
        let layout = &self.array.layout();
        let Some(index) = layout.index else {
            let length = file.length;
            return self.take_cell(&mut file, self.first_value(place), 0..length);
        };
        let counts = layout.cells_per_file();
        let index = shard::Places::read(&mut file, index, counts.iter().product())?;
        for cell in self.cells(place) {
            let inner =
                std::array::from_fn(|axis| cell[axis] % (self.array.file[axis] / self.array.cell[axis]));
            let number = linear(&self.array.spread(inner), &counts);
            let first = std::array::from_fn(|axis| cell[axis] * self.array.cell[axis]);
            match index.place(number, &file)? {
                Some(bytes) => self.take_cell(&mut file, first, bytes)?,
                None => self.take_fill(first, self.array.cell),
            }
        }
        Ok(())
    }

    /// The cells of a file that the box touches, by their place in the grid of all cells.
    fn cells(&self, file: [u64; 3]) -> Vec<[u64; 3]> {
        let first = self.first_value(file);
        let whole = [0..self.array.size[0], self.window[0].clone(), self.window[1].clone()];
        let along = |axis: usize| {
            touched(&overlap(&whole[axis], first[axis], self.array.file[axis]), self.array.cell[axis])
        };
        let (channels, rows, columns) = (along(0), along(1), along(2));
        let mut cells = Vec::new();
        for channel in channels {
            for row in rows.clone() {
                cells.extend(columns.clone().map(|column| [channel, row, column]));
            }
        }
        cells
    }

    fn first_value(&self, file: [u64; 3]) -> [u64; 3] {
        std::array::from_fn(|axis| file[axis] * self.array.file[axis])
    }

    /// Takes what a cell holds of the box, whose bytes stand at some place of a file.
    fn take_cell(&mut self, file: &mut Entry, first: [u64; 3], bytes: Range<u64>) -> Result<(), SourceError> {
        let (layout, cell) = (&self.array.layout(), self.array.layout().cell_bytes());
        let length = usize::try_from(bytes.end - bytes.start).unwrap_or(usize::MAX);
        if length > Codecs::most_bytes(cell) {
            return Err(corrupt(file, first, format!("{length} bytes, more than it takes")));
        }
        let part = self.array.part(&self.window, first, self.array.cell);
        if let Some(rows) = self.array.rows_of(&part, length) {
            return self.take_rows(file, first, bytes.start, rows);
        }
        file.read_at(bytes.start, self.unpacker.room(length))?;
        match self.unpacker.unpack(&layout.codecs, length, cell) {
            Ok(values) => scatter(values, self.target.whole(), &part, layout.element.bytes()),
            Err(found) => return Err(corrupt(file, first, found)),
        }
        Ok(())
    }

    /// Takes a cell whose rows stand in the file as they are wanted: some after some they are read to their places, and
    /// checked there while they are in the processor's cache.
    fn take_rows(
        &mut self,
        file: &mut Entry,
        first: [u64; 3],
        at: u64,
        rows: Rows,
    ) -> Result<(), SourceError> {
        let (mut at, mut found) = (at, Checksum::new());
        for some in rows.in_blocks(BLOCK) {
            let read = match &mut self.target {
                Target::Growing(bytes, _) if some.follow(bytes.len()) => {
                    file.append_at(at, some.end() - bytes.len(), bytes)?
                }
                target => {
                    let rows = some.of(target.up_to(some.end()));
                    file.read_slices_at(at, &mut rows.map(IoSliceMut::new).collect::<Vec<_>>())?
                }
            };
            at += read;
            if rows.checked {
                let rows = some.of(self.target.up_to(some.end()));
                rows.for_each(|row| found.update(row));
            }
        }
        if !rows.checked {
            return Ok(());
        }
        let mut checksum = [0; 4];
        file.read_at(at, &mut checksum)?;
        found.compare(checksum).map_err(|found| corrupt(file, first, found))
    }

    fn without_file(&mut self, key: &str, place: [u64; 3]) -> Result<(), SourceError> {
        if self.array.layout().complete {
            let expected = "a file for each chunk, since all were written";
            return Err(content(&self.folder.file_name(key), expected, "no file", TODO));
        }
        let first = self.first_value(place);
        self.take_fill(first, self.array.file);
        Ok(())
    }

    /// What was never written has the value that the metadata say.
    fn take_fill(&mut self, first: [u64; 3], sides: [u64; 3]) {
        let layout = &self.array.layout();
        let bytes = layout.element.bytes() as usize;
        let mut value = layout.fill;
        if value.iter().all(|&byte| byte == 0) {
            return;
        }
        if layout.codecs.order == Order::Big {
            value[..bytes].reverse();
        }
        let part = self.array.part(&self.window, first, sides);
        let part = Scatter { from_first: 0, from: [0; 3], ..part };
        scatter(&value[..bytes], self.target.whole(), &part, bytes as u64);
    }
}

/// Bytes that a processor's cache holds with ease.
const BLOCK: usize = 1 << 20;

fn corrupt(file: &Entry, first: [u64; 3], found: String) -> SourceError {
    let expected = format!("the chunk at channel {}, row {}, column {}", first[0], first[1], first[2]);
    content(&file.name, &expected, found, TODO)
}

/// What to do about a chunk that is not as it was written.
const TODO: &str = "write the image again from its origin";

/// The number of a place when the last axis changes fastest.
fn linear(place: &[u64], counts: &[u64]) -> u64 {
    place.iter().zip(counts).fold(0, |number, (place, count)| number * count + place)
}
