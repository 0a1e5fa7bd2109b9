//! Digests of source files. A remembered digest stands for the content only while the file is provably unchanged.

use std::fs::Metadata;
use std::io;
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
        let failed = |error: io::Error| ProductError::disk(path, &error);
        let plain = path.canonicalize().and_then(|path| Ok((path.metadata()?, path)));
        let Ok((before, path)) = plain.and_then(|(file, path)| settled(file).map(|file| (file, path))) else {
            return read().map_err(failed);
        };
        let (name, stamp) = (format!("{} {what}", path.display()), FileStamp::new(&before));
        if let Some(known) = self.index().source_file(&name, stamp.text())? {
            return Ok(known);
        }
        let digest = read().map_err(failed)?;
        let after = path.metadata().map_err(failed)?;
        if FileStamp::new(&after) != stamp {
            return Err(failed(io::Error::other("the file was changed while it was read")));
        }
        self.index().remember_source_file(&name, stamp.text(), &digest)?;
        Ok(digest)
    }
}

/// The metadata of a plain file that was changed long enough ago for a later change to show in its stamp.
fn settled(metadata: Metadata) -> io::Result<Metadata> {
    let age = metadata.modified().ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
    let settled = metadata.is_file() && age.is_some_and(|age| age >= FRESH);
    if settled { Ok(metadata) } else { Err(io::ErrorKind::InvalidInput.into()) }
}
