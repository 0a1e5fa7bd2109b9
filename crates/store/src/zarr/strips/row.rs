//! A row of chunks while it is read, and what takes its values.

use std::ops::Range;

use super::super::cells::ChunkCells;
use super::super::checksum::Crc32c;

/// Chunks that lie side by side.
pub(super) struct StripRow<'a> {
    /// The rows that are wanted of them.
    pub(super) wanted: Range<usize>,
    pub(super) chunks: Vec<StripChunk>,
    /// The files that they stand in; `None` for one that was never written.
    pub(super) files: Vec<Option<ChunkCells<'a>>>,
}

/// A chunk while it is read.
pub(super) struct StripChunk {
    /// Which of the files it stands in.
    pub(super) file: usize,
    /// Its first value.
    pub(super) first: [u64; 3],
    /// Where its next bytes stand in the file; `None` when it was never written.
    pub(super) at: Option<u64>,
    /// Of what was read.
    pub(super) checksum: Crc32c,
    /// The bytes that are wanted of each of its rows.
    pub(super) columns: Range<usize>,
}

/// What takes the values of a box in their order.
pub(in super::super) trait Taker<T> {
    /// Takes the next ones.
    fn add(&mut self, values: &[T]);
}

impl<T: Copy> Taker<T> for Vec<T> {
    fn add(&mut self, values: &[T]) {
        self.extend_from_slice(values);
    }
}

/// The bytes of values that exist already.
impl Taker<u8> for &mut [u8] {
    fn add(&mut self, values: &[u8]) {
        let (next, rest) = std::mem::take(self).split_at_mut(values.len());
        next.copy_from_slice(values);
        *self = rest;
    }
}
