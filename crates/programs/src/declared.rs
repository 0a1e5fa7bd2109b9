//! The files that programs declare, beside the descriptor.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use onceflow_region::Digest;
use onceflow_study::{Diagnostic, NameRole, Task, Workflow};

/// The kind of digests of files.
pub(crate) const FILE_DIGEST: &str = "onceflow file of a command v1";

/// A file that a program declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// Its name in the descriptor.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// The digest of its contents.
    pub digest: Digest,
}

/// A file that exists and lies where it may.
pub(crate) struct FoundFile {
    name: String,
    path: PathBuf,
}

impl FoundFile {
    /// The file with the digest of its contents.
    pub(crate) fn digested(self, task: &Task) -> Result<ProgramFile, Box<Diagnostic>> {
        let digest = File::open(&self.path).and_then(|file| Digest::of_reader(FILE_DIGEST, file));
        let digest = digest.map_err(|error| {
            unusable(task, &self.name, "a file that can be read", &onceflow_region::io_words(&error))
        })?;
        Ok(ProgramFile { name: self.name, path: self.path, digest })
    }
}

/// A file of a program. Links are followed, and must not lead out of the folder.
pub(crate) fn find(task: &Task, name: &str, folder: &Path) -> Result<FoundFile, Box<Diagnostic>> {
    let found = find_container(task, name, folder)?;
    let inside = folder.canonicalize().is_ok_and(|folder| found.path.starts_with(folder));
    if inside {
        return Ok(found);
    }
    Err(unusable(task, name, "a file inside the descriptor's folder", "a link that leads out of it"))
}

/// The file of a container, which may lie anywhere: it is not copied, and its contents are in the key.
pub(crate) fn find_container(task: &Task, name: &str, folder: &Path) -> Result<FoundFile, Box<Diagnostic>> {
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

/// The folder that names of files are relative to: the descriptor's, or the study's for a workflow without a file.
pub(crate) fn folder_of(workflow: &Workflow, study: &Path) -> PathBuf {
    let descriptor =
        workflow.source.as_ref().map(|source| Path::new(&source.name)).filter(|path| path.is_file());
    let parent = |path: &Path| path.parent().map(Path::to_path_buf);
    let folder = descriptor.and_then(parent).unwrap_or_else(|| study.to_path_buf());
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
}
