//! Writing a file whole or not at all: a finished temporary file in the same folder is renamed, and one that is not
//! finished when a signal ends the process is removed.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// Files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what is being written, for a process that ends now: nothing more can be begun while the answer lives.
pub fn remove_unfinished() -> impl Drop {
    let mut unfinished = lock();
    // What is gone already need not be removed.
    unfinished.drain(..).for_each(|path| drop(std::fs::remove_file(path)));
    unfinished
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes all bytes, or leaves what was there.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_whole_with(path, |file| file.write_all(bytes))
}

/// Writes all that `write` does, or leaves what was there.
pub fn write_whole_with(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // A device or a pipe (/dev/stdout) cannot be replaced by a file; it is written as it is.
    if path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return write(&mut std::fs::OpenOptions::new().write(true).open(path)?);
    }
    if path.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // A link stays a link: what it points to is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = begin(folder)?;
    let temporary = file.path().to_path_buf();
    let finished = write(file.as_file_mut()).and_then(|()| finish(file, &path));
    lock().retain(|unfinished| *unfinished != temporary);
    finished
}

/// Nobody removes what is unfinished between its making and its being known.
fn begin(folder: &Path) -> io::Result<NamedTempFile> {
    let mut unfinished = lock();
    let file = new_file(folder)?;
    unfinished.push(file.path().to_path_buf());
    Ok(file)
}

fn finish(file: NamedTempFile, path: &Path) -> io::Result<()> {
    if let Ok(there) = path.metadata() {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// A temporary file with the permissions any new file gets, rather than those of a secret.
fn new_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".onceflow-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
