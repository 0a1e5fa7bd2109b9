//! Folders: bringing their names to the disk, and putting one in the place of another.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Brings the names in a folder to the disk.
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder)?.sync_all() {
        // Some file systems have no such thing for folders, and need none.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(())
        }
        result => result,
    }
}

/// Brings everything in a folder to the disk: files first, then the names.
pub(super) fn sync_tree(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            sync_tree(&entry.path())?;
        } else if kind.is_file() {
            File::open(entry.path())?.sync_all()?;
        }
    }
    sync(folder)
}

/// Gives a folder its name. One that has the name already gets the temporary name instead; tells whether it did.
pub(super) fn rename_or_exchange(temporary: &Path, path: &Path) -> io::Result<bool> {
    if !path.exists() {
        return fs::rename(temporary, path).map(|()| false);
    }
    match exchange(temporary, path) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
        result => return result.map(|()| true),
    }
    // Without an exchange there is a moment without either; the old one comes back if the new one cannot follow.
    let old = temporary.with_extension("old");
    fs::rename(path, &old)?;
    if let Err(error) = fs::rename(temporary, path) {
        fs::rename(&old, path)?;
        return Err(error);
    }
    fs::rename(&old, temporary).map(|()| true)
}

#[cfg(target_os = "linux")]
fn exchange(temporary: &Path, path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(CWD, temporary, CWD, path, RenameFlags::EXCHANGE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Err(io::ErrorKind::Unsupported.into()),
        result => Ok(result?),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchange(_temporary: &Path, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
