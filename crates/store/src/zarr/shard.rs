//! Shards: files of several chunks with an index of where each stands.

use std::ops::Range;

use onceflow_region::SourceError;

use super::checksum::Crc32c;
use super::codec::without_checksum;
use super::folder::ArrayFile;
use super::layout::ShardIndexForm;

/// Where the chunks of a shard stand, as the file says it.
pub(super) struct ShardPlaces {
    bytes: Vec<u8>,
    little: bool,
}

/// What stands in place of offset and length for a chunk that was not written.
const ABSENT: u64 = u64::MAX;

/// Bytes of an offset and a length.
const ENTRY: u64 = 16;

/// What to do about a shard that is not as it was written.
const TODO: &str = "write the image again from its origin";

impl ShardPlaces {
    /// Reads the index of a shard of so many chunks.
    pub(super) fn read(
        file: &mut ArrayFile,
        index: ShardIndexForm,
        chunks: u64,
    ) -> Result<ShardPlaces, SourceError> {
        let length = chunks * ENTRY + if index.checked { 4 } else { 0 };
        let corrupt = |file: &ArrayFile, found| {
            SourceError::content(
                &file.name,
                &format!("a shard with an index of {chunks} chunks"),
                found,
                TODO,
            )
        };
        let Some(before) = file.length.checked_sub(length) else {
            return Err(corrupt(file, format!("{} bytes", file.length)));
        };
        let mut bytes = vec![0; length as usize];
        file.read_at(if index.at_end { before } else { 0 }, &mut bytes)?;
        if index.checked {
            let kept =
                without_checksum(&bytes).map_err(|found| corrupt(file, format!("an index of {found}")))?;
            bytes.truncate(kept);
        }
        Ok(ShardPlaces { bytes, little: index.little })
    }

    /// Where a chunk stands; `None` when it was not written.
    pub(super) fn place(&self, number: u64, file: &ArrayFile) -> Result<Option<Range<u64>>, SourceError> {
        let (entries, _) = self.bytes.as_chunks::<8>();
        let read = |at: u64| match entries.get(at as usize) {
            Some(&bytes) if self.little => u64::from_le_bytes(bytes),
            Some(&bytes) => u64::from_be_bytes(bytes),
            None => ABSENT,
        };
        let (offset, length) = (read(number * 2), read(number * 2 + 1));
        if (offset, length) == (ABSENT, ABSENT) {
            return Ok(None);
        }
        match offset.checked_add(length).filter(|&end| end <= file.length) {
            Some(end) => Ok(Some(offset..end)),
            None => {
                let found = format!("{length} bytes from byte {offset} on, in a file of {}", file.length);
                Err(SourceError::content(&file.name, &format!("chunk {number} within the file"), found, TODO))
            }
        }
    }
}

/// Makes the index of a shard whose chunks stand one after the other, perhaps with gaps, with its checksum.
#[derive(Default)]
pub(super) struct IndexBuilder {
    index: Vec<u8>,
    length: u64,
}

impl IndexBuilder {
    /// The next chunk begins at a multiple of so many bytes; says how many come before it that mean nothing.
    pub(super) fn align(&mut self, alignment: u64) -> usize {
        let before = self.length.next_multiple_of(alignment) - self.length;
        self.length += before;
        before as usize
    }

    /// The next chunk has so many bytes.
    pub(super) fn add(&mut self, length: u64) {
        self.say([self.length, length]);
        self.length += length;
    }

    /// The next chunk is not written.
    pub(super) fn leave_out(&mut self) {
        self.say([ABSENT; 2]);
    }

    fn say(&mut self, place: [u64; 2]) {
        place.iter().for_each(|number| self.index.extend_from_slice(&number.to_le_bytes()));
    }

    /// The bytes of the index.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let checksum = Crc32c::of(&self.index);
        self.index.extend_from_slice(&checksum.to_bytes());
        self.index
    }
}
