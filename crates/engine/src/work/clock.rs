//! The clock of the server that a shared folder lies on: the time of a file that is written now.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Tells the time by a file in a folder. Writing it also makes a client of a network file system forget what it believed
/// about the folder, so that a list of its files read after it is a new one.
#[derive(Debug)]
pub(super) struct FolderClock {
    path: PathBuf,
}

impl FolderClock {
    /// A clock that no other process writes.
    pub(super) fn new(folder: &Path, owner: &str) -> Self {
        Self { path: folder.join(format!(".clock-{owner}")) }
    }

    /// The time now.
    pub(super) fn now(&self) -> io::Result<SystemTime> {
        let _nothing = std::fs::remove_file(&self.path);
        // Closed, so that the server has it, and opened, so that it is asked.
        OpenOptions::new().write(true).create(true).truncate(true).open(&self.path)?.write_all(b".")?;
        File::open(&self.path)?.metadata()?.modified()
    }
}

impl Drop for FolderClock {
    fn drop(&mut self) {
        let _nothing = std::fs::remove_file(&self.path);
    }
}
