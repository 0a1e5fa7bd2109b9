//! Leases: a file that a process holds locked while it uses a store. The system lets go of it when the process ends, however it
//! ends, so that no lease outlives its process.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::disk::Disk;

/// The lease of this process, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    /// Its name: 32 hexadecimal digits that no other lease has.
    pub(crate) name: String,
    path: PathBuf,
    _file: File,
}

impl Lease {
    /// Takes a lease in a folder.
    pub(crate) fn take(folder: &Path, disk: &Disk) -> io::Result<Self> {
        loop {
            let name = unique_name();
            let path = folder.join(&name);
            let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
            file.lock()?;
            disk.share(&path).or_else(absent_is_taken)?;
            // Before it was locked another process may have taken it for one that was left, and removed it.
            if path.try_exists()? {
                return Ok(Self { name, path, _file: file });
            }
        }
    }
}

/// A lease that another process has removed is taken anew.
fn absent_is_taken(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // A file that stays is not locked any more, and goes with the next look at the folder.
        let _ = fs::remove_file(&self.path);
    }
}

/// The leases that processes hold now. Files of processes that ended are removed.
pub(crate) fn held(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        if is_held(&entry.path()) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Whether a process holds a lease. One that was left is removed.
fn is_held(path: &Path) -> bool {
    let file = match File::open(path) {
        Ok(file) => file,
        // One of another user that cannot be read may be held.
        Err(error) => return error.kind() != io::ErrorKind::NotFound,
    };
    match file.try_lock_shared() {
        // Also where the system cannot tell.
        Err(_) => true,
        Ok(()) => {
            // While it is locked here no process takes it. Another may have removed it first.
            let _ = fs::remove_file(path);
            false
        }
    }
}

/// A name that no other process, thread or call has.
pub(crate) fn unique_name() -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let stack = std::ptr::from_ref(&call) as usize;
    let text = format!("{} {since} {call} {stack}", std::process::id());
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_held_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (
            Lease::take(folder.path(), &Disk::default()).unwrap(),
            Lease::take(folder.path(), &Disk::default()).unwrap(),
        );
        let mut names = vec![one.name.clone(), other.name.clone()];
        names.sort_unstable();
        let mut found = held(folder.path()).unwrap();
        found.sort_unstable();
        assert_eq!(found, names);
        drop(other);
        assert_eq!(held(folder.path()).unwrap(), std::slice::from_ref(&one.name));
    }

    #[test]
    fn a_file_that_no_process_holds_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("left"), b"").unwrap();
        assert!(held(folder.path()).unwrap().is_empty());
        assert!(!folder.path().join("left").exists());
    }
}
