//! Reading boxes of the plane that an array holds: only the chunks that a box touches are read and unpacked.

use std::ops::Range;
use std::thread;

use super::band::{Band, Target};
use super::codec::Packing;
use super::folder::Folder;
use super::layout::Layout;
use super::scatter::Scatter;
use crate::source::origin::content;
use crate::{Element, Pixels, SourceError};

/// A Zarr array whose axes are those of one image plane.
#[derive(Debug)]
pub(super) struct Array {
    /// Its folder as seen from the root, empty for the root itself.
    path: String,
    layout: Layout,
    plane: Plane,
    /// Channels, rows and columns.
    pub(super) size: [u64; 3],
    pub(super) file: [u64; 3],
    pub(super) cell: [u64; 3],
    /// How far apart values lie in a cell along channels, rows and columns.
    strides: [usize; 3],
}

/// Which axes of an array are those of an image; along all others it has one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plane {
    pub(super) channels: Option<usize>,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// The most chunks of one read: files of a pixel each would keep us busy for days.
const MOST_CHUNKS: u64 = 1 << 20;

/// What is read: rows and columns of the image, of all channels.
pub(super) type Window = [Range<u64>; 2];

impl Array {
    pub(super) fn new(path: &str, layout: Layout, plane: Plane) -> Array {
        let of = |sides: &[u64]| {
            [plane.channels.map_or(1, |axis| sides[axis]), sides[plane.rows], sides[plane.columns]]
        };
        let strides = strides(&layout, plane);
        let (size, file, cell) = (of(&layout.shape), of(&layout.file), of(&layout.cell));
        Array { path: path.to_owned(), layout, plane, size, file, cell, strides }
    }

    pub(super) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(super) fn plane(&self) -> Plane {
        self.plane
    }

    /// Columns and rows of a chunk.
    pub(super) fn tile(&self) -> [u64; 2] {
        [self.cell[2], self.cell[1]]
    }

    /// The values of a box that lies within and is not too large, on so many threads.
    pub(super) fn read(
        &self,
        folder: &Folder,
        rows: Range<u64>,
        columns: Range<u64>,
        threads: usize,
    ) -> Result<Pixels, SourceError> {
        if rows.is_empty() || columns.is_empty() {
            return Ok(Pixels::zeros(self.layout.element, 0));
        }
        self.check_chunks(folder, &rows, &columns)?;
        let row = (columns.end - columns.start) * self.size[0];
        let count = ((rows.end - rows.start) * row) as usize;
        if self.layout.element == Element::U8 && threads <= 1 {
            let mut bytes = Vec::with_capacity(count);
            Band::new(self, folder, [rows, columns], Target::Growing(&mut bytes, count)).fill()?;
            return Ok(Pixels::U8(bytes));
        }
        let mut pixels = Pixels::zeros(self.layout.element, count);
        let pitch = (row * self.layout.element.bytes()) as usize;
        self.fill(folder, [rows, columns], threads, pitch, pixels.as_bytes_mut())?;
        pixels.swap_bytes_from(self.layout.codecs.order);
        Ok(pixels)
    }

