//! Temporary files and folders: known while they are written, locked against tidying, removed when they are not finished.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How temporary names begin.
const PREFIX: &str = ".onceflow-";

/// Files and folders that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what is being written, for a process that ends now: nothing more can be begun while the answer lives.
pub fn remove_unfinished() -> impl Drop {
    let mut unfinished = lock();
    unfinished.drain(..).for_each(|path| remove(&path));
    unfinished
}

/// Removes temporary files of dead writers from a folder, and returns how many. A writer holds a lock, so files of live
/// writers, in this process or another, stay.
///
/// # Errors
/// When the folder cannot be read.
pub fn remove_abandoned(folder: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_temporary(&entry.file_name()) && !entry.file_type()?.is_symlink() {
            removed += usize::from(remove_if_abandoned(&entry.path()));
        }
    }
    Ok(removed)
}

/// Whether a name is that of a file or folder that is being written.
pub fn is_temporary(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().starts_with(PREFIX.as_bytes())
}

/// A file or folder that goes when this does, unless it has been left to others.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
    /// Holds the lock that keeps a clean-up from removing it; `None` on systems without locks of folders.
    _lock: Option<File>,
    left: bool,
}

impl Temporary {
    /// A new file with the permissions that any new file gets, rather than those of a secret.
    pub(super) fn file(folder: &Path) -> io::Result<(Temporary, File)> {
        loop {
            let (file, temporary) = begin(|| {
                let (file, path) = builder(0o666).tempfile_in(folder)?.keep().map_err(|e| e.error)?;
                Ok((path, file.try_clone().ok(), file))
            })?;
            if temporary.is_mine() {
                return Ok((temporary, file));
            }
        }
    }

    /// A new folder with the permissions that any new folder gets.
    pub(crate) fn folder(folder: &Path) -> io::Result<Temporary> {
        loop {
            let ((), temporary) = begin(|| {
                let path = builder(0o777).tempdir_in(folder)?.keep();
                let handle = File::open(&path).ok();
                Ok((path, handle, ()))
            })?;
            if temporary.is_mine() {
                return Ok(temporary);
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves it where it is: it has got its name, or the process is about to end.
    pub(super) fn leave(&mut self) {
        self.left = true;
    }

    /// Takes the lock, and checks whether a clean-up removed the file between its creation and the lock.
    fn is_mine(&self) -> bool {
        // Without locks (some network file systems) there is no clean-up either.
        if let Some(file) = &self._lock {
            drop(file.lock());
        }
        self.path.symlink_metadata().is_ok()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.left {
            remove(&self.path);
        }
        lock().retain(|unfinished| *unfinished != self.path);
    }
}

/// A clean-up removes no unfinished file between its creation and its registration.
fn begin<T>(make: impl FnOnce() -> io::Result<(PathBuf, Option<File>, T)>) -> io::Result<(T, Temporary)> {
    let mut unfinished = lock();
    let (path, handle, made) = make()?;
    unfinished.push(path.clone());
    Ok((made, Temporary { path, _lock: handle, left: false }))
}

fn builder(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    builder
}

fn remove_if_abandoned(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    // While the lock is held here, a writer that is just beginning waits and then sees that its file is gone.
    let abandoned = !matches!(file.try_lock(), Err(TryLockError::WouldBlock | TryLockError::Error(_)));
    if abandoned {
        remove(path);
    }
    abandoned
}

/// What is gone already need not be removed, and what cannot be removed has a name that says what it is.
fn remove(path: &Path) {
    drop(if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) });
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}
