//! The file layer: every call that changes a file of a store goes through here, so that tests can stop the store before
//! it, or let it fail as a full disk does.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use onceflow_store::publish::write_whole;

use crate::ProductError;

/// Between two tries to take what another process has.
pub(crate) const BETWEEN_TRIES: Duration = Duration::from_millis(5);

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
    /// How long it is waited for other processes while a store is opened.
    wait: Option<Duration>,
    /// Whether all of a group may use the store: its folder can be written by its group.
    shared: bool,
}

/// How long a process waits for another that writes.
pub(crate) const WAIT: Duration = Duration::from_secs(20);

impl Disk {
    pub(crate) fn new(faults: Option<Faults>, wait: Option<Duration>) -> Self {
        Self { faults, wait, shared: false }
    }

    /// The same for the store in a folder, which a group shares if the folder says so.
    pub(crate) fn of_store(self, folder: &Path) -> Self {
        Self { shared: is_shared(folder), ..self }
    }

    /// Whether a group shares the store.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared
    }

    /// Lets the group use a file or folder of a store that it shares, whatever the user lets others do by default.
    pub(crate) fn share(&self, path: &Path) -> io::Result<()> {
        if self.shared { let_group_use(path) } else { Ok(()) }
    }

    /// How long it is waited for other processes while a store is opened.
    pub(crate) fn wait(&self) -> Duration {
        self.wait.unwrap_or(WAIT)
    }

    /// Locks a file that exists for this; an error after the time that is waited.
    pub(crate) fn lock(&self, path: &Path) -> io::Result<File> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        // The file may be another user's, who has shared it.
        let _ = self.share(path);
        let end = Instant::now() + self.wait();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < end => std::thread::sleep(BETWEEN_TRIES),
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::TimedOut.into()),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// The fault before a call.
    pub(crate) fn fault(&self, step: &'static str, path: &Path) -> Option<Fault> {
        self.faults.as_ref().and_then(|faults| faults(&Operation { step, path }))
    }

    /// Lets a test hold the process before it reads, where others may change what it reads.
    pub(crate) fn look(&self, step: &'static str, path: &Path) {
        let _ = self.fault(step, path);
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
            // Not all network file systems have locks; leases, which are on a local disk, say who writes as well.
            let _ = file.lock();
            self.share(path)?;
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
        self.call("make folder", path, || fs::create_dir_all(path).and_then(|()| self.share(path)))
    }

    /// Writes a file whole or not at all.
    pub(crate) fn write_whole(&self, path: &Path, bytes: &[u8]) -> Result<(), ProductError> {
        self.call("write", path, || write_whole(path, bytes).and_then(|()| self.share(path)))
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

#[cfg(unix)]
fn is_shared(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    folder.metadata().is_ok_and(|folder| folder.permissions().mode() & 0o020 != 0)
}

#[cfg(not(unix))]
fn is_shared(_: &Path) -> bool {
    false
}

/// What is made in a folder then belongs to the group of the folder, also in folders without that rule.
#[cfg(unix)]
fn let_group_use(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let found = path.metadata()?;
    let mode = found.permissions().mode() | if found.is_dir() { 0o2070 } else { 0o060 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn let_group_use(_: &Path) -> io::Result<()> {
    Ok(())
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
