//! The file layer: every call that changes a file of a store goes through here, so that tests can stop the store before
//! it, or let it fail as a full disk does.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use onceflow_store::publish::write_whole;

use crate::ProductError;

/// What a test lets happen instead of a call.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The process ends here, as if it were killed: of bytes that are written half are there.
    Stop,
    /// There is no room on the disk; half of the bytes are written.
    Full,
    /// The quota of the user is used up; half of the bytes are written.
    Quota,
}

/// A call that changes a file.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation<'a> {
    /// Which call.
    pub step: &'static str,
    /// The file or folder.
    pub path: &'a Path,
}

/// Which calls fail.
#[doc(hidden)]
pub type Faults = Arc<dyn Fn(&Operation<'_>) -> Option<Fault> + Send + Sync>;

/// The files of a store, with the faults of a test.
#[derive(Clone, Default)]
pub(crate) struct Disk {
    faults: Option<Faults>,
}

impl Disk {
    pub(crate) fn new(faults: Option<Faults>) -> Self {
        Self { faults }
    }

    /// The fault before a call.
    pub(crate) fn fault(&self, step: &'static str, path: &Path) -> Option<Fault> {
        self.faults.as_ref().and_then(|faults| faults(&Operation { step, path }))
    }

    fn call<T>(
        &self,
        step: &'static str,
        path: &Path,
        call: impl FnOnce() -> io::Result<T>,
    ) -> Result<T, ProductError> {
        match self.fault(step, path) {
            Some(fault) => Err(fault.error(step, path)),
            None => call().map_err(|error| ProductError::disk(path, &error)),
        }
    }

    /// Makes a file that is not there, and locks it as long as it is open.
    pub(crate) fn create(&self, path: &Path) -> Result<File, ProductError> {
        self.call("create", path, || {
            let file = OpenOptions::new().append(true).create_new(true).open(path)?;
            file.lock()?;
            Ok(file)
        })
    }

    /// Writes bytes at the end of a file.
    pub(crate) fn append(&self, mut file: &File, path: &Path, bytes: &[u8]) -> Result<(), ProductError> {
        if let Some(fault) = self.fault("append", path) {
            // A process is not stopped between writes only, and a disk is full in the middle of one.
            let _ = file.write_all(&bytes[..bytes.len() / 2]);
            return Err(fault.error("append", path));
        }
        file.write_all(bytes).map_err(|error| ProductError::disk(path, &error))
    }

    /// Cuts the end of a file off.
    pub(crate) fn cut(&self, file: &File, path: &Path, length: u64) -> Result<(), ProductError> {
        self.call("cut", path, || file.set_len(length))
    }

    /// Brings the bytes of a file to the disk.
    pub(crate) fn sync(&self, file: &File, path: &Path) -> Result<(), ProductError> {
        self.call("sync", path, || file.sync_data())
    }

    /// Brings the names in a folder to the disk.
    pub(crate) fn sync_folder(&self, path: &Path) -> Result<(), ProductError> {
        self.call("sync folder", path, || if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) })
    }

    /// Makes a folder, if it is not there.
    pub(crate) fn make_folder(&self, path: &Path) -> Result<(), ProductError> {
        if path.is_dir() {
            return Ok(());
        }
        self.call("make folder", path, || fs::create_dir_all(path))
    }

    /// Writes a file whole or not at all.
    pub(crate) fn write_whole(&self, path: &Path, bytes: &[u8]) -> Result<(), ProductError> {
        self.call("write", path, || write_whole(path, bytes))
    }

    /// Removes a file; one that is not there is removed.
    pub(crate) fn remove(&self, path: &Path) -> Result<(), ProductError> {
        self.call("remove", path, || absent_is_fine(fs::remove_file(path)))
    }

    /// Gives a file another name; one that is not there has it.
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> Result<(), ProductError> {
        self.call("rename", from, || absent_is_fine(fs::rename(from, to)))
    }
}

impl Fault {
    fn error(self, step: &'static str, path: &Path) -> ProductError {
        let kind = match self {
            Self::Stop => return ProductError::Stopped(step),
            Self::Full => io::ErrorKind::StorageFull,
            Self::Quota => io::ErrorKind::QuotaExceeded,
        };
        ProductError::disk(path, &kind.into())
    }
}

fn absent_is_fine(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Reads bytes at a place of a file.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Reads bytes at a place of a file.
#[cfg(not(unix))]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    use std::io::{Read as _, Seek as _};
    let mut file = file.try_clone()?;
    file.seek(io::SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}
