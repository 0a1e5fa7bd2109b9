//! Where the bytes of an image come from: a file that is opened anew for each read, or memory.

use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use onceflow_region::{Digest, Digester, ReadMeter, SourceError};

/// The bytes of an image under the name that errors give them.
#[derive(Debug)]
pub(crate) struct ByteOrigin {
    name: String,
    place: OriginPlace,
    meter: Arc<ReadMeter>,
    digest: OnceLock<Digest>,
}

#[derive(Debug)]
enum OriginPlace {
    File { path: PathBuf, state: FileState },
    Memory(Arc<[u8]>),
}

/// What tells whether a file was written to after it was opened first.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FileState {
    length: u64,
    modified: Option<SystemTime>,
}

/// What decoders read from: each has its own, so that several threads can read one image.
pub(crate) type OriginReader = BufReader<CountingReader>;

impl ByteOrigin {
    pub(crate) fn file(path: &Path, meter: Arc<ReadMeter>) -> Result<ByteOrigin, SourceError> {
        let name = path.display().to_string();
        let meta = fs::metadata(path).map_err(|error| SourceError::unreadable(&name, &error))?;
        if !meta.is_file() {
            // A pipe would make us wait for ever, and a folder has no bytes.
            let found = if meta.is_dir() { "a folder" } else { "a pipe or a device" };
            return Err(SourceError::content(&name, "an image file", found, "name the image itself"));
        }
        let place = OriginPlace::File { path: path.to_owned(), state: FileState::of(&meta) };
        Ok(ByteOrigin { name, place, meter, digest: OnceLock::new() })
    }

    pub(crate) fn bytes(name: &str, bytes: Arc<[u8]>, meter: Arc<ReadMeter>) -> ByteOrigin {
        ByteOrigin {
            name: name.to_owned(),
            place: OriginPlace::Memory(bytes),
            meter,
            digest: OnceLock::new(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Where the file is, when it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.place {
            OriginPlace::File { path, .. } => Some(path),
            OriginPlace::Memory(_) => None,
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
            OriginPlace::File { state, .. } => state.length,
            OriginPlace::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// A reader at the first byte, over a file that has not changed since it was opened first.
    pub(crate) fn reader(&self) -> Result<OriginReader, SourceError> {
        let bytes: Box<dyn ReadSeek> = match &self.place {
            OriginPlace::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
            OriginPlace::File { path, state } => Box::new(self.unchanged(path, state)?),
        };
        Ok(BufReader::new(CountingReader { bytes, meter: Arc::clone(&self.meter) }))
    }

    /// The digest of all bytes, computed once.
    pub(crate) fn digest(&self) -> Result<Digest, SourceError> {
        if let Some(digest) = self.digest.get() {
            return Ok(*digest);
        }
        let (mut reader, mut digester) = (self.reader()?, Digester::new(DIGEST_CONTEXT));
        let mut block = vec![0; 1 << 16];
        loop {
            match reader.read(&mut block).map_err(|error| SourceError::unreadable(&self.name, &error))? {
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
        SourceError::content(&self.name, expected, found, todo)
    }

    pub(crate) fn unreadable(&self, error: &io::Error) -> SourceError {
        SourceError::unreadable(&self.name, error)
    }

    fn unchanged(&self, path: &Path, state: &FileState) -> Result<File, SourceError> {
        let file = File::open(path).map_err(|error| SourceError::unreadable(&self.name, &error))?;
        let now = file.metadata().map_err(|error| SourceError::unreadable(&self.name, &error))?;
        if FileState::of(&now) != *state {
            let todo = "run again when no program writes to the image";
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

impl FileState {
    fn of(meta: &fs::Metadata) -> FileState {
        FileState { length: meta.len(), modified: meta.modified().ok() }
    }
}

trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// Counts what is taken from the file or from memory.
pub(crate) struct CountingReader {
    bytes: Box<dyn ReadSeek>,
    meter: Arc<ReadMeter>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.bytes.read(buffer)?;
        self.meter.count(length as u64);
        Ok(length)
    }
}

impl Seek for CountingReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}
