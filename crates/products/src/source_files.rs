//! Digests of source files. A remembered digest stands for the content only while the file is provably unchanged.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use onceflow_region::Digest;

use crate::{ProductError, ProductStore};

/// A file that was changed less than this before it was read may change again without a trace: the clocks of file systems are
/// coarse.
const FRESH: Duration = Duration::from_secs(2);

/// What the system says of a file without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStamp(String);

impl FileStamp {
    /// The stamp of a file.
    #[cfg(unix)]
    pub fn new(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let m = metadata;
        let changed = [m.mtime(), m.mtime_nsec(), m.ctime(), m.ctime_nsec()];
        Self(format!("{} {changed:?} {} {}", m.len(), m.ino(), m.dev()))
    }

    /// The stamp of a file.
    #[cfg(not(unix))]
    pub fn new(metadata: &Metadata) -> Self {
        Self(format!("{} {:?}", metadata.len(), metadata.modified().ok()))
    }

    /// The stamp as a text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// The digest of what is read of a file, and what tells whether the file is still the same.
#[derive(Clone, Debug)]
pub struct SourceDigest {
    /// The digest.
    pub digest: Digest,
    /// The file; none for a folder, or an image that is computed.
    pub file: Option<WatchedFile>,
}

/// A file as it was before it was read.
#[derive(Clone, Debug)]
pub struct WatchedFile {
    path: PathBuf,
    stamp: FileStamp,
}

impl WatchedFile {
    /// A plain file as it is now.
    fn new(path: &Path) -> Option<(Self, Metadata)> {
        let file = path.metadata().ok().filter(Metadata::is_file)?;
        Some((Self { stamp: FileStamp::new(&file), path: path.to_path_buf() }, file))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is as it was: what was read of it since then was of one content.
    pub fn is_unchanged(&self) -> bool {
        self.path.metadata().is_ok_and(|file| FileStamp::new(&file) == self.stamp)
    }
}

impl ProductStore {
    /// A digest of what is read of a file, the remembered one while the file is unchanged. `what` says how it is read. What is
    /// no plain file, such as a folder or an image that is computed, is read every time.
    ///
    /// # Errors
    /// When the file cannot be read, or changes while it is read.
    pub fn remembered_digest(
        &self,
        path: &Path,
        what: &str,
        read: impl FnOnce() -> io::Result<Digest>,
    ) -> Result<Digest, ProductError> {
        self.source_digest(path, what, read).map(|source| source.digest)
    }

    /// The same, with what tells later whether the file is still the same.
    ///
    /// # Errors
    /// When the file cannot be read, or changes while it is read.
    pub fn source_digest(
        &self,
        path: &Path,
        what: &str,
        read: impl FnOnce() -> io::Result<Digest>,
    ) -> Result<SourceDigest, ProductError> {
        let failed = |error: io::Error| ProductError::disk(path, &error);
        let Some((file, metadata)) = WatchedFile::new(path) else {
            return Ok(SourceDigest { digest: read().map_err(failed)?, file: None });
        };
        let (at, stamp) = (path.canonicalize().map_err(failed)?, file.stamp.text());
        let name = format!("{} {what}", at.display());
        let settled = is_settled(&metadata);
        let known = if settled { self.index().source_file(&name, stamp)? } else { None };
        let digest = match known {
            Some(digest) => digest,
            None => {
                let digest = read().map_err(failed)?;
                if !file.is_unchanged() {
                    return Err(failed(io::Error::other("the file was changed while it was read")));
                }
                if settled {
                    self.index().remember_source_file(&name, stamp, &digest)?;
                }
                digest
            }
        };
        Ok(SourceDigest { digest, file: Some(file) })
    }
}

/// Whether a file was changed long enough ago for a later change to show in its stamp.
fn is_settled(metadata: &Metadata) -> bool {
    let age = metadata.modified().ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
    age.is_some_and(|age| age >= FRESH)
}
