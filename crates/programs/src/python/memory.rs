//! Memory that a run shares with one worker: regions are written into it once, and nothing is sent.
#![allow(
    unsafe_code,
    reason = "a file is mapped that only this run and its worker can open; the worker is asked to write \
                                into it only while the run waits, and only numbers are read from it, which may have any value"
)]

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use memmap2::MmapMut;

/// Pages of a file in memory, or of a file on a disk where the system has none.
#[derive(Debug)]
pub(crate) struct SharedMemory {
    file: File,
    map: MmapMut,
    path: PathBuf,
    /// A file that is removed with the memory.
    _temporary: Option<tempfile::TempPath>,
}

/// Each region begins at the start of a page.
pub(super) const PAGE: usize = 4096;

impl SharedMemory {
    /// One page of memory that another process can open; in this file, if it is to be kept.
    ///
    /// # Errors
    /// When the system gives none.
    pub(crate) fn new(kept: Option<&Path>) -> io::Result<Self> {
        let (file, path, temporary) = match kept {
            Some(path) => (open_new(path)?, path.to_path_buf(), None),
            None => in_memory().or_else(|_| on_disk())?,
        };
        file.set_len(PAGE as u64)?;
        let map = mapped(&file)?;
        Ok(Self { file, map, path, _temporary: temporary })
    }

    /// Makes it at least so large. What it holds stays.
    pub(super) fn reserve(&mut self, bytes: usize) -> io::Result<()> {
        if bytes > self.map.len() {
            self.file.set_len(bytes as u64)?;
            self.map = mapped(&self.file)?;
        }
        Ok(())
    }

    /// The path by which the worker opens it.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.map
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.map
    }
}

#[allow(unsafe_code, reason = "see the head of this file")]
fn mapped(file: &File) -> io::Result<MmapMut> {
    // SAFETY: the file is never made smaller, so that all pages exist as long as the map.
    unsafe { MmapMut::map_mut(file) }
}

fn open_new(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create_new(true).open(path)
}

type Opened = (File, PathBuf, Option<tempfile::TempPath>);

#[cfg(target_os = "linux")]
fn in_memory() -> io::Result<Opened> {
    use std::os::fd::AsRawFd as _;
    let file = File::from(rustix::fs::memfd_create("onceflow", rustix::fs::MemfdFlags::CLOEXEC)?);
    // Another process of the same user finds it under the number it has here.
    let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
    Ok((file, path.into(), None))
}

#[cfg(not(target_os = "linux"))]
fn in_memory() -> io::Result<Opened> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

fn on_disk() -> io::Result<Opened> {
    let (file, path) = tempfile::NamedTempFile::new()?.into_parts();
    Ok((file, path.to_path_buf(), Some(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_sees_what_is_written_and_the_other_way_round() {
        let mut memory = SharedMemory::new(None).unwrap();
        memory.reserve(3 * PAGE).unwrap();
        memory.bytes_mut()[2 * PAGE..2 * PAGE + 5].copy_from_slice(b"hello");
        let path = memory.path().display().to_string();
        let script = format!(
            "dd if={path} bs=4096 skip=2 count=1 2>/dev/null | head -c 5; printf bye | dd of={path} conv=notrunc 2>/dev/null"
        );
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(output.stdout, b"hello");
        assert_eq!(&memory.bytes()[..3], b"bye");
    }

    #[test]
    fn what_it_holds_stays_when_it_grows() {
        let mut memory = SharedMemory::new(None).unwrap();
        memory.bytes_mut()[7] = 9;
        memory.reserve(100 * PAGE).unwrap();
        assert_eq!((memory.bytes()[7], memory.bytes()[50 * PAGE]), (9, 0));
    }
}
