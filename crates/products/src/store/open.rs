//! How a store is opened: what a folder must be, and what processes that were killed have left.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Mutex;

use onceflow_store::publish::write_file;

use super::{ProductStore, StoreOptions, now};
use crate::index::Index;
use crate::lease::{self, Lease};
use crate::{ProductError, default_limit, is_on_network, pack};

/// What the file in the folder says that tells what the folder is.
const FORMAT: &str = "onceflow products 1\n";
const FORMAT_FILE: &str = "format";

/// Folders of a store.
pub(super) const PACKS: &str = "packs";
pub(super) const LEASES: &str = "leases";
pub(super) const QUARANTINE: &str = "quarantine";
const INDEX: &str = "index.sqlite";

/// Tells programs that make backups to leave the folder out.
const CACHE_TAG: &str =
    "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of Onceflow.\n";

impl ProductStore {
    /// Opens the store in a folder, which is made when it is not there. An index that is lost or damaged is made again from
    /// the packs; what processes that were killed have left is taken over.
    ///
    /// # Errors
    /// When the folder holds something else, is on a network file system, or cannot be written.
    pub fn open(folder: impl AsRef<Path>, options: &StoreOptions) -> Result<Self, ProductError> {
        let folder = folder.as_ref();
        let failed = |error: io::Error| ProductError::disk(folder, &error);
        fs::create_dir_all(folder).map_err(failed)?;
        if let Some(system) = is_on_network(folder) {
            return Err(ProductError::Network { path: folder.to_path_buf(), system });
        }
        check_format(folder)?;
        for name in [PACKS, LEASES, QUARANTINE] {
            fs::create_dir_all(folder.join(name)).map_err(failed)?;
        }
        let lease = Lease::take(&folder.join(LEASES)).map_err(failed)?;
        let store = Self {
            folder: folder.to_path_buf(),
            limit: options.limit.unwrap_or_else(|| default_limit(folder)),
            index: open_index(folder)?,
            lease,
            writer: Mutex::new(None),
            files: Mutex::new(HashMap::new()),
            faults: options.faults.clone(),
        };
        store.adopt()?;
        store.empty_trash()?;
        Ok(store)
    }

    /// Takes over the records of packs that the index does not know whole: those of processes that were killed, and all of
    /// them when the index is new.
    fn adopt(&self) -> Result<(), ProductError> {
        let folder = self.packs();
        let failed = |error: io::Error| ProductError::disk(&folder, &error);
        // In this order: a process takes its lease, names its pack in the index, and then makes the file.
        let names = pack::names(&folder).map_err(failed)?;
        let known: HashSet<String> = self.index().packs()?.into_iter().collect();
        let trash: HashSet<String> = self.index().trash()?.into_iter().map(|(name, _)| name).collect();
        let open: HashMap<String, String> = self.index().open_packs()?.into_iter().collect();
        let held = lease::held(&self.leases()).map_err(failed)?;
        let is_left = |name: &&String| match open.get(*name) {
            Some(lease) => !held.contains(lease),
            None => !known.contains(*name) && !trash.contains(*name),
        };
        for name in names.iter().filter(is_left) {
            self.adopt_pack(name)?;
        }
        // A process that was killed between naming a pack and making it left a name without a file.
        for (name, lease) in open {
            if !held.contains(&lease) && !names.contains(&name) {
                self.index().close_pack(&name)?;
            }
        }
        Ok(())
    }

    fn adopt_pack(&self, name: &str) -> Result<(), ProductError> {
        let path = pack::path(&self.packs(), name);
        let (records, _) = pack::scan(&path).map_err(|error| ProductError::disk(&path, &error))?;
        self.index().add_pack(name, "")?;
        self.index().add(name, &records, now())?;
        self.index().close_pack(name)
    }
}

fn open_index(folder: &Path) -> Result<Index, ProductError> {
    let path = folder.join(INDEX);
    match Index::open(&path) {
        Err(error) if error.is_damaged_index() => {
            set_index_aside(folder).map_err(|error| ProductError::disk(&path, &error))?;
            Index::open(&path)
        }
        opened => opened,
    }
}

/// Moves a damaged index to the quarantine, with the files that SQLite keeps beside it.
fn set_index_aside(folder: &Path) -> io::Result<()> {
    let stamp = now();
    for ending in ["", "-wal", "-shm"] {
        let from = folder.join(format!("{INDEX}{ending}"));
        let to = folder.join(QUARANTINE).join(format!("{INDEX}-{stamp}{ending}"));
        match fs::rename(&from, &to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn check_format(folder: &Path) -> Result<(), ProductError> {
    let path = folder.join(FORMAT_FILE);
    let expected = FORMAT.trim_end().to_owned();
    match fs::read(&path) {
        Ok(found) if found == FORMAT.as_bytes() => Ok(()),
        Ok(found) => {
            let found = String::from_utf8_lossy(&found[..found.len().min(40)]).trim_end().to_owned();
            Err(ProductError::Format { path, expected, found })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let failed = |error: io::Error| ProductError::disk(folder, &error);
            if let Some(found) = first_of_others(folder).map_err(failed)? {
                return Err(ProductError::Format { path, expected, found });
            }
            let write = |name: &str, text: &str| {
                write_file(&folder.join(name), |file| file.write_all(text.as_bytes()))
            };
            write("CACHEDIR.TAG", CACHE_TAG).map_err(failed)?;
            write(FORMAT_FILE, FORMAT).map_err(failed)
        }
        Err(error) => Err(ProductError::disk(&path, &error)),
    }
}

/// A file in the folder that a store does not have.
fn first_of_others(folder: &Path) -> io::Result<Option<String>> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let ours = [FORMAT_FILE, "CACHEDIR.TAG", PACKS, LEASES, QUARANTINE].contains(&name.as_str());
        if !ours && !name.starts_with(INDEX) && !name.starts_with(".onceflow-") {
            return Ok(Some(name));
        }
    }
    Ok(None)
}
