//! Packs: files to which one process appends records. A pack is never changed in the middle; a torn end never happened.

mod scan;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

#[doc(hidden)]
pub use scan::scan_bytes;
pub(crate) use scan::{Scanned, scan_file};

use crate::ProductError;
use crate::disk::Disk;
use crate::record::Place;
use crate::record::blob::{Blob, BlobHead};
use crate::record::entry::Entry;

/// A pack that is longer than this gets no more records.
const LONG: u64 = 64 << 20;

/// A blob that is longer than this has a pack of its own, which is removed with it.
pub(crate) const LARGE: u64 = 4 << 20;

/// Records are written together until they have so many bytes.
const BUFFER: usize = 1 << 20;

/// What the names of packs end with; the number changes when the form does.
const ENDING: &str = ".pack3";

/// A pack that this process appends to. It is locked: others know that its end may still move.
pub(crate) struct PackWriter {
    /// The name of the file in the folder of packs.
    pub(crate) name: String,
    path: PathBuf,
    file: File,
    disk: Disk,
    /// Records that are not written yet.
    buffer: Vec<u8>,
    end: u64,
    /// Whether the system may have forgotten bytes that were written.
    is_doubtful: bool,
}

/// Where a record is in its pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

impl PackWriter {
    /// A new pack under a name that no other has.
    pub(crate) fn create(folder: &Path, name: &str, disk: &Disk) -> Result<Self, ProductError> {
        let path = path(folder, name);
        let file = disk.create(&path)?;
        disk.sync_folder(folder)?;
        let (name, disk, buffer) = (name.to_owned(), disk.clone(), Vec::new());
        Ok(Self { name, path, file, disk, buffer, end: 0, is_doubtful: false })
    }

    /// Whether another pack should be begun.
    pub(crate) fn is_long(&self) -> bool {
        self.end >= LONG
    }

    /// Where the next record will be.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Appends a blob.
    pub(crate) fn add_blob(&mut self, blob: &Blob<'_>) -> Result<Extent, ProductError> {
        self.add_stored(&blob.head, &blob.stored)
    }

    /// Appends a blob as it is stored elsewhere.
    pub(crate) fn add_stored(&mut self, head: &BlobHead, stored: &[u8]) -> Result<Extent, ProductError> {
        let offset = self.end;
        let bytes = head.encode(Place { pack: &self.name, offset });
        self.buffer.extend(bytes);
        if stored.len() < BUFFER {
            self.buffer.extend(stored);
        } else {
            self.flush()?;
            self.disk.append(&self.file, &self.path, stored)?;
        }
        self.added(offset, head.length())
    }

    /// Appends an entry.
    pub(crate) fn add_entry(&mut self, entry: &Entry) -> Result<Extent, ProductError> {
        let (offset, before) = (self.end, self.buffer.len());
        entry.encode(Place { pack: &self.name, offset }, &mut self.buffer);
        self.added(offset, (self.buffer.len() - before) as u64)
    }

    fn added(&mut self, offset: u64, length: u64) -> Result<Extent, ProductError> {
        self.end = offset + length;
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(Extent { offset, length })
    }

    fn flush(&mut self) -> Result<(), ProductError> {
        if !self.buffer.is_empty() {
            self.disk.append(&self.file, &self.path, &self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Brings all records to the disk.
    pub(crate) fn sync(&mut self) -> Result<(), ProductError> {
        self.flush()?;
        self.disk.sync(&self.file, &self.path).inspect_err(|_| self.is_doubtful = true)
    }

    /// Takes back the records from a place on; whether more may be appended then. After a failed sync none may: the system
    /// may have forgotten any bytes of the file.
    pub(crate) fn take_back(&mut self, end: u64) -> bool {
        self.buffer.clear();
        let cut = self.disk.cut(&self.file, &self.path, end);
        self.end = end;
        cut.is_ok() && !self.is_doubtful
    }
}

/// A name of a pack from 32 hexadecimal digits.
pub(crate) fn name_of(digits: &str) -> String {
    format!("{digits}{ENDING}")
}

/// The names of all packs in a folder, in order.
pub(crate) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        if is_name(&name) && entry.file_type()?.is_file() {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether a text may be the name of a pack: an index that was tampered with does not lead out of its folder.
pub(crate) fn is_name(name: &str) -> bool {
    name.strip_suffix(ENDING).is_some_and(is_digits)
}

/// Whether a text is 32 hexadecimal digits.
pub(crate) fn is_digits(digits: &str) -> bool {
    digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit))
}

/// The file of a pack.
pub(crate) fn path(folder: &Path, name: &str) -> PathBuf {
    folder.join(name)
}

/// Whether a process appends to a pack now. Where the file system has no locks, one may when others use the store.
pub(crate) fn is_written(path: &Path, with_others: bool) -> bool {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return error.kind() != io::ErrorKind::NotFound,
    };
    match file.try_lock_shared() {
        Ok(()) => false,
        Err(fs::TryLockError::WouldBlock) => true,
        Err(fs::TryLockError::Error(_)) => with_others,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        let digits = "0a".repeat(16);
        assert!(is_name(&name_of(&digits)));
        let outside = format!("../{}{ENDING}", &digits[3..]);
        for name in ["", ENDING, "../x.pack3", &format!("{digits}.zip"), &digits, &outside] {
            assert!(!is_name(name), "{name}");
        }
    }
}
