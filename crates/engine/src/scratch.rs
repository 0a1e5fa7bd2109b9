//! Results that memory has no room for, on a disk until they are needed again.

use std::collections::HashMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use onceflow_region::blob::{BlobStore as _, DiskBlobs, digest};
use onceflow_region::codec::{Encoded, decode};
use onceflow_region::publish::{Publisher, ScratchFolder, remove_abandoned};
use onceflow_region::{Digest, Region};
use onceflow_runtime::{Below, Instance, OperationError};

/// A folder that is made when the first result goes into it, and gone with the last.
#[derive(Debug)]
pub(crate) struct Scratch {
    parent: PathBuf,
    place: OnceLock<Result<(ScratchFolder, DiskBlobs), String>>,
    shelf: Mutex<Shelf>,
}

/// What lies in the folder. Equal results of several instances are one blob.
#[derive(Debug, Default)]
struct Shelf {
    digests: HashMap<Instance, Vec<Digest>>,
    owners: HashMap<Digest, usize>,
}

impl Scratch {
    /// A folder that will be made in this one, should anything not fit. What killed runs left there goes.
    pub(crate) fn new(parent: &Path) -> Self {
        // A folder that is not there or cannot be read has nothing in it that could be removed.
        let _ = remove_abandoned(parent);
        Self { parent: parent.to_path_buf(), place: OnceLock::new(), shelf: Mutex::default() }
    }

    fn blobs(&self) -> Result<&DiskBlobs, OperationError> {
        let made = self.place.get_or_init(|| make(&self.parent));
        made.as_ref().map(|(_, blobs)| blobs).map_err(failed)
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whoever writes owns before he does: else the last other owner could take away what is thought to be there.
    fn write(&self, instance: Instance, region: &Region) -> Result<(), OperationError> {
        let (blobs, content) = (self.blobs()?, Encoded::new(region).map_err(failed)?);
        let digest = digest(&content).map_err(failed)?;
        let mut shelf = self.shelf();
        *shelf.owners.entry(digest).or_default() += 1;
        shelf.digests.entry(instance).or_default().push(digest);
        drop(shelf);
        blobs.write(&digest, &content).map_err(failed)
    }

    fn read(&self, digest: &Digest) -> Result<Arc<Region>, OperationError> {
        let mut opened = self.blobs()?.open(digest).map_err(failed)?;
        decode(&mut opened.stream, opened.length).map(Arc::new).map_err(failed)
    }
}

/// Nobody needs what is there after a loss of power, so that nothing waits for the disk.
fn make(parent: &Path) -> Result<(ScratchFolder, DiskBlobs), String> {
    let folder = std::fs::create_dir_all(parent).and_then(|()| ScratchFolder::new(parent));
    let folder = folder.map_err(|error| error.to_string())?;
    let blobs = DiskBlobs::open_with(folder.path(), Publisher::hasty()).map_err(|error| error.to_string())?;
    Ok((folder, blobs))
}

fn failed(error: impl Display) -> OperationError {
    OperationError::new(format!("what memory had no room for cannot be kept on the disk: {error}"))
}

impl Below for Scratch {
    fn put(&self, instance: Instance, outputs: &[Arc<Region>]) -> Result<(), OperationError> {
        self.shelf().digests.insert(instance, Vec::new());
        let written = outputs.iter().try_for_each(|region| self.write(instance, region));
        if written.is_err() {
            self.forget(instance);
        }
        written
    }

    fn get(&self, instance: Instance) -> Result<Vec<Arc<Region>>, OperationError> {
        let digests = self.shelf().digests.get(&instance).cloned();
        let digests = digests.ok_or_else(|| OperationError::new("a result was never put on the disk"))?;
        digests.iter().map(|digest| self.read(digest)).collect()
    }

    fn forget(&self, instance: Instance) {
        let mut shelf = self.shelf();
        for digest in shelf.digests.remove(&instance).unwrap_or_default() {
            let owners = shelf.owners.entry(digest).or_default();
            *owners = owners.saturating_sub(1);
            if *owners == 0 {
                shelf.owners.remove(&digest);
                // What cannot be removed now is removed with the folder.
                let _ = self.blobs().map(|blobs| blobs.remove(&digest));
            }
        }
    }
}
