//! Digests of source files. A remembered digest stands for the content only while the file is provably unchanged.

use std::fs::{File, Metadata};
use std::path::Path;
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

impl ProductStore {
    /// The digest of a file's content: the remembered one while the file is unchanged, else that of the file as it is read.
    ///
    /// # Errors
    /// When the file cannot be read, or changes while it is read.
    pub fn file_digest(&self, path: &Path) -> Result<Digest, ProductError> {
        let failed = |error: &std::io::Error| ProductError::disk(path, error);
        let path = path.canonicalize().map_err(|error| failed(&error))?;
        let file = File::open(&path).map_err(|error| failed(&error))?;
        let before = file.metadata().map_err(|error| failed(&error))?;
        let (name, stamp) = (path.to_string_lossy(), FileStamp::new(&before));
        if let Some(known) = self.index().source_file(&name, stamp.text())? {
            return Ok(known);
        }
        let digest = Digest::of_reader("onceflow source file v1", &file).map_err(|error| failed(&error))?;
        let after = file.metadata().map_err(|error| failed(&error))?;
        if FileStamp::new(&after) != stamp {
            return Err(failed(&std::io::Error::other("the file was changed while it was read")));
        }
        if is_settled(&after, SystemTime::now()) {
            self.index().remember_source_file(&name, stamp.text(), &digest)?;
        }
        Ok(digest)
    }
}

/// Whether a file was last changed long enough ago for a later change to show in its stamp.
fn is_settled(metadata: &Metadata, now: SystemTime) -> bool {
    metadata.modified().is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age >= FRESH))
}
