//! A look at the numbers of the first directory, before the decoder multiplies them.

use std::io::{Read, Seek, SeekFrom};

use super::super::SourceError;
use super::super::origin::{Origin, Reader};

/// The longest side of an image; no scanner comes near it, and products of two sides stay small enough.
const LONGEST_SIDE: u64 = 1 << 24;

/// The most values per pixel.
const MOST_SAMPLES: u64 = 16;

/// The most bytes of one row of a tile.
const LONGEST_ROW: u64 = 256 << 20;

/// The most entries of a directory; there are not even that many kinds.
const MOST_ENTRIES: u64 = 4096;

const TODO: &str = "copy or export the file again";

/// Refuses a file whose sizes cannot be true.
pub(super) fn check(origin: &Origin) -> Result<(), SourceError> {
    let short = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => {
            let found = format!("{} bytes, where it ends too early", origin.length());
            origin.content("a whole TIFF image", found, TODO)
        }
        _ => origin.unreadable(&error),
    };
    let mut numbers = Numbers::new(origin.reader()?).map_err(short)?;
    let entries = numbers.first_directory().map_err(short)?;
    if entries > MOST_ENTRIES {
        let expected = format!("at most {MOST_ENTRIES} entries");
        return Err(origin.content(&expected, format!("a directory with {entries}"), TODO));
    }
    let mut row = [1; 2];
    for _ in 0..entries {
        let entry = numbers.entry().map_err(short)?;
        check_entry(origin, &entry, &mut row)?;
    }
    match row[0].saturating_mul(row[1]).saturating_mul(8) {
        bytes if bytes > LONGEST_ROW => {
            Err(origin.content(&format!("rows of at most {LONGEST_ROW} bytes"), format!("{bytes}"), TODO))
        }
        _ => Ok(()),
    }
}

/// Checks one number and remembers the two that make the length of a tile's row.
fn check_entry(origin: &Origin, entry: &Entry, row: &mut [u64; 2]) -> Result<(), SourceError> {
    let (name, most) = match entry.tag {
        256 => ("width", LONGEST_SIDE),
        257 => ("height", LONGEST_SIDE),
        277 => ("values per pixel", MOST_SAMPLES),
        322 => ("tile width", LONGEST_SIDE),
        323 => ("tile height", LONGEST_SIDE),
        _ => return Ok(()),
    };
    let found = entry.number.filter(|number| (1..=most).contains(number)).ok_or_else(|| {
        let found =
            entry.number.map_or("something that is no whole number".into(), |number| number.to_string());
        origin.content(&format!("a {name} from 1 to {most}"), found, TODO)
    })?;
    match entry.tag {
        322 => row[0] = row[0].max(found),
        277 => row[1] = row[1].max(found),
        _ => {}
    }
    Ok(())
}

/// One entry of a directory, with its value when it is one whole number.
struct Entry {
    tag: u64,
    number: Option<u64>,
}

/// Reads numbers in the byte order of the file.
struct Numbers {
    reader: Reader,
    little: bool,
    big: bool,
}

impl Numbers {
    fn new(reader: Reader) -> std::io::Result<Numbers> {
        let mut numbers = Numbers { reader, little: true, big: false };
        numbers.little = numbers.take::<2>()? == *b"II";
        numbers.big = numbers.number::<2>()? == 43;
        Ok(numbers)
    }

    /// Goes to the first directory and gives the number of its entries.
    fn first_directory(&mut self) -> std::io::Result<u64> {
        let offset = if self.big {
            self.take::<4>()?;
            self.number::<8>()?
        } else {
            self.number::<4>()?
        };
        self.reader.seek(SeekFrom::Start(offset))?;
        if self.big { self.number::<8>() } else { self.number::<2>() }
    }

    fn entry(&mut self) -> std::io::Result<Entry> {
        let (tag, kind) = (self.number::<2>()?, self.number::<2>()?);
        let count = if self.big { self.number::<8>()? } else { self.number::<4>()? };
        let mut value = [0; 8];
        let length = if self.big { 8 } else { 4 };
        self.reader.read_exact(&mut value[..length])?;
        let number = match (kind, count) {
            (1, 1) => Some(u64::from(value[0])),
            (3, 1) => Some(self.join(&value[..2])),
            (4, 1) => Some(self.join(&value[..4])),
            (16, 1) => Some(self.join(&value[..length])),
            _ => None,
        };
        Ok(Entry { tag, number })
    }

    fn number<const N: usize>(&mut self) -> std::io::Result<u64> {
        let bytes = self.take::<N>()?;
        Ok(self.join(&bytes))
    }

    fn take<const N: usize>(&mut self) -> std::io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn join(&self, bytes: &[u8]) -> u64 {
        let append = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if self.little { bytes.iter().rev().fold(0, append) } else { bytes.iter().fold(0, append) }
    }
}
