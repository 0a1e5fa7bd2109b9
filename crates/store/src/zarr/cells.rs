//! A file of an array: one cell, or a shard of several.

use std::ops::Range;

use onceflow_region::SourceError;

use super::array::ZarrArray;
use super::folder::{ArrayFile, ZarrFolder};
use super::shard::ShardPlaces;

/// An open file, and where its cells stand.
pub(super) struct ChunkCells<'a> {
    array: &'a ZarrArray,
    pub(super) file: ArrayFile,
    /// `None` when the file is one cell.
    index: Option<ShardPlaces>,
}

impl<'a> ChunkCells<'a> {
    /// Opens the file at a place of the grid of files; `None` when it was never written.
    pub(super) fn open(
        array: &'a ZarrArray,
        folder: &ZarrFolder,
        place: [u64; 3],
    ) -> Result<Option<ChunkCells<'a>>, SourceError> {
        let (key, layout) = (array.key(place), array.layout());
        let Some(mut file) = folder.file(&key)? else {
            let expected = "a file for each chunk, since all were written";
            let lost = || Err(SourceError::content(&folder.file_name(&key), expected, "no file", TODO));
            return if layout.complete { lost() } else { Ok(None) };
        };
        let count = layout.cells_per_file().iter().product();
        let index = layout.index.map(|index| ShardPlaces::read(&mut file, index, count)).transpose()?;
        Ok(Some(ChunkCells { array, file, index }))
    }

    /// Where a cell stands, by its place in the grid of all cells; `None` when it was never written.
    pub(super) fn place(&self, cell: [u64; 3]) -> Result<Option<Range<u64>>, SourceError> {
        let Some(index) = &self.index else { return Ok(Some(0..self.file.length)) };
        let inner = std::array::from_fn(|axis| cell[axis] % (self.array.file[axis] / self.array.cell[axis]));
        index.place(linear(&self.array.spread(inner), &self.array.layout().cells_per_file()), &self.file)
    }

    /// The cell that begins at some value is not as it was written.
    pub(super) fn corrupt(&self, first: [u64; 3], found: String) -> SourceError {
        let expected = format!("the chunk at channel {}, row {}, column {}", first[0], first[1], first[2]);
        SourceError::content(&self.file.name, &expected, found, TODO)
    }
}

/// What to do about a chunk that is not as it was written.
const TODO: &str = "write the image again from its origin";

/// The number of a place when the last axis changes fastest.
fn linear(place: &[u64], counts: &[u64]) -> u64 {
    place.iter().zip(counts).fold(0, |number, (place, count)| number * count + place)
}
