//! Writing a file or a folder whole or not at all, also when the process is killed or the power fails.
//!
//! Everything that this system leaves on a disk is published by one protocol: a temporary name in the same folder
//! (`.onceflow-…`), the content, fsync, rename, fsync of the folder, and then, for what consists of several published
//! pieces, a [marker](Publisher::mark). A reader sees what was there before or what is there now, never a mixture.
//!
//! ```
//! use std::io::Write as _;
//! use onceflow_store::publish::{publish_folder, write_file};
//!
//! let place = tempfile::tempdir()?;
//! write_file(&place.path().join("answer.txt"), |file| file.write_all(b"42"))?;
//! publish_folder(&place.path().join("array"), |temporary| std::fs::write(temporary.join("0"), [1, 2, 3]))?;
//! assert_eq!(std::fs::read(place.path().join("array/0"))?, [1, 2, 3]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! What a kill leaves behind has a temporary name and is removed by [`remove_abandoned`]; what a signal interrupts is
//! removed by [`remove_unfinished`]. Tests stop the protocol at every [`PublishStep`] with [`Publisher::with_faults`].

mod folder;
mod several;
mod step;
mod temporary;

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use several::write_files;
pub use step::{Fault, PublishStep};
pub use temporary::{is_temporary, remove_abandoned, remove_unfinished};

use step::Faults;
pub(crate) use temporary::Temporary;

/// Writes all bytes to a file, or leaves what was there.
///
/// # Errors
/// When the file cannot be written; what was there stays.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_file(path, |file| file.write_all(bytes))
}

/// Writes all that `write` does to a file, or leaves what was there. A device or a pipe is written as it is, a link
/// stays a link.
///
/// # Errors
/// When `write` fails or the file cannot be written; what was there stays.
pub fn write_file(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    Publisher::new().write_file(path, write)
}

/// Publishes a folder with all that `fill` puts into a temporary one, or leaves what was there.
///
/// # Errors
/// When `fill` fails or the folder cannot be written; what was there stays.
pub fn publish_folder(path: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    Publisher::new().publish_folder(path, fill)
}

/// The protocol with its choices: whether it waits for the disk, and, in tests, which faults it meets.
///
/// The error type is the caller's, so that a closure that writes an image can say what was wrong with the image.
#[derive(Clone, Default)]
pub struct Publisher {
    /// Whether what is published may be lost with the power, though never half of it seen.
    hasty: bool,
    faults: Option<Arc<Faults>>,
}

impl Publisher {
    /// The protocol as it stands: what is published survives the loss of power.
    pub fn new() -> Publisher {
        Publisher::default()
    }

    /// The protocol without fsync, for what a run can make again, such as regions that are spilled. A kill leaves
    /// nothing half written; after a loss of power only checksums tell.
    pub fn hasty() -> Publisher {
        Publisher { hasty: true, faults: None }
    }

    /// The same protocol, which asks before each step whether it meets a fault there.
    pub fn with_faults(
        self,
        faults: impl Fn(PublishStep) -> Option<Fault> + Send + Sync + 'static,
    ) -> Publisher {
        Publisher { faults: Some(Arc::new(faults)), ..self }
    }

    /// [`write_file`] with these choices.
    ///
    /// # Errors
    /// When `write` fails or the file cannot be written; what was there stays.
    pub fn write_file<T, E: From<io::Error>>(
        &self,
        path: &Path,
        write: impl FnOnce(&mut File) -> Result<T, E>,
    ) -> Result<T, E> {
        let (made, written) = self.write_temporary(path, write)?;
        if let Some(written) = written {
            self.finish_file(written)?;
        }
        Ok(made)
    }

    /// Writes a file under a temporary name; none for what was written in place, since it is no plain file.
    fn write_temporary<T, E: From<io::Error>>(
        &self,
        path: &Path,
        write: impl FnOnce(&mut File) -> Result<T, E>,
    ) -> Result<(T, Option<Unpublished>), E> {
        let permissions = match path.metadata() {
            Ok(there) if there.is_dir() => {
                return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
            }
            Ok(there) if there.is_file() => Some(there.permissions()),
            // A device or a pipe (/dev/stdout) cannot be replaced by a file.
            Ok(_) => return Ok((write(&mut fs::OpenOptions::new().write(true).open(path)?)?, None)),
            Err(_) => None,
        };
        let path = resolved(path);
        self.meet(PublishStep::Create, None)?;
        let (mut temporary, mut file) = Temporary::file(parent(&path))?;
        self.meet(PublishStep::Write, Some(&mut temporary))?;
        let made = write(&mut file)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        Ok((made, Some(Unpublished { file, temporary, path })))
    }

    /// [`publish_folder`] with these choices. A folder that is there already is exchanged for the new one.
    ///
    /// # Errors
    /// When `fill` fails or the folder cannot be written; what was there stays.
    pub fn publish_folder<T, E: From<io::Error>>(
        &self,
        path: &Path,
        fill: impl FnOnce(&Path) -> Result<T, E>,
    ) -> Result<T, E> {
        let filling = self.begin_folder(path)?;
        let made = fill(filling.path())?;
        filling.finish()?;
        Ok(made)
    }

