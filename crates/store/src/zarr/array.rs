//! Reading boxes of the plane that an array holds: only the chunks that a box touches are read and unpacked.

use std::ops::Range;
use std::thread;

use onceflow_region::{Pixels, SourceError};

use super::band::ArrayBand;
use super::codec::ChunkPacking;
use super::folder::ZarrFolder;
use super::layout::ArrayLayout;
use super::scatter::Scatter;
use super::strips::ArrayStrips;

/// A Zarr array whose axes are those of one image plane.
#[derive(Debug)]
pub struct ZarrArray {
    /// Its folder as seen from the root, empty for the root itself.
    path: String,
    layout: ArrayLayout,
    plane: PlaneAxes,
    /// Channels, rows and columns.
    pub(crate) size: [u64; 3],
    pub(super) file: [u64; 3],
    pub(super) cell: [u64; 3],
    /// How far apart values lie in a cell along channels, rows and columns.
    strides: [usize; 3],
}

/// Which axes of an array are those of an image; along all others it has one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaneAxes {
    /// The axis of channels, when there is one.
    pub channels: Option<usize>,
    /// The axis of rows.
    pub rows: usize,
    /// The axis of columns.
    pub columns: usize,
}

/// The most chunks of one read: files of a pixel each would keep us busy for days.
const MOST_CHUNKS: u64 = 1 << 20;

/// What is read: rows and columns of the image, of all channels.
pub(super) type ArrayWindow = [Range<u64>; 2];

impl ZarrArray {
    /// The array in a folder, seen as a plane.
    pub fn new(path: &str, layout: ArrayLayout, plane: PlaneAxes) -> ZarrArray {
        let of = |sides: &[u64]| {
            [plane.channels.map_or(1, |axis| sides[axis]), sides[plane.rows], sides[plane.columns]]
        };
        let strides = strides(&layout, plane);
        let (size, file, cell) = (of(&layout.shape), of(&layout.file), of(&layout.cell));
        ZarrArray { path: path.to_owned(), layout, plane, size, file, cell, strides }
    }

    /// Channels, rows and columns.
    pub fn size(&self) -> [u64; 3] {
        self.size
    }

    /// What the metadata say.
    pub fn layout(&self) -> &ArrayLayout {
        &self.layout
    }

    /// Which axes are those of the plane.
    pub fn plane(&self) -> PlaneAxes {
        self.plane
    }

    /// Columns and rows of a chunk.
    pub fn tile(&self) -> [u64; 2] {
        [self.cell[2], self.cell[1]]
    }

    /// The values of a box that lies within and is not too large, on so many threads.
    ///
    /// # Errors
    /// When a chunk cannot be read or is damaged, or the box touches too many chunks.
    pub fn read(
        &self,
        folder: &ZarrFolder,
        rows: Range<u64>,
        columns: Range<u64>,
        threads: usize,
    ) -> Result<Pixels, SourceError> {
        if rows.is_empty() || columns.is_empty() {
            return Ok(Pixels::zeros(self.layout.element, 0));
        }
        self.check_chunks(folder, &rows, &columns)?;
        let row = (columns.end - columns.start) as usize * self.pixel_bytes();
        let count = (rows.end - rows.start) as usize * row / self.layout.element.bytes() as usize;
        let window = [rows, columns];
        let strips = if threads <= 1 { ArrayStrips::new(self, folder, window.clone()) } else { None };
        let mut pixels = match strips {
            Some(strips) => strips.pixels(count)?,
            None => {
                let mut pixels = Pixels::zeros(self.layout.element, count);
                self.fill(folder, window, threads, row, pixels.as_bytes_mut())?;
                pixels
            }
        };
        pixels.swap_bytes_from(self.layout.codecs.order);
        Ok(pixels)
    }

    /// Bands of rows, cut where chunks begin, are filled by a thread each.
    fn fill(
        &self,
        folder: &ZarrFolder,
        [rows, columns]: ArrayWindow,
        threads: usize,
        pitch: usize,
        target: &mut [u8],
    ) -> Result<(), SourceError> {
        if threads <= 1 {
            return self.fill_band(folder, [rows, columns], target);
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
            let work = |(window, band)| scope.spawn(move || self.fill_band(folder, window, band));
            let running: Vec<_> = bands.into_iter().map(work).collect();
            running
                .into_iter()
                .try_for_each(|band| band.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    /// Zeros become the values of a box.
    fn fill_band(
        &self,
        folder: &ZarrFolder,
        window: ArrayWindow,
        mut target: &mut [u8],
    ) -> Result<(), SourceError> {
        match ArrayStrips::new(self, folder, window.clone()) {
            Some(strips) => strips.fill::<u8>(&mut target),
            None => ArrayBand::new(self, folder, window, target).fill(),
        }
    }

    fn check_chunks(
        &self,
        folder: &ZarrFolder,
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
        Err(SourceError::content(
            &folder.file_name(&self.path),
            &expected,
            format!("{chunks}"),
            "read it in parts",
        ))
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
fn strides(layout: &ArrayLayout, plane: PlaneAxes) -> [usize; 3] {
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

impl ZarrArray {
    /// Which values of a cell, or of a file that is not there, go where in a band.
    pub(super) fn part(&self, [rows, columns]: &ArrayWindow, first: [u64; 3], sides: [u64; 3]) -> Scatter {
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

impl ZarrArray {
    /// Whether a checksum follows the values of a cell, when its rows stand in the file as they are wanted, all channels of
    /// a pixel side by side; `None` when they do not.
    pub(super) fn plain_rows(&self) -> Option<bool> {
        let checked = match self.layout.codecs.packings[..] {
            [] => false,
            [ChunkPacking::Crc32c] => true,
            _ => return None,
        };
        let [channels, height, width] = self.cell.map(|side| side as usize);
        let ordered = self.strides[1] == channels * width
            && self.strides[2] == channels
            && (channels == 1 || self.strides[0] == 1);
        // A cell may also hold places of other axes, at which the array has none.
        let whole =
            self.cell[0] == self.size[0] && height * width * self.pixel_bytes() == self.layout.cell_bytes();
        (ordered && whole).then_some(checked)
    }

    /// Bytes of all channels of a pixel.
    pub(super) fn pixel_bytes(&self) -> usize {
        (self.size[0] * self.layout.element.bytes()) as usize
    }
}
