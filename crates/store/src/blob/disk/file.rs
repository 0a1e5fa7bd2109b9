//! The file of a blob: a mark, the length, the bytes, and the checksums of their chunks, checked by the blob's name.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use onceflow_region::Digest;

use super::DAMAGED;
use crate::blob::chunks;
use crate::blob::chunks::{CHUNK, ChunkDigest};
use crate::blob::content::write_checked;
use crate::blob::{BlobContent, BlobError};

/// How every file begins; the number is that of this form.
const MARK: &[u8; 8] = b"ofblob01";
/// The mark and the length.
const HEADER: u64 = 16;

/// Writes a file.
pub(super) fn write(file: &mut File, digest: &Digest, content: &dyn BlobContent) -> Result<(), BlobError> {
    let mut to = BufWriter::with_capacity(CHUNK / 8, file);
    to.write_all(MARK)?;
    to.write_all(&content.length().to_le_bytes())?;
    let checksums = write_checked(content, digest, &mut to)?;
    checksums.iter().try_for_each(|checksum| to.write_all(checksum))?;
    Ok(to.flush()?)
}

/// The length that a file of its size has, if it is whole.
pub(super) fn stored_length(path: &Path) -> Result<u64, BlobError> {
    let size = path.metadata().map_err(|error| BlobError::at(path, error))?.len();
    // Each chunk takes 32 bytes more at the end.
    let body = size.saturating_sub(HEADER);
    let chunks = body.div_ceil(CHUNK as u64 + size_of::<ChunkDigest>() as u64);
    Ok(body.saturating_sub(chunks * size_of::<ChunkDigest>() as u64))
}

/// A file whose length and checksums are known to be those of the blob.
pub(super) struct BlobFile {
    path: PathBuf,
    file: File,
    length: u64,
    checksums: Vec<ChunkDigest>,
}

impl BlobFile {
    /// Opens a file and checks everything but the bytes themselves.
    pub(super) fn open(path: PathBuf, digest: &Digest) -> Result<BlobFile, BlobError> {
        let file = File::open(&path).map_err(|error| BlobError::at(&path, error))?;
        let mut opened = BlobFile { path, file, length: 0, checksums: Vec::new() };
        opened.length = opened.read_header()?;
        opened.checksums = opened.read_checksums()?;
        let found = chunks::digest(opened.length, &opened.checksums);
        match found == *digest {
            true => Ok(opened),
            false => Err(opened.damaged(format!("checksums of blob {digest}"), format!("those of {found}"))),
        }
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The bytes in a range that lies within.
    pub(super) fn read_range(&mut self, range: Range<u64>) -> Result<Vec<u8>, BlobError> {
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        let (mut chunk, size) = (Vec::new(), CHUNK as u64);
        for index in range.start / size..range.end.div_ceil(size) {
            if range.is_empty() {
                break;
            }
            self.read_chunk(index, &mut chunk)?;
            let within = |place: u64| place.saturating_sub(index * size).min(chunk.len() as u64) as usize;
            bytes.extend_from_slice(&chunk[within(range.start)..within(range.end)]);
        }
        Ok(bytes)
    }

    pub(super) fn stream(self) -> BlobStream {
        BlobStream { file: self, chunk: Vec::new(), given: 0, next: 0 }
    }

    fn read_header(&mut self) -> Result<u64, BlobError> {
        let size = self.file.metadata().map_err(|error| BlobError::at(&self.path, error))?.len();
        let mut header = [0; HEADER as usize];
        if size < HEADER {
            return Err(self.damaged(format!("at least {HEADER} bytes"), format!("{size}")));
        }
        self.read_at(0, &mut header)?;
        let (mark, length) = header.split_at(MARK.len());
        if mark != MARK {
            return Err(self.damaged("the mark of a blob".into(), String::from_utf8_lossy(mark).into_owned()));
        }
        let length = length.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        self.check_size(length, size).map(|()| length)
    }

    /// Nothing is read or allocated for a length that the file does not have.
    fn check_size(&self, length: u64, size: u64) -> Result<(), BlobError> {
        let table = chunks::count(length).checked_mul(size_of::<ChunkDigest>() as u64);
        let expected = table.and_then(|table| length.checked_add(table)?.checked_add(HEADER));
        if expected == Some(size) {
            return Ok(());
        }
        let expected = expected.map_or("fewer".to_owned(), |expected| expected.to_string());
        Err(self.damaged(format!("{expected} bytes for a blob of {length}"), format!("{size}")))
    }

    fn read_checksums(&mut self) -> Result<Vec<ChunkDigest>, BlobError> {
        let mut checksums = vec![[0; 32]; chunks::count(self.length) as usize];
        self.read_at(HEADER + self.length, checksums.as_flattened_mut())?;
        Ok(checksums)
    }

    /// Reads a chunk and checks it.
    fn read_chunk(&mut self, index: u64, chunk: &mut Vec<u8>) -> Result<(), BlobError> {
        let start = index * CHUNK as u64;
        chunk.resize((self.length - start).min(CHUNK as u64) as usize, 0);
        self.read_at(HEADER + start, chunk)?;
        let (expected, found) = (self.checksums[index as usize], chunks::checksum(chunk));
        match expected == found {
            true => Ok(()),
            false => Err(self.damaged(
                format!("checksum {} of chunk {index}", Digest(expected)),
                Digest(found).to_string(),
            )),
        }
    }

    fn read_at(&mut self, place: u64, bytes: &mut [u8]) -> Result<(), BlobError> {
        let read = self.file.seek(SeekFrom::Start(place)).and_then(|_| self.file.read_exact(bytes));
        match read {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(self
                    .damaged(format!("{} bytes from {place} on", bytes.len()), "the end of the file".into()))
            }
            result => result.map_err(|error| BlobError::at(&self.path, error)),
        }
    }

    /// Moves the file aside, unless another has taken its place meanwhile.
    fn damaged(&self, expected: String, found: String) -> BlobError {
        let aside = self.path.with_extension(DAMAGED);
        let moved = is_same(&self.file, &self.path) && fs::rename(&self.path, &aside).is_ok();
        BlobError::Damaged { path: self.path.clone(), expected, found, aside: moved.then_some(aside) }
    }
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let number = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|there| (there.dev(), there.ino()));
    number(file.metadata()) == number(path.symlink_metadata())
}

#[cfg(not(unix))]
fn is_same(_file: &File, _path: &Path) -> bool {
    true
}

/// The bytes of a file, each chunk checked before any of it is handed out.
pub(super) struct BlobStream {
    file: BlobFile,
    chunk: Vec<u8>,
    given: usize,
    next: u64,
}

impl Read for BlobStream {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.given == self.chunk.len() && self.next < chunks::count(self.file.length) {
            let index = self.next;
            // Nothing of a chunk that turns out damaged is left to be handed out.
            self.given = 0;
            let read = self.file.read_chunk(index, &mut self.chunk);
            read.inspect_err(|_| self.chunk.clear())?;
            self.next = index + 1;
        }
        let count = to.len().min(self.chunk.len() - self.given);
        to[..count].copy_from_slice(&self.chunk[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}
