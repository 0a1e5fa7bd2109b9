//! Opening files below a folder: no name and no link leads out of it.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use onceflow_region::SourceError;

/// A folder on a disk.
#[derive(Debug)]
pub(super) struct Root {
    /// Without links.
    pub(super) path: PathBuf,
    /// The folder itself, where the system can look up whole names from there without leaving it.
    #[cfg(target_os = "linux")]
    handle: Option<std::os::fd::OwnedFd>,
}

impl Root {
    /// A folder, which may itself be reached through links.
    pub(super) fn open(path: &Path) -> io::Result<Root> {
        let path = fs::canonicalize(path)?;
        Ok(Root {
            #[cfg(target_os = "linux")]
            handle: beneath::open(&path),
            path,
        })
    }

    /// A regular file below the folder and its length; `None` when there is no such file. A link on the way must stay within.
    pub(super) fn file(&self, relative: &str, name: &str) -> Result<Option<(File, u64)>, SourceError> {
        let is_normal = |part| matches!(part, Component::Normal(_));
        if !Path::new(relative).components().all(is_normal) {
            return Err(outside(name, relative.to_owned()));
        }
        let failed = |error: io::Error| SourceError::unreadable(name, &error);
        let Some(file) = self.open_file(relative, name)? else { return Ok(None) };
        let meta = file.metadata().map_err(failed)?;
        match meta.is_file() {
            true => Ok(Some((file, meta.len()))),
            false => Err(something_else(name)),
        }
    }

    #[cfg(target_os = "linux")]
    fn open_file(&self, relative: &str, name: &str) -> Result<Option<File>, SourceError> {
        let opened = self.handle.as_ref().map(|handle| beneath::file(handle, relative));
        match opened {
            Some(Ok(file)) => Ok(Some(file)),
            // A link that leads nowhere is no file that was never written; one may be absolute and lead back into the
            // folder; systems without the call know nothing of it.
            _ => self.look(relative, name),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_file(&self, relative: &str, name: &str) -> Result<Option<File>, SourceError> {
        self.look(relative, name)
    }

    /// Looks at every folder of a name.
    fn look(&self, relative: &str, name: &str) -> Result<Option<File>, SourceError> {
        let failed = |error: io::Error| SourceError::unreadable(name, &error);
        let Some(path) = self.within(relative, name)? else { return Ok(None) };
        if !fs::metadata(&path).map_err(failed)?.is_file() {
            // A pipe would make us wait for ever.
            return Err(something_else(name));
        }
        File::open(&path).map(Some).map_err(failed)
    }

    /// Where a name leads to, when something is there and lies within the folder.
    fn within(&self, relative: &str, name: &str) -> Result<Option<PathBuf>, SourceError> {
        let mut path = self.path.clone();
        let mut linked = false;
        for part in Path::new(relative).components() {
            path.push(part);
            match fs::symlink_metadata(&path) {
                Ok(meta) => linked |= meta.is_symlink(),
                Err(error) if is_absent(&error) => return Ok(None),
                Err(error) => return Err(SourceError::unreadable(name, &error)),
            }
        }
        if !linked {
            return Ok(Some(path));
        }
        let target = fs::canonicalize(&path).map_err(|error| SourceError::unreadable(name, &error))?;
        match target.starts_with(&self.path) {
            true => Ok(Some(target)),
            false => Err(outside(name, format!("a link to {}", target.display()))),
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn outside(name: &str, found: String) -> SourceError {
    SourceError::content(name, "a name within the folder", found, "put the file itself into the folder")
}

fn something_else(name: &str) -> SourceError {
    SourceError::content(name, "a file", "something else", "check what wrote it")
}

/// One call of the system for a whole name, which refuses what leads out of a folder.
#[cfg(target_os = "linux")]
mod beneath {
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};

    pub(super) fn open(folder: &Path) -> Option<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(CWD, folder, flags, Mode::empty()).ok()
    }

    /// Opens a file to be read, and does not wait for a pipe.
    pub(super) fn file(folder: &OwnedFd, relative: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = openat2(folder, relative, flags, Mode::empty(), ResolveFlags::BENEATH)?;
        Ok(File::from(file))
    }
}
