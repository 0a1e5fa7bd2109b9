//! The files that a program declares.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use onceflow_region::Digest;
use onceflow_study::{Diagnostic, NameRole, Task};

use super::ProgramFile;

/// The kind of digests of files.
pub(crate) const FILE_DIGEST: &str = "onceflow file of a command v1";

/// A file that exists and lies where it may.
pub(crate) struct FoundFile {
    name: String,
    path: PathBuf,
}

impl FoundFile {
    /// A file of a program ([`find`]).
    pub(crate) fn find(task: &Task, name: &str, folder: &Path) -> Result<Self, Box<Diagnostic>> {
        find(task, name, folder)
    }

    /// The file with the digest of its contents.
    pub(super) fn digested(self, task: &Task) -> Result<ProgramFile, Box<Diagnostic>> {
        let digest = File::open(&self.path).and_then(|file| Digest::of_reader(FILE_DIGEST, file));
        let digest = digest.map_err(|error| {
            unusable(task, &self.name, "a file that can be read", &onceflow_region::io_words(&error))
        })?;
        Ok(ProgramFile { name: self.name, path: self.path, digest })
    }
}

/// A file of a program. Links are followed, and must not lead out of the folder.
pub(super) fn find(task: &Task, name: &str, folder: &Path) -> Result<FoundFile, Box<Diagnostic>> {
    let found = find_container(task, name, folder)?;
    let inside = folder.canonicalize().is_ok_and(|folder| found.path.starts_with(folder));
    if inside {
        return Ok(found);
    }
    Err(unusable(task, name, "a file inside the descriptor's folder", "a link that leads out of it"))
}

/// The file of a container, which may lie anywhere: it is not copied, and its contents are in the key.
pub(super) fn find_container(task: &Task, name: &str, folder: &Path) -> Result<FoundFile, Box<Diagnostic>> {
    let missing = |error: io::Error| unusable(task, name, "a file", &onceflow_region::io_words(&error));
    let path = folder.join(name).canonicalize().map_err(missing)?;
    // Devices and pipes have no end.
    if path.metadata().map_err(missing)?.is_file() {
        return Ok(FoundFile { name: name.into(), path });
    }
    Err(unusable(task, name, "a file", "something else of that name"))
}

fn unusable(task: &Task, name: &str, expected: &str, found: &str) -> Box<Diagnostic> {
    let error =
        Diagnostic::error(format!("task `{}` declares the file `{name}`, which cannot be used", task.name));
    let error = error.at_place(task.place_of(NameRole::File, name).as_ref(), "");
    Box::new(
        error
            .expected_found(expected, found)
            .with_hint("put the file beside the descriptor, or remove its name there"),
    )
}
