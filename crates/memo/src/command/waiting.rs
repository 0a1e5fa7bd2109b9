//! One process computes a key, the others wait for it. The system lets go of the lock when its process ends, however it ends.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use onceflow_products::ProductKey;

use crate::MemoError;

/// The folder of locks in the folder of a store.
const LOCKS: &str = "memo-locks";

/// The keys that processes above this one compute.
pub(super) const COMPUTING: &str = "ONCEFLOW_MEMO_COMPUTING";

/// The right to compute a key.
pub(super) struct KeyTurn {
    lock: Option<(File, PathBuf)>,
    /// Whether another process had it before.
    pub(super) waited: bool,
    /// What the command finds in its environment.
    pub(super) computing: String,
}

impl KeyTurn {
    /// Waits until no other process computes the key. Where locks do not work, several may compute it: the first result stays.
    pub(super) fn take(
        store: &Path,
        key: ProductKey,
        title: &str,
        wait: &mut dyn FnMut(),
    ) -> Result<Self, MemoError> {
        let key = key.to_string();
        let above = std::env::var(COMPUTING).unwrap_or_default();
        if above.split(',').any(|computed| computed == key) {
            return Err(MemoError::Recursive { title: title.to_owned() });
        }
        let computing = if above.is_empty() { key.clone() } else { format!("{above},{key}") };
        let mut waited = false;
        let lock = locked(&store.join(LOCKS), &key, &mut || {
            waited = true;
            wait();
        });
        Ok(Self { lock: lock.ok(), waited, computing })
    }
}

impl KeyTurn {
    /// The lock, which the guard of the command holds too.
    pub(super) fn lock_file(&self) -> Option<&File> {
        self.lock.as_ref().map(|(file, _)| file)
    }
}

impl Drop for KeyTurn {
    fn drop(&mut self) {
        if let Some((_file, path)) = self.lock.take() {
            // While it is locked no other process takes it.
            let _ = fs::remove_file(path);
        }
    }
}

fn locked(folder: &Path, key: &str, wait: &mut dyn FnMut()) -> io::Result<(File, PathBuf)> {
    fs::create_dir_all(folder)?;
    let path = folder.join(key);
    loop {
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                wait();
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The process before may have removed it: then another file bears the name.
        if is_same(&file, &path) {
            return Ok((file, path));
        }
    }
}

#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|m| (m.dev(), m.ino()));
    let id = (id(file.metadata()), id(path.metadata()));
    id.0.is_some() && id.0 == id.1
}

#[cfg(not(unix))]
fn is_same(_: &File, path: &Path) -> bool {
    path.exists()
}
