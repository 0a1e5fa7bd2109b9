//! The directories of a TIFF file: which entries each has, and the values of those that are asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Seek, SeekFrom};

use onceflow_region::{ByteOrder, SourceError, size_words};

use crate::origin::{ByteOrigin, OriginReader};

/// The most entries of a directory; there are not even that many kinds.
const MOST_ENTRIES: u64 = 4096;

/// How many directories of a chain are looked at; the pyramid of the first image comes long before.
const MOST_DIRECTORIES: usize = 4096;

/// The longest text that is taken.
const LONGEST_TEXT: u64 = 16 << 20;

pub(super) const TODO: &str = "copy or export the file again";

/// Reads directories and their values.
pub(super) struct Directories<'a> {
    origin: &'a ByteOrigin,
    reader: OriginReader,
    pub(super) order: ByteOrder,
    big: bool,
}

/// One directory: an image, or a smaller copy of one.
#[derive(Debug, Default)]
pub(super) struct TiffDirectory {
    entries: BTreeMap<u16, DirectoryEntry>,
}

/// Where the values of an entry are.
#[derive(Debug, Clone, Copy)]
struct DirectoryEntry {
    kind: u16,
    count: u64,
    /// The bytes of the values when they fit, otherwise where they begin.
    field: [u8; 8],
}

impl TiffDirectory {
    pub(super) fn has(&self, tag: u16) -> bool {
        self.entries.contains_key(&tag)
    }
}

impl<'a> Directories<'a> {
    pub(super) fn new(origin: &'a ByteOrigin) -> Result<Directories<'a>, SourceError> {
        let reader = origin.reader()?;
        let mut new = Directories { origin, reader, order: ByteOrder::Little, big: false };
        new.order = if new.take::<2>()? == *b"MM" { ByteOrder::Big } else { ByteOrder::Little };
        new.big = new.number::<2>()? == 43;
        if new.big {
            new.take::<4>()?;
        }
        Ok(new)
    }

    /// The directories of the chain that begins in the head of the file.
    pub(super) fn chain(&mut self) -> Result<Vec<TiffDirectory>, SourceError> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        let mut offset = self.offset()?;
        while offset != 0 && found.len() < MOST_DIRECTORIES {
            if !seen.insert(offset) {
                let text = format!("one at byte {offset} that follows itself");
                return Err(self.origin.content("a chain of directories that ends", text, TODO));
            }
            found.push(self.directory(offset)?);
            offset = self.offset()?;
        }
        match found.is_empty() {
            true => Err(self.origin.content("a TIFF file with an image", "none", TODO)),
            false => Ok(found),
        }
    }

    /// The directory at a place of the file.
    pub(super) fn directory(&mut self, offset: u64) -> Result<TiffDirectory, SourceError> {
        self.seek(offset)?;
        let entries = if self.big { self.number::<8>()? } else { self.number::<2>()? };
        if entries > MOST_ENTRIES {
            let expected = format!("at most {MOST_ENTRIES} entries");
            return Err(self.origin.content(&expected, format!("a directory with {entries}"), TODO));
        }
        let mut directory = TiffDirectory::default();
        for _ in 0..entries {
            let (tag, kind) = (self.number::<2>()? as u16, self.number::<2>()? as u16);
            let count = self.offset()?;
            let mut field = [0; 8];
            let length = if self.big { 8 } else { 4 };
            self.fill(&mut field[..length])?;
            directory.entries.insert(tag, DirectoryEntry { kind, count, field });
        }
        Ok(directory)
    }

    /// Whole numbers from 0 on, at most `most` of them; `None` when there is no such entry.
    pub(super) fn numbers(
        &mut self,
        directory: &TiffDirectory,
        tag: u16,
        most: u64,
    ) -> Result<Option<Vec<u64>>, SourceError> {
        let Some(&entry) = directory.entries.get(&tag) else { return Ok(None) };
        let size = match entry.kind {
            1 | 7 => 1,
            3 => 2,
            4 | 13 => 4,
            16 | 18 => 8,
            _ => return Err(self.refused(tag, "whole numbers", format!("values of kind {}", entry.kind))),
        };
        if entry.count > most {
            return Err(self.refused(tag, &format!("at most {most} numbers"), entry.count.to_string()));
        }
        let bytes = self.bytes_of(&entry, size)?;
        Ok(Some(bytes.chunks_exact(size as usize).map(|number| join(number, self.order)).collect()))
    }