    /// Begins a folder that the caller fills step by step; it appears under its name when it is finished.
    ///
    /// # Errors
    /// When the temporary folder cannot be made.
    pub fn begin_folder(&self, path: &Path) -> io::Result<Filling> {
        let path = resolved(path);
        if path.exists() && !path.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        self.meet(PublishStep::Create, None)?;
        let mut temporary = Temporary::folder(parent(&path))?;
        self.meet(PublishStep::Write, Some(&mut temporary))?;
        Ok(Filling { publisher: self.clone(), temporary, path })
    }

    /// Makes a folder and those above it, and brings their names to the disk.
    ///
    /// # Errors
    /// When one cannot be made.
    pub fn create_folder(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        if !parent(path).exists() {
            self.create_folder(parent(path))?;
        }
        match fs::create_dir(path) {
            Err(error) if !path.is_dir() => return Err(error),
            _ => {}
        }
        if self.hasty { Ok(()) } else { folder::sync(parent(path)) }
    }

    /// Marks a published folder as complete: the last step for what consists of several pieces that were published one
    /// by one. Readers trust such a folder only when it has its marker.
    ///
    /// # Errors
    /// When the marker cannot be written.
    pub fn mark(&self, folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.meet(PublishStep::Mark, None)?;
        self.write_file(&folder.join(name), |file| file.write_all(bytes))
    }

    /// Marks what was published by a file of it, which gets this name beside its own. A marker that is there already is
    /// replaced by a copy of the file; so it is on disks where files have one name only.
    ///
    /// # Errors
    /// When the marker cannot be written; what was there stays.
    pub fn mark_with(&self, marker: &Path, file: &Path) -> io::Result<()> {
        self.meet(PublishStep::Mark, None)?;
        match fs::hard_link(file, marker) {
            Ok(()) => self.finish(parent(marker)),
            Err(_) => {
                let bytes = fs::read(file)?;
                self.write_file(marker, |marker| marker.write_all(&bytes))
            }
        }
    }

    /// Removes a file, and brings that to the disk before what depends on it goes.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)?;
        self.finish(parent(path))
    }

    fn finish_file(&self, mut written: Unpublished) -> io::Result<()> {
        self.meet(PublishStep::Sync, Some(&mut written.temporary))?;
        if !self.hasty {
            written.file.sync_all()?;
        }
        let path = self.rename(written)?;
        self.finish(parent(&path))
    }

    /// Gives a file that was written its name.
    fn rename(&self, written: Unpublished) -> io::Result<PathBuf> {
        let Unpublished { mut temporary, path, .. } = written;
        self.meet(PublishStep::Rename, Some(&mut temporary))?;
        fs::rename(temporary.path(), &path)?;
        temporary.leave();
        Ok(path)
    }

    fn finish_folder(&self, mut temporary: Temporary, path: &Path) -> io::Result<()> {
        self.meet(PublishStep::Sync, Some(&mut temporary))?;
        if !self.hasty {
            folder::sync_tree(temporary.path())?;
        }
        self.meet(PublishStep::Rename, Some(&mut temporary))?;
        if folder::rename_or_exchange(temporary.path(), path)? {
            // The temporary name has the old folder now, which goes with it.
            drop(temporary);
        } else {
            temporary.leave();
        }
        self.finish(parent(path))
    }

    fn finish(&self, folder: &Path) -> io::Result<()> {
        self.meet(PublishStep::SyncFolder, None)?;
        if self.hasty { Ok(()) } else { folder::sync(folder) }
    }

    /// Meets the fault that a test has put before a step. A process that is killed does not tidy up.
    fn meet(&self, step: PublishStep, temporary: Option<&mut Temporary>) -> io::Result<()> {
        match self.faults.as_ref().and_then(|faults| faults(step)) {
            None => Ok(()),
            Some(Fault::Error(kind)) => Err(kind.into()),
            Some(Fault::Kill) => {
                temporary.into_iter().for_each(Temporary::leave);
                Err(io::Error::other(format!("killed before step {step:?}")))
            }
        }
    }
}

/// A file that is written under a temporary name. Dropped before it has its own, it goes.
struct Unpublished {
    file: File,
    temporary: Temporary,
    path: PathBuf,
}

/// A folder that is being filled. Dropped before it is finished, it goes.
pub struct Filling {
    publisher: Publisher,
    temporary: Temporary,
    path: PathBuf,
}

impl Filling {
    /// Where it is filled.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Gives the folder its name. One that is there already is exchanged for it.
    ///
    /// # Errors
    /// When that cannot be done; what was there stays.
    pub fn finish(self) -> io::Result<()> {
        self.publisher.finish_folder(self.temporary, &self.path)
    }
}

impl std::fmt::Debug for Filling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filling").field("path", &self.path).finish()
    }
}

impl std::fmt::Debug for Publisher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Publisher")
            .field("hasty", &self.hasty)
            .field("faults", &self.faults.is_some())
            .finish()
    }
}

/// Where a link leads: what it points to is replaced, not the link.
fn resolved(path: &Path) -> PathBuf {
    let linked = path.is_symlink().then(|| path.canonicalize().ok());
    linked.flatten().unwrap_or_else(|| path.to_path_buf())
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests;
