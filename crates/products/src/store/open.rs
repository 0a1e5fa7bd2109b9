//! How a store is opened: what a folder must be, and what processes that were killed have left.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, RwLock};

use super::{ProductStore, StoreOptions, lock, now};
use crate::disk::Disk;
use crate::elsewhere::place_of_packs;
use crate::index::{self, Addition, Index, NewBlob, NewEntry};
use crate::lease::{self, Lease};
use crate::migrate::{self, Form, OlderForm};
use crate::pack::{self, Extent, Scanned};
use crate::place::{INDEX, LEASES, LOCK, PACKS, QUARANTINE};
use crate::record::blob::BlobHead;
use crate::record::entry::Entry;
use crate::{ProductError, default_limit, is_on_network};

impl ProductStore {
    /// Opens the store in a folder, which is made when it is not there. An index that is lost or damaged is made again from
    /// the packs; what processes that were killed have left is taken over; a store of an older form is migrated.
    ///
    /// # Errors
    /// When the folder holds something else or a newer store, is on a network file system, or cannot be written.
    pub fn open(folder: impl AsRef<Path>, options: &StoreOptions) -> Result<Self, ProductError> {
        let folder = folder.as_ref();
        let disk = Disk::new(options.faults.clone(), options.wait);
        disk.make_folder(folder)?;
        let disk = disk.of_store(folder);
        if let Some(system) = is_on_network(folder) {
            return Err(ProductError::Network { path: folder.to_path_buf(), system });
        }
        let form = migrate::form(folder, &disk)?;
        let blobs = place_of_packs(folder, options.blobs.as_deref(), &disk)?;
        for path in [blobs.join(PACKS), folder.join(LEASES), folder.join(QUARANTINE)] {
            disk.make_folder(&path)?;
        }
        let opening = Opening { folder, packs: blobs.join(PACKS), disk: &disk, limit: options.limit };
        let store = match form {
            Form::Current => opening.current(),
            Form::Older(form) => opening.older(form),
        }?;
        store.index.be_patient()?;
        Ok(store)
    }

    /// Goes on with an index that another process has put in the place of a damaged one.
    pub(super) fn take_over(&self) -> Result<(), ProductError> {
        *lock(&self.writer) = None;
        self.adopt(false)
    }

    /// Sets the index aside if its parts do not fit together, and makes it again from the packs.
    pub(crate) fn mend_index(&self) -> Result<(), ProductError> {
        match self.index.check() {
            Err(error) if error.is_damaged_index() => {}
            checked => return checked,
        }
        let only = locked(&self.folder, &self.disk)?;
        *lock(&self.writer) = None;
        set_index_aside(&self.folder, &self.disk)?;
        self.index.follow()?;
        drop(only);
        self.adopt(true)
    }

    /// Takes over the records of packs that the index does not know whole: those of processes that were killed, and all of
    /// them when the index is new.
    fn adopt(&self, is_new: bool) -> Result<(), ProductError> {
        let folder = self.packs();
        let failed = |error: io::Error| ProductError::disk(folder, &error);
        // In this order: a process takes its lease, names its pack in the index, and then makes the file.
        let names = pack::names(folder).map_err(failed)?;
        let known: HashSet<String> = self.index.packs()?.into_iter().collect();
        let trash: HashSet<String> = self.index.trash()?.into_iter().map(|(name, _)| name).collect();
        let open: HashMap<String, String> = self.index.open_packs()?.into_iter().collect();
        let held = lease::held(&self.leases()).map_err(failed)?;
        let is_free = |name: &String| open.get(name).is_none_or(|lease| !held.contains(lease));
        let is_lost = |name: &&String| is_free(name) && !pack::path(folder, name).is_file();
        self.index.forget_packs(&known.iter().filter(is_lost).cloned().collect::<Vec<_>>())?;
        let is_left = |name: &&String| {
            let unknown = !known.contains(*name) && !trash.contains(*name);
            (unknown && !pack::is_written(&pack::path(folder, name), held.len() > 1))
                || (open.contains_key(*name) && is_free(name))
        };
        let left: Vec<&String> = names.iter().filter(is_left).collect();
        if left.is_empty() {
            return Ok(());
        }
        let mut waiting = Vec::new();
        for name in left {
            waiting.extend(self.adopt_pack(name, is_new)?);
        }
        self.adopt_waiting(&waiting, is_new)?;
        self.index.remove_unused()
    }