    /// One whole number.
    pub(super) fn one(&mut self, directory: &TiffDirectory, tag: u16) -> Result<Option<u64>, SourceError> {
        match self.numbers(directory, tag, 1)?.as_deref() {
            None => Ok(None),
            Some([number]) => Ok(Some(*number)),
            Some(_) => Err(self.refused(tag, "a number", "none".into())),
        }
    }

    /// A fraction of whole numbers.
    pub(super) fn fraction(
        &mut self,
        directory: &TiffDirectory,
        tag: u16,
    ) -> Result<Option<f64>, SourceError> {
        match directory.entries.get(&tag) {
            Some(&entry) if entry.kind == 5 && entry.count == 1 => {
                let bytes = self.bytes_of(&entry, 8)?;
                let part = |range| bytes.get(range).map_or(0.0, |number| join(number, self.order) as f64);
                Ok(Some(part(0..4) / part(4..8)))
            }
            _ => Ok(None),
        }
    }

    /// Bytes as they are.
    pub(super) fn bytes(
        &mut self,
        directory: &TiffDirectory,
        tag: u16,
    ) -> Result<Option<Vec<u8>>, SourceError> {
        match directory.entries.get(&tag) {
            Some(&entry) if matches!(entry.kind, 1 | 2 | 7) && entry.count <= LONGEST_TEXT => {
                self.bytes_of(&entry, 1).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A text, without what is no letter of UTF-8 and without the zero at its end.
    pub(super) fn text(
        &mut self,
        directory: &TiffDirectory,
        tag: u16,
    ) -> Result<Option<String>, SourceError> {
        let bytes = self.bytes(directory, tag)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()))
    }

    /// The bytes of an entry; the file must be long enough for them.
    fn bytes_of(&mut self, entry: &DirectoryEntry, size: u64) -> Result<Vec<u8>, SourceError> {
        let length = entry.count.checked_mul(size).filter(|&length| length <= self.origin.length());
        let length = length.ok_or_else(|| short(self.origin))? as usize;
        let word = if self.big { 8 } else { 4 };
        if length <= word {
            return Ok(entry.field[..length].to_vec());
        }
        self.seek(join(&entry.field[..word], self.order))?;
        let mut bytes = vec![0; length];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn refused(&self, tag: u16, expected: &str, found: String) -> SourceError {
        self.origin.content(&format!("{expected} in entry {tag}"), found, TODO)
    }

    fn offset(&mut self) -> Result<u64, SourceError> {
        if self.big { self.number::<8>() } else { self.number::<4>() }
    }

    fn number<const N: usize>(&mut self) -> Result<u64, SourceError> {
        Ok(join(&self.take::<N>()?, self.order))
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], SourceError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// The error of a text of the file in which a number cannot be read.
    pub(super) fn no_number(&self, text: &str, found: String) -> SourceError {
        self.origin.content(&format!("whole numbers in its {text}"), found, TODO)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), SourceError> {
        self.reader.read_exact(bytes).map_err(|error| unreadable(self.origin, &error))
    }

    fn seek(&mut self, offset: u64) -> Result<(), SourceError> {
        if offset >= self.origin.length() {
            let length = self.origin.length();
            let found = format!("a place at byte {offset} of a file of {length} bytes");
            return Err(self.origin.content("a whole TIFF image", found, TODO));
        }
        self.reader.seek(SeekFrom::Start(offset)).map_err(|error| unreadable(self.origin, &error))?;
        Ok(())
    }
}

/// What it means when bytes cannot be read.
pub(super) fn unreadable(origin: &ByteOrigin, error: &io::Error) -> SourceError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => short(origin),
        _ => origin.unreadable(error),
    }
}

fn short(origin: &ByteOrigin) -> SourceError {
    let found = format!("a file that ends too early, after {}", size_words(origin.length()));
    origin.content("a whole TIFF image", found, TODO)
}

fn join(bytes: &[u8], order: ByteOrder) -> u64 {
    let append = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    match order {
        ByteOrder::Little => bytes.iter().rev().fold(0, append),
        ByteOrder::Big => bytes.iter().fold(0, append),
    }
}
