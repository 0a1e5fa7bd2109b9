//! Files that a command writes: collected when it has ended, restored whole or not at all.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use onceflow_products::{FileStamp, ProductStore};

use super::NotKept;
use crate::{MemoEntry, MemoError, MemoPart, MemoRole, kept};

/// What a command wrote.
#[derive(Default)]
pub(super) struct CollectedFiles {
    pub(super) parts: Vec<MemoPart>,
    /// Parts whose content is not in memory, and their files.
    pub(super) long: Vec<(usize, PathBuf)>,
}

/// What the files are before the command runs.
pub(super) fn stamps(paths: &[PathBuf]) -> Vec<Option<String>> {
    paths.iter().map(|path| stamp(path)).collect()
}

fn stamp(path: &Path) -> Option<String> {
    Some(FileStamp::new(&path.metadata().ok()?).text().to_owned())
}

/// The files after the command has ended. One that is as it was before was not written; a command that failed need not write.
pub(super) fn collect(
    paths: &[PathBuf],
    before: &[Option<String>],
    all: bool,
) -> Result<Result<CollectedFiles, NotKept>, MemoError> {
    let mut collected = CollectedFiles::default();
    let mut inline = 0;
    for (path, before) in paths.iter().zip(before) {
        let after = stamp(path);
        if after.is_none() || after == *before {
            if all {
                return Ok(Err(NotKept::NotWritten { path: path.clone() }));
            }
            continue;
        }
        if !path.is_file() {
            return Ok(Err(NotKept::NoFile { path: path.clone() }));
        }
        let part = part(path, &mut inline).map_err(|error| MemoError::unreadable(path, &error))?;
        if stamp(path) != after {
            return Ok(Err(NotKept::Changed { path: path.clone() }));
        }
        if part.content.is_none() {
            collected.long.push((collected.parts.len(), path.clone()));
        }
        collected.parts.push(part);
    }
    Ok(Ok(collected))
}

/// A file as a part; with its content while there is room for it.
fn part(path: &Path, inline: &mut usize) -> io::Result<MemoPart> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    let (name, mode) = (name(path), mode(&metadata));
    if *inline as u64 + metadata.len() <= kept::INLINE as u64 {
        let mut content = Vec::with_capacity(metadata.len() as usize);
        file.read_to_end(&mut content)?;
        *inline += content.len();
        return Ok(MemoPart { mode, ..MemoPart::new(MemoRole::File, name, content) });
    }
    let mut digest = blake3::Hasher::new();
    let bytes = io::copy(&mut file, &mut digest)?;
    let digest = *digest.finalize().as_bytes();
    Ok(MemoPart { role: MemoRole::File, name, mode, bytes, digest, content: None })
}

fn name(path: &Path) -> String {
    path.display().to_string()
}

/// Restores the files and streams of an entry; false when a piece is not there any more: then no file was touched.
pub(super) fn restore(store: &ProductStore, entry: &MemoEntry, paths: &[PathBuf]) -> Result<bool, MemoError> {
    let mut written = Vec::new();
    for part in entry.parts.iter().filter(|part| part.role == MemoRole::File) {
        // The key holds the paths, so the part has one of them; its name is for people.
        let Some(path) = paths.iter().find(|path| name(path) == part.name) else { return Ok(false) };
        match restored(store, part, path)? {
            Some(file) => written.push(file),
            None => return Ok(false),
        }
    }
    written.into_iter().try_for_each(RestoredFile::finish)?;
    for part in &entry.parts {
        let content = part.content.as_deref().unwrap_or_default();
        // A closed stream must not stop what has been restored.
        let _ = match part.role {
            MemoRole::Output => give(&mut io::stdout().lock(), store, part, content),
            MemoRole::Error => give(&mut io::stderr().lock(), store, part, content),
            MemoRole::File | MemoRole::Product => Ok(()),
        };
    }
    Ok(true)
}

fn give(to: &mut dyn io::Write, store: &ProductStore, part: &MemoPart, content: &[u8]) -> io::Result<()> {
    if part.content.is_some() {
        to.write_all(content)?;
    } else {
        let _ = kept::content(store, part, &mut |bytes| {
            to.write_all(bytes).map_err(|error| MemoError::unwritable(Path::new("-"), &error))
        });
    }
    to.flush()
}

fn restored(store: &ProductStore, part: &MemoPart, path: &Path) -> Result<Option<RestoredFile>, MemoError> {
    let mut file = RestoredFile::new(path)?;
    let whole = kept::content(store, part, &mut |bytes| file.write(bytes))?;
    if whole {
        file.set_mode(part.mode)?;
    }
    Ok(whole.then_some(file))
}

/// A file beside the one that it will replace; it is removed when it is not finished.
struct RestoredFile {
    file: File,
    beside: PathBuf,
    path: PathBuf,
    is_done: bool,
}

impl RestoredFile {
    fn new(path: &Path) -> Result<Self, MemoError> {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        // A link is followed: its target is what the command would have written.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        // The command would have made the folder.
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|error| MemoError::unwritable(folder, &error))?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_file_name(format!(".{name}.{}-{call}.memo", std::process::id()));
        let file = File::options().write(true).create_new(true).open(&beside);
        let file = file.map_err(|error| MemoError::unwritable(&path, &error))?;
        Ok(Self { file, beside, path, is_done: false })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), MemoError> {
        self.file.write_all(bytes).map_err(|error| MemoError::unwritable(&self.path, &error))
    }

    fn set_mode(&self, mode: u32) -> Result<(), MemoError> {
        set_mode(&self.file, mode).map_err(|error| MemoError::unwritable(&self.path, &error))
    }

    fn finish(mut self) -> Result<(), MemoError> {
        replace(&self.beside, &self.path).map_err(|error| MemoError::unwritable(&self.path, &error))?;
        self.is_done = true;
        Ok(())
    }
}

/// Gives a new file the place of another in one step. Some file systems (ext4) write a file to the disk at once when it is renamed over
/// another, and the caller waits; when the two are exchanged, they do not. What the store can give again need not be on the disk.
#[cfg(target_os = "linux")]
fn replace(new: &Path, path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    // A folder must not be moved away.
    let is_plain = path.symlink_metadata().is_ok_and(|there| there.is_file());
    if is_plain && renameat_with(CWD, new, CWD, path, RenameFlags::EXCHANGE).is_ok() {
        // What was there has the name of the new one now.
        return fs::remove_file(new);
    }
    fs::rename(new, path)
}

#[cfg(not(target_os = "linux"))]
fn replace(new: &Path, path: &Path) -> io::Result<()> {
    fs::rename(new, path)
}

impl Drop for RestoredFile {
    fn drop(&mut self) {
        if !self.is_done {
            let _ = fs::remove_file(&self.beside);
        }
    }
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    0o644
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(mode & 0o777))
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// A file as a part, its content in memory when it is short.
pub(crate) fn as_part(path: &Path, inline: &mut usize) -> Result<MemoPart, MemoError> {
    part(path, inline).map_err(|error| MemoError::unreadable(path, &error))
}

/// Restores a part to a file; false when a piece of it is not there any more.
pub(crate) fn to_file(store: &ProductStore, part: &MemoPart, path: &Path) -> Result<bool, MemoError> {
    restored(store, part, path)?.map(RestoredFile::finish).transpose().map(|done| done.is_some())
}
