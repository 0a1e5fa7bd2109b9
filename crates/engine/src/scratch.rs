//! Results that memory has no room for, on disks until they are needed again.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use onceflow_region::blob::DiskBlobs;
use onceflow_region::publish::remove_abandoned;
use onceflow_region::tier::{Cost, Tiers};
use onceflow_region::{Budget, Region};
use onceflow_runtime::{Below, Instance, OperationError};

/// The tiers below memory, made when the first result goes down, and gone with the last: a fast disk when one is named,
/// and the disk of the run when that one is full.
pub(crate) struct Scratch {
    folders: Vec<PathBuf>,
    tiers: OnceLock<Result<Tiers, String>>,
}

/// The most results that one task makes.
const MOST_OUTPUTS: usize = 64;

impl Scratch {
    /// Tiers in these folders, the fastest first. What killed runs left there goes.
    pub(crate) fn new(folders: Vec<PathBuf>) -> Self {
        for folder in &folders {
            // A folder that is not there or cannot be read has nothing in it that could be removed.
            let _ = remove_abandoned(folder);
        }
        Self { folders, tiers: OnceLock::new() }
    }

    fn tiers(&self) -> Result<&Tiers, OperationError> {
        self.tiers
            .get_or_init(|| start(&self.folders).map_err(|error| error.to_string()))
            .as_ref()
            .map_err(failed)
    }

    fn write(&self, instance: Instance, outputs: &[Arc<Region>]) -> Result<(), OperationError> {
        let tiers = self.tiers()?;
        for (output, region) in outputs.iter().enumerate() {
            tiers.put(key(instance, output), Arc::clone(region), Cost::keep()).map_err(failed)?;
        }
        // Whoever asked may use the memory as soon as he is answered: the results must have left it.
        tiers.flush().map_err(failed)
    }
}

/// Nothing stays in memory here: the scheduler has decided what leaves it, and reserved what comes back.
fn start(folders: &[PathBuf]) -> Result<Tiers, Box<dyn std::error::Error>> {
    let mut builder = Tiers::builder(Budget::new(u64::MAX), 0).threads(1);
    for folder in folders {
        std::fs::create_dir_all(folder)?;
        builder = builder.below(DiskBlobs::scratch(folder)?, room(folder));
    }
    Ok(builder.start()?)
}

/// Nine tenths of what is free on the disk of a folder, where the system says it.
fn room(folder: &Path) -> u64 {
    crate::whole::desk::free_space(folder).map_or(u64::MAX, |free| free / 10 * 9)
}

fn key(instance: Instance, output: usize) -> [u8; 32] {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&u64::from(instance.node.0).to_le_bytes());
    key[8..16].copy_from_slice(&(instance.site as u64).to_le_bytes());
    key[16..24].copy_from_slice(&(output as u64).to_le_bytes());
    key
}

fn failed(error: impl Display) -> OperationError {
    OperationError::new(format!("what memory had no room for cannot be kept on the disk: {error}"))
}

impl Below for Scratch {
    fn put(&self, instance: Instance, outputs: &[Arc<Region>]) -> Result<(), OperationError> {
        let written = self.write(instance, outputs);
        if written.is_err() {
            self.forget(instance);
        }
        written
    }

    fn get(&self, instance: Instance) -> Result<Vec<Arc<Region>>, OperationError> {
        let tiers = self.tiers()?;
        let mut outputs = Vec::new();
        while let Some(region) = tiers.get(key(instance, outputs.len())).map_err(failed)? {
            outputs.push(region);
        }
        Ok(outputs)
    }

    fn forget(&self, instance: Instance) {
        // Most of what is forgotten has never left memory.
        if let Some(Ok(tiers)) = self.tiers.get() {
            let _last = (0..MOST_OUTPUTS).find(|output| !tiers.forget(key(instance, *output)));
        }
    }
}
