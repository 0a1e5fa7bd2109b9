//! Filling a box: file by file, and of each file the chunks that the box touches.

use std::ops::Range;

use onceflow_region::{SourceError, size_words};

use super::array::{ArrayWindow, ZarrArray, overlap, touched};
use super::cells::ChunkCells;
use super::codec::{Codecs, Unpacker};
use super::folder::ZarrFolder;
use super::scatter::{Scatter, scatter};

/// Some rows of a box while they are filled.
pub(super) struct ArrayBand<'a> {
    array: &'a ZarrArray,
    folder: &'a ZarrFolder,
    window: ArrayWindow,
    /// Zeros at first; what nothing is put into stays zero.
    target: &'a mut [u8],
    unpacker: Unpacker,
}

impl<'a> ArrayBand<'a> {
    pub(super) fn new(
        array: &'a ZarrArray,
        folder: &'a ZarrFolder,
        window: ArrayWindow,
        target: &'a mut [u8],
    ) -> ArrayBand<'a> {
        ArrayBand { array, folder, window, target, unpacker: Unpacker::new() }
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
        Ok(())
    }

    /// Takes what a file holds of the box.
    fn take_file(&mut self, place: [u64; 3]) -> Result<(), SourceError> {
        let first = std::array::from_fn(|axis| place[axis] * self.array.file[axis]);
        let Some(mut cells) = ChunkCells::open(self.array, self.folder, place)? else {
            self.take_fill(first, self.array.file);
            return Ok(());
        };
        for cell in self.cells(first) {
            let first = std::array::from_fn(|axis| cell[axis] * self.array.cell[axis]);
            match cells.place(cell)? {
                Some(bytes) => self.take_cell(&mut cells, first, bytes)?,
                None => self.take_fill(first, self.array.cell),
            }
        }
        Ok(())
    }

    /// The cells of a file that the box touches, by their place in the grid of all cells.
    fn cells(&self, first: [u64; 3]) -> Vec<[u64; 3]> {
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

    /// Takes what a cell holds of the box, whose bytes stand at some place of a file.
    fn take_cell(
        &mut self,
        cells: &mut ChunkCells<'_>,
        first: [u64; 3],
        bytes: Range<u64>,
    ) -> Result<(), SourceError> {
        let (layout, cell) = (&self.array.layout(), self.array.layout().cell_bytes());
        let length = usize::try_from(bytes.end - bytes.start).unwrap_or(usize::MAX);
        if length > Codecs::most_bytes(cell) {
            return Err(cells.corrupt(first, format!("{}, more than it takes", size_words(length as u64))));
        }
        let part = self.array.part(&self.window, first, self.array.cell);
        cells.file.read_at(bytes.start, self.unpacker.room(length))?;
        match self.unpacker.unpack(&layout.codecs, length, cell) {
            Ok(values) => scatter(values, self.target, &part, layout.element.bytes()),
            Err(found) => return Err(cells.corrupt(first, found)),
        }
        Ok(())
    }

    /// What was never written has the value that the metadata say.
    fn take_fill(&mut self, first: [u64; 3], sides: [u64; 3]) {
        let layout = &self.array.layout();
        let value = layout.fill_bytes();
        if value.iter().all(|&byte| byte == 0) {
            return;
        }
        let part = self.array.part(&self.window, first, sides);
        let part = Scatter { from_first: 0, from: [0; 3], ..part };
        scatter(&value, self.target, &part, layout.element.bytes());
    }
}
