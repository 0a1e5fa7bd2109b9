//! Where the bytes of an image come from: a file that is opened anew for each read, or memory.

use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use super::{Meter, SourceError};
use crate::Digest;
use crate::digest::Digester;

/// The bytes of an image under the name that errors give them.
#[derive(Debug)]
pub(crate) struct Origin {
    name: String,
    place: Place,
    meter: Arc<Meter>,
    digest: OnceLock<Digest>,
}

#[derive(Debug)]
enum Place {
    File { path: PathBuf, state: State },
    Memory(Arc<[u8]>),
}

/// What tells whether a file was written to after it was opened first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct State {
    length: u64,
    modified: Option<SystemTime>,
}

/// What decoders read from: each has its own, so that several threads can read one image.
pub(crate) type Reader = BufReader<Counting>;

impl Origin {
    pub(crate) fn file(path: &Path, meter: Arc<Meter>) -> Result<Origin, SourceError> {
        let name = path.display().to_string();
        let meta = fs::metadata(path).map_err(|error| unreadable(&name, &error))?;
        if !meta.is_file() {
            // A pipe would make us wait for ever, and a folder has no bytes.
            let found = if meta.is_dir() { "a folder" } else { "something that is no regular file" };
            return Err(content(&name, "an image file", found, "name the image itself"));
        }
        let place = Place::File { path: path.to_owned(), state: State::of(&meta) };
        Ok(Origin { name, place, meter, digest: OnceLock::new() })
    }

    pub(crate) fn bytes(name: &str, bytes: Arc<[u8]>, meter: Arc<Meter>) -> Origin {
        Origin { name: name.to_owned(), place: Place::Memory(bytes), meter, digest: OnceLock::new() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where the file is, when it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::File { path, .. } => Some(path),
            Place::Memory(_) => None,
        }
    }

    /// The ending of the name in small letters.
    pub(crate) fn ending(&self) -> String {
        Path::new(&self.name)
            .extension()
            .map_or_else(String::new, |ending| ending.to_string_lossy().to_lowercase())
    }

    /// How many bytes there are.
    pub(crate) fn length(&self) -> u64 {
        match &self.place {
            Place::File { state, .. } => state.length,
            Place::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// A reader at the first byte, over a file that has not changed since it was opened first.
    pub(crate) fn reader(&self) -> Result<Reader, SourceError> {
        let bytes: Box<dyn ReadSeek> = match &self.place {
            Place::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            Place::File { path, state } => Box::new(self.unchanged(path, state)?),
        };
        Ok(BufReader::new(Counting { bytes, meter: Arc::clone(&self.meter) }))
    }

    /// The digest of all bytes, computed once.
    pub(crate) fn digest(&self) -> Result<Digest, SourceError> {
        if let Some(digest) = self.digest.get() {
            return Ok(*digest);
        }
        let (mut reader, mut digester) = (self.reader()?, Digester::new(DIGEST_CONTEXT));
        let mut block = vec![0; 1 << 16];
        loop {
            match reader.read(&mut block).map_err(|error| unreadable(&self.name, &error))? {
                0 => return Ok(*self.digest.get_or_init(|| digester.finish())),
                length => digester.bytes(&block[..length]),
            }
        }
    }

    pub(crate) fn content(
        &self,
        expected: &str,
        found: impl Into<String>,
        todo: &'static str,
    ) -> SourceError {
        content(&self.name, expected, found, todo)
    }

    pub(crate) fn unreadable(&self, error: &io::Error) -> SourceError {
        unreadable(&self.name, error)
    }

    fn unchanged(&self, path: &Path, state: &State) -> Result<File, SourceError> {
        let file = File::open(path).map_err(|error| unreadable(&self.name, &error))?;
        let now = file.metadata().map_err(|error| unreadable(&self.name, &error))?;
        if State::of(&now) != *state {
            let todo = "run again when nobody writes to the image";
            return Err(self.content(
                "the file as it was opened first",
                "one that was written to since",
                todo,
            ));
        }
        Ok(file)
    }
}

/// Digests are kept between runs: this text changes when their form does.
const DIGEST_CONTEXT: &str = "onceflow image 2026-11 file v1";

impl State {
    fn of(meta: &fs::Metadata) -> State {
        State { length: meta.len(), modified: meta.modified().ok() }
    }
}

pub(crate) fn content(
    name: &str,
    expected: &str,
    found: impl Into<String>,
    todo: &'static str,
) -> SourceError {
    SourceError::Content { file: name.to_owned(), expected: expected.to_owned(), found: found.into(), todo }
}

pub(crate) fn unreadable(name: &str, error: &io::Error) -> SourceError {
    let todo = match error.kind() {
        io::ErrorKind::NotFound => "check the name",
        io::ErrorKind::PermissionDenied => "ask for the right to read it",
        _ => "check the disk",
    };
    SourceError::File { file: name.to_owned(), reason: error.to_string(), todo }
}

trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// Counts what is taken from the file or from memory.
pub(crate) struct Counting {
    bytes: Box<dyn ReadSeek>,
    meter: Arc<Meter>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.bytes.read(buffer)?;
        self.meter.count(length as u64);
        Ok(length)
    }
}

impl Seek for Counting {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}
