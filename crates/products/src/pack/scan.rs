//! A pack read from its beginning. Damage hides the records in it and no others.

use std::fs::File;
use std::io;
use std::path::Path;

use super::Extent;
use crate::disk::read_at;
use crate::record::Place;
use crate::record::blob::{self, BlobHead};
use crate::record::entry::{self, Entry};

/// Bytes that are read together.
const WINDOW: usize = 1 << 20;

/// A record of a pack.
#[derive(Debug, PartialEq)]
pub(crate) enum Scanned {
    Blob(BlobHead),
    Entry(Box<Entry>),
}

/// Gives the sound records of a pack in their order; the bytes that belong to none.
pub(crate) fn scan_file(path: &Path, name: &str, found: impl FnMut(Extent, Scanned)) -> io::Result<u64> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let read = |offset: u64, bytes: &mut [u8]| read_at(&file, bytes, offset);
    scan(&mut Window { read, length, start: 0, held: Vec::new() }, name, found)
}

/// How many sound records bytes hold as a pack of this name, and the bytes that belong to none.
#[doc(hidden)]
pub fn scan_bytes(name: &str, bytes: &[u8]) -> (usize, u64) {
    let read = |offset: u64, to: &mut [u8]| {
        to.copy_from_slice(&bytes[offset as usize..offset as usize + to.len()]);
        Ok(())
    };
    let mut window = Window { read, length: bytes.len() as u64, start: 0, held: Vec::new() };
    let mut records = 0;
    let lost = scan(&mut window, name, |_, _| records += 1);
    (records, lost.unwrap_or_default())
}

fn scan<R: Fn(u64, &mut [u8]) -> io::Result<()>>(
    window: &mut Window<R>,
    name: &str,
    mut found: impl FnMut(Extent, Scanned),
) -> io::Result<u64> {
    let (mut lost, mut offset) = (0, 0);
    while offset < window.length {
        let (length, record) = record_at(window, Place { pack: name, offset })?;
        match record {
            Some(record) => found(Extent { offset, length }, record),
            None => lost += length,
        }
        offset += length;
    }
    Ok(lost)
}

/// The record at a place and its length; the length of what is to be skipped where there is none.
fn record_at<R: Fn(u64, &mut [u8]) -> io::Result<()>>(
    window: &mut Window<R>,
    place: Place<'_>,
) -> io::Result<(u64, Option<Scanned>)> {
    let none = Ok((1, None));
    let rest = window.length - place.offset;
    let head = window.bytes(place.offset, rest.min(blob::HEAD as u64) as usize)?;
    if let Some(length) = entry::length(head).filter(|length| *length as u64 <= rest) {
        let entry = Entry::decode(place, window.bytes(place.offset, length)?);
        return entry.map_or(none, |entry| Ok((length as u64, Some(Scanned::Entry(Box::new(entry))))));
    }
    let Some(head) = BlobHead::decode(place, head) else { return none };
    if head.length() > rest {
        return Ok((rest, None));
    }
    // The head is sound, and so is its length: what follows is skipped when it is damaged.
    let stored = window.bytes(place.offset, head.length() as usize)?[blob::HEAD..].to_vec();
    Ok((head.length(), head.payload(stored).map(|_| Scanned::Blob(head))))
}

/// A piece of a pack in memory.
struct Window<R> {
    read: R,
    length: u64,
    start: u64,
    held: Vec<u8>,
}

impl<R: Fn(u64, &mut [u8]) -> io::Result<()>> Window<R> {
    /// Bytes of the pack, which has at least so many.
    fn bytes(&mut self, offset: u64, count: usize) -> io::Result<&[u8]> {
        let inside = offset >= self.start && offset + count as u64 <= self.start + self.held.len() as u64;
        if !inside {
            let length = (self.length - offset).min(count.max(WINDOW) as u64) as usize;
            self.held.clear();
            self.held.resize(length, 0);
            self.start = offset;
            (self.read)(offset, &mut self.held)?;
        }
        let from = (offset - self.start) as usize;
        Ok(&self.held[from..from + count])
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{PackWriter, name_of, path};
    use super::*;
    use crate::disk::Disk;
    use crate::record::{blob::Blob, digest, entry::tests::entry};

    /// A pack of three products, and the places where its six records begin.
    fn pack(folder: &Path) -> (String, Vec<u8>, Vec<usize>) {
        let name = name_of(&"ab".repeat(16));
        let mut writer = PackWriter::create(folder, &name, &Disk::default()).unwrap();
        let mut starts = Vec::new();
        for key in 1..=3 {
            let payload = [key; 40];
            starts.push(writer.end() as usize);
            writer.add_blob(&Blob::new(digest(&payload), &payload)).unwrap();
            starts.push(writer.end() as usize);
            writer.add_entry(&entry(key, &payload)).unwrap();
        }
        writer.sync().unwrap();
        let bytes = fs::read(path(folder, &name)).unwrap();
        (name, bytes, starts)
    }

    #[test]
    fn wherever_a_pack_is_cut_the_records_before_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (name, whole, starts) = pack(folder.path());
        let ends: Vec<usize> = starts[1..].iter().copied().chain([whole.len()]).collect();
        for end in 0..=whole.len() {
            let records = ends.iter().filter(|e| **e <= end).count();
            let last = ends[..records].last().copied().unwrap_or_default();
            assert_eq!(scan_bytes(&name, &whole[..end]), (records, (end - last) as u64), "cut at {end}");
        }
    }

    #[test]
    fn wherever_a_byte_is_changed_the_other_records_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (name, whole, _) = pack(folder.path());
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            assert_eq!(scan_bytes(&name, &changed).0, 5, "byte {at}");
        }
    }

    #[test]
    fn records_within_a_result_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let (name, inner, _) = pack(folder.path());
        let outer = name_of(&"cd".repeat(16));
        let mut writer = PackWriter::create(folder.path(), &outer, &Disk::default()).unwrap();
        writer.add_blob(&Blob::new(digest(&inner), &inner)).unwrap();
        writer.sync().unwrap();
        let mut bytes = fs::read(path(folder.path(), &outer)).unwrap();
        assert_eq!(scan_bytes(&outer, &bytes).0, 1);
        bytes[3] ^= 1;
        assert_eq!(scan_bytes(&outer, &bytes).0, 0, "a result may hold a pack");
        assert_eq!(scan_bytes(&name, &inner).0, 6);
    }
}