    /// Takes over a pack; the entries whose blobs are in none of the packs that were read until then.
    pub(super) fn adopt_pack(
        &self,
        name: &str,
        is_new: bool,
    ) -> Result<Vec<(String, Extent, Entry)>, ProductError> {
        let path = pack::path(self.packs(), name);
        let (mut blobs, mut entries) = (Vec::new(), Vec::new());
        let scanned = pack::scan_file(&path, name, |extent, record| match record {
            Scanned::Blob(head) => blobs.push((extent, head)),
            Scanned::Entry(entry) => entries.push((extent, entry)),
        });
        match scanned {
            // Another process took it over and emptied it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            scanned => scanned.map_err(|error| ProductError::disk(&path, &error))?,
        };
        self.index.add_pack(name, "")?;
        let blob = |(extent, head): &(Extent, BlobHead)| NewBlob {
            digest: head.digest,
            bytes: head.bytes,
            pack: name,
            extent: *extent,
        };
        let addition = Addition {
            blobs: blobs.iter().map(blob).collect(),
            entries: entries.iter().map(|(e, entry)| NewEntry { entry, pack: name, extent: *e }).collect(),
            closed: vec![name],
            oldest_stays: is_new,
            is_whole: false,
        };
        let without = self.index.add(&addition, now())?.without_blob;
        Ok(without.into_iter().map(|n| (name.to_owned(), entries[n].0, entries[n].1.clone())).collect())
    }

    fn adopt_waiting<'w>(
        &self,
        waiting: &'w [(String, Extent, Entry)],
        is_new: bool,
    ) -> Result<(), ProductError> {
        if waiting.is_empty() {
            return Ok(());
        }
        let new =
            |(pack, extent, entry): &'w (String, Extent, Entry)| NewEntry { entry, pack, extent: *extent };
        let entries = waiting.iter().map(new).collect();
        // One without a blob in any pack is dead space.
        self.index
            .add(&Addition { entries, oldest_stays: is_new, is_whole: false, ..Addition::default() }, now())
            .map(drop)
    }
}

fn take_lease(folder: &Path, disk: &Disk) -> Result<Lease, ProductError> {
    Lease::take(&folder.join(LEASES), disk).map_err(|error| ProductError::disk(folder, &error))
}

/// A store that is being opened.
struct Opening<'a> {
    folder: &'a Path,
    packs: PathBuf,
    disk: &'a Disk,
    limit: Option<u64>,
}

impl Opening<'_> {
    fn current(&self) -> Result<ProductStore, ProductError> {
        match self.with_index() {
            // It is marked now, and made again.
            Err(error) if error.is_damaged_index() => self.with_index(),
            opened => opened,
        }
    }

    fn with_index(&self) -> Result<ProductStore, ProductError> {
        // A migration may have been stopped before its last step.
        migrate::put_away(self.folder, self.disk)?;
        let lease = take_lease(self.folder, self.disk)?;
        let (index, is_new) = open_index(self.folder, self.disk)?;
        let store = self.assemble(index, lease);
        store.adopt(is_new)?;
        store.empty_trash()?;
        Ok(store)
    }

    /// Migrates a store, unless another process has done so meanwhile.
    fn older(&self, form: OlderForm) -> Result<ProductStore, ProductError> {
        let Self { folder, disk, .. } = *self;
        let _only = locked(folder, disk)?;
        if migrate::form(folder, disk)? == Form::Current {
            return self.current();
        }
        let taken = migrate::write_packs(folder, form, disk)?;
        let lease = take_lease(folder, disk)?;
        let (index, is_new) = Index::open(&folder.join(INDEX), disk)?;
        let store = self.assemble(index, lease);
        store.adopt(is_new)?;
        store.index.take_over(&taken)?;
        migrate::finish(folder, disk)?;
        Ok(store)
    }

    fn assemble(&self, index: Index, lease: Lease) -> ProductStore {
        ProductStore {
            folder: self.folder.to_path_buf(),
            packs: self.packs.clone(),
            limit: self.limit.unwrap_or_else(|| default_limit(&self.packs)),
            disk: self.disk.clone(),
            index,
            lease,
            writer: Mutex::new(None),
            files: Mutex::new(HashMap::new()),
            uses: Mutex::default(),
            reading: RwLock::new(()),
        }
    }
}

/// Waits until no other process repairs or migrates the store.
fn locked(folder: &Path, disk: &Disk) -> Result<File, ProductError> {
    let path = folder.join(LOCK);
    disk.lock(&path).map_err(|error| ProductError::disk(&path, &error))
}

/// Opens the index; one that is damaged is set aside, and a new one is made.
fn open_index(folder: &Path, disk: &Disk) -> Result<(Index, bool), ProductError> {
    let path = folder.join(INDEX);
    if !index::mark(&path).exists() {
        match Index::open(&path, disk) {
            Err(error) if error.is_damaged_index() => {}
            opened => return opened,
        }
    }
    let _only = locked(folder, disk)?;
    if !index::mark(&path).exists() {
        // Another process may have made a new one meanwhile.
        match Index::open(&path, disk) {
            Err(error) if error.is_damaged_index() => {}
            opened => return opened,
        }
    }
    set_index_aside(folder, disk)?;
    Index::open(&path, disk)
}

/// Moves a damaged index to the quarantine, with the files that SQLite keeps beside it.
fn set_index_aside(folder: &Path, disk: &Disk) -> Result<(), ProductError> {
    let stamp = now();
    for ending in ["-wal", "-shm", ""] {
        let from = folder.join(format!("{INDEX}{ending}"));
        let to = folder.join(QUARANTINE).join(format!("{INDEX}-{stamp}{ending}"));
        disk.rename(&from, &to)?;
    }
    disk.remove(&index::mark(&folder.join(INDEX)))
}
