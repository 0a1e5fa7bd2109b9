//! Power that is lost: of what was written and not synced any part may be missing, torn, or there without what was written
//! before it; of the index an older state may be there.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use onceflow_products::{Faults, Operation};

use crate::common::{INDEX, Promises, check, copy_folder, packs, temporary, work};

/// What the disk holds for certain before an operation, and what it may hold.
struct Moment {
    /// The store as the processes see it.
    folder: tempfile::TempDir,
    /// Bytes of each pack that were synced.
    synced: BTreeMap<PathBuf, u64>,
    /// Whether the name of each pack was synced.
    named: BTreeMap<PathBuf, bool>,
    /// The first moment whose index may be that of the disk.
    oldest_index: usize,
    promised: Vec<u8>,
    step: &'static str,
}

/// Watches a work, and keeps what there is before each operation.
struct Watch {
    folder: PathBuf,
    promises: Arc<Promises>,
    moments: Vec<Moment>,
    synced: BTreeMap<PathBuf, u64>,
    named: BTreeMap<PathBuf, bool>,
    oldest_index: usize,
}

impl Watch {
    fn see(&mut self, operation: &Operation<'_>) {
        let copy = temporary();
        copy_folder(&self.folder, copy.path());
        self.moments.push(Moment {
            folder: copy,
            synced: self.synced.clone(),
            named: self.named.clone(),
            oldest_index: self.oldest_index,
            promised: self.promises.now(),
            step: operation.step,
        });
        let name = operation.path.strip_prefix(&self.folder).unwrap().to_path_buf();
        match operation.step {
            "create" => drop(self.named.insert(name, false)),
            "sync folder" => self.named.values_mut().for_each(|named| *named = true),
            // The operation is done right after this.
            "sync" => drop(self.synced.insert(name, operation.path.metadata().unwrap().len())),
            "note readers" => self.oldest_index = self.moments.len(),
            _ => {}
        }
    }
}

/// What becomes of the bytes of a pack of which so many were synced.
type Fate = fn(&[u8], usize) -> Vec<u8>;

/// What may become of the bytes of a pack that were not synced.
const FATES: [Fate; 5] = [
    |bytes, synced| bytes[..synced].to_vec(),
    |bytes, synced| bytes[..synced + (bytes.len() - synced) / 2].to_vec(),
    |bytes, synced| [&bytes[..synced], &vec![0; bytes.len() - synced]].concat(),
    |bytes, synced| {
        let middle = synced + (bytes.len() - synced) / 2;
        [&bytes[..synced], &vec![0; middle - synced], &bytes[middle..]].concat()
    },
    |bytes, synced| {
        let middle = synced + (bytes.len() - synced) / 2;
        [&bytes[..middle], &vec![0; bytes.len() - middle]].concat()
    },
];

/// The disk after the power was lost at a moment.
fn lose(moments: &[Moment], at: usize, fate: usize, index: Option<usize>) -> tempfile::TempDir {
    let (moment, disk) = (&moments[at], temporary());
    copy_folder(moment.folder.path(), disk.path());
    for pack in packs_of(disk.path()) {
        let name = pack.strip_prefix(disk.path()).unwrap();
        let bytes = fs::read(&pack).unwrap();
        let synced = moment.synced.get(name).copied().unwrap_or_default() as usize;
        if !moment.named.get(name).copied().unwrap_or_default() && fate == 0 {
            fs::remove_file(&pack).unwrap();
        } else {
            fs::write(&pack, FATES[fate](&bytes, synced.min(bytes.len()))).unwrap();
        }
    }
    for name in INDEX {
        let _ = fs::remove_file(disk.path().join(name));
        if let (Some(index), false) = (index, name.ends_with("shm")) {
            let _ = fs::copy(moments[index].folder.path().join(name), disk.path().join(name));
        }
    }
    disk
}

fn packs_of(folder: &Path) -> Vec<PathBuf> {
    if folder.join("packs").is_dir() { packs(folder) } else { Vec::new() }
}

#[test]
fn whatever_the_power_takes_the_store_opens_and_keeps_its_promises() {
    let folder = temporary();
    let promises = Arc::new(Promises::default());
    let watch = Arc::new(Mutex::new(Watch {
        folder: folder.path().to_path_buf(),
        promises: Arc::clone(&promises),
        moments: Vec::new(),
        synced: BTreeMap::new(),
        named: BTreeMap::new(),
        oldest_index: 0,
    }));
    let seen = Arc::clone(&watch);
    let faults: Faults = Arc::new(move |operation| {
        seen.lock().unwrap().see(operation);
        None
    });
    work(folder.path(), &faults, &promises).unwrap();
    let moments = std::mem::take(&mut watch.lock().unwrap().moments);
    for at in 0..moments.len() {
        let indexes: Vec<Option<usize>> =
            [None].into_iter().chain((moments[at].oldest_index..=at).map(Some)).collect();
        for fate in 0..FATES.len() {
            // With the newest index and without one, each fate; with the older ones, in turn.
            let chosen = indexes.iter().enumerate().filter(|(number, index)| {
                index.is_none() || **index == Some(at) || number % FATES.len() == fate
            });
            for (_, index) in chosen {
                let disk = lose(&moments, at, fate, *index);
                let words = format!("before {} ({at}), fate {fate}, index {index:?}", moments[at].step);
                check(disk.path(), &moments[at].promised, &words);
            }
        }
    }
}