    /// Bands of rows, cut where chunks begin, are filled by a thread each.
    fn fill(
        &self,
        folder: &Folder,
        [rows, columns]: Window,
        threads: usize,
        pitch: usize,
        target: &mut [u8],
    ) -> Result<(), SourceError> {
        if threads <= 1 {
            return Band::new(self, folder, [rows, columns], Target::Zeros(target)).fill();
        }
        let height = (rows.end - rows.start).div_ceil(threads as u64).next_multiple_of(self.cell[1]);
        let (mut rest, mut top, mut bands) = (target, rows.start, Vec::new());
        while top < rows.end {
            let end = (top / height * height).saturating_add(height).min(rows.end);
            let (band, others) = rest.split_at_mut((end - top) as usize * pitch);
            bands.push(([top..end, columns.clone()], band));
            (rest, top) = (others, end);
        }
        thread::scope(|scope| {
            let work = |(window, band)| {
                scope.spawn(move || Band::new(self, folder, window, Target::Zeros(band)).fill())
            };
            let running: Vec<_> = bands.into_iter().map(work).collect();
            running
                .into_iter()
                .try_for_each(|band| band.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    fn check_chunks(
        &self,
        folder: &Folder,
        rows: &Range<u64>,
        columns: &Range<u64>,
    ) -> Result<(), SourceError> {
        let count = |range: &Range<u64>, side| touched(range, side).end - touched(range, side).start;
        let along = [
            count(&(0..self.size[0]), self.cell[0]),
            count(rows, self.cell[1]),
            count(columns, self.cell[2]),
        ];
        let chunks = along.into_iter().fold(1u64, u64::saturating_mul);
        if chunks <= MOST_CHUNKS {
            return Ok(());
        }
        let expected = format!("a read of at most {MOST_CHUNKS} chunks");
        Err(content(&folder.file_name(&self.path), &expected, format!("{chunks}"), "read it in parts"))
    }

    /// The place of channels, rows and columns among all axes.
    pub(super) fn spread(&self, place: [u64; 3]) -> Vec<u64> {
        let mut spread = vec![0; self.layout.shape.len()];
        if let Some(axis) = self.plane.channels {
            spread[axis] = place[0];
        }
        spread[self.plane.rows] = place[1];
        spread[self.plane.columns] = place[2];
        spread
    }

    pub(super) fn key(&self, place: [u64; 3]) -> String {
        let key = self.layout.key(&self.spread(place));
        if self.path.is_empty() { key } else { format!("{}/{key}", self.path) }
    }
}

/// How far apart the values of a cell lie along channels, rows and columns.
fn strides(layout: &Layout, plane: Plane) -> [usize; 3] {
    let mut strides = vec![0; layout.cell.len()];
    let mut stride = 1;
    for &axis in layout.codecs.axes.iter().rev() {
        strides[axis] = stride;
        stride *= layout.cell[axis] as usize;
    }
    [plane.channels.map_or(0, |axis| strides[axis]), strides[plane.rows], strides[plane.columns]]
}

/// The places of a grid that a range touches.
pub(super) fn touched(range: &Range<u64>, side: u64) -> Range<u64> {
    range.start / side..range.end.div_ceil(side)
}

pub(super) fn overlap(range: &Range<u64>, start: u64, side: u64) -> Range<u64> {
    range.start.max(start)..range.end.min(start + side)
}

impl Array {
    /// Which values of a cell, or of a file that is not there, go where in a band.
    pub(super) fn part(&self, [rows, columns]: &Window, first: [u64; 3], sides: [u64; 3]) -> Scatter {
        let whole = [0..self.size[0], rows.clone(), columns.clone()];
        let overlaps: [Range<u64>; 3] =
            std::array::from_fn(|axis| overlap(&whole[axis], first[axis], sides[axis]));
        let from = |axis: usize| (overlaps[axis].start - first[axis]) as usize * self.strides[axis];
        let [channels, width] = [self.size[0], columns.end - columns.start].map(|side| side as usize);
        let to = |axis: usize| (overlaps[axis].start - whole[axis].start) as usize;
        Scatter {
            from_first: (0..3).map(from).sum(),
            from: self.strides,
            to_first: (to(1) * width + to(2)) * channels + to(0),
            channels,
            pitch: width * channels,
            lengths: std::array::from_fn(|axis| (overlaps[axis].end - overlaps[axis].start) as usize),
        }
    }
}

/// The rows of a cell that stand in its file as they are wanted, counted in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    /// Where the first begins in what is filled.
    first: usize,
    /// How far one begins after the other.
    pitch: usize,
    /// Bytes of a row.
    width: usize,
    count: usize,
    /// Whether a checksum follows them in the file.
    pub(super) checked: bool,
}

impl Rows {
    /// The rows in what is filled.
    pub(super) fn of(self, target: &mut [u8]) -> impl Iterator<Item = &mut [u8]> {
        target[self.first..].chunks_mut(self.pitch).take(self.count).map(move |row| &mut row[..self.width])
    }

    /// Where the last one ends in what is filled.
    pub(super) fn end(self) -> usize {
        self.first + self.count.saturating_sub(1) * self.pitch + self.width
    }

    /// Whether they lie together and come right after so many bytes of what is filled.
    pub(super) fn follow(self, bytes: usize) -> bool {
        self.first == bytes && self.count == 1
    }

    /// The same rows, so many bytes of them at a time, but at least one row.
    pub(super) fn in_blocks(self, bytes: usize) -> impl Iterator<Item = Rows> {
        let step = (bytes / self.width.max(1)).max(1);
        (0..self.count).step_by(step).map(move |row| {
            let first = self.first + row * self.pitch;
            Rows { first, count: step.min(self.count - row), ..self }.joined()
        })
    }

    /// Rows that lie together are one.
    fn joined(self) -> Rows {
        let all = self.width * self.count;
        if self.width == self.pitch { Rows { pitch: all, width: all, count: 1, ..self } } else { self }
    }
}

impl Array {
    /// The rows of a cell of which all of these bytes are wanted, and in the order in which they stand in the file.
    pub(super) fn rows_of(&self, part: &Scatter, length: usize) -> Option<Rows> {
        let [channels, height, width] = part.lengths;
        let cell = self.cell.map(|side| side as usize);
        let whole = part.lengths == cell && channels == part.channels;
        let ordered = part.from[1] == channels * width
            && part.from[2] == channels
            && (channels == 1 || part.from[0] == 1);
        let checked = match self.layout.codecs.packings[..] {
            [] => false,
            [Packing::Crc32c] => true,
            _ => return None,
        };
        let bytes = self.layout.element.bytes() as usize;
        // A cell may also hold places of other axes, at which the array has none.
        let values = channels * height * width * bytes;
        let all = values == self.layout.cell_bytes() && length == values + if checked { 4 } else { 0 };
        if !whole || !ordered || !all {
            return None;
        }
        let [first, pitch, width] =
            [part.to_first, part.pitch, channels * width].map(|values| values * bytes);
        Some(Rows { first, pitch, width, count: height, checked })
    }
}
