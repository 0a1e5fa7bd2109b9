//! Results that memory has no room for, on disks until they are needed again.

mod down;
#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use down::Down;
use onceflow_region::{Budget, Lease, Region};
use onceflow_runtime::{Instance, OperationError, SpillStore};
use onceflow_store::blob::DiskBlobs;
use onceflow_store::publish::remove_abandoned;
use onceflow_store::staging::{Stager, Staging};
use onceflow_store::tier::Tiers;

/// The tiers below memory, made when the first result goes down, and gone with the last: a fast disk when one is named,
/// and the disk of the run when that one is full. Who writes is a matter of the staging.
pub(crate) struct Scratch {
    folders: Vec<PathBuf>,
    staging: Staging,
    /// Memory for what waits to be written.
    waiting: Budget,
    _reserved: Option<Lease>,
    stager: OnceLock<Result<Stager<Down>, String>>,
}

/// Memory in which results wait to be written: one part in so many of all.
const WAITING: u64 = 16;

/// Of so many bytes, those that are set aside for results that wait to be written.
pub(crate) fn set_aside(staging: &Staging, memory: u64) -> u64 {
    if staging.is_at_once() { 0 } else { memory / WAITING }
}

impl Scratch {
    /// Tiers in these folders, the fastest first, to which results come by a staging that may hold as much as is reserved.
    /// What killed runs left there goes.
    pub(crate) fn new(folders: Vec<PathBuf>, staging: Staging, reserved: Option<Lease>) -> Self {
        for folder in &folders {
            // A folder that is not there or cannot be read has nothing in it that could be removed.
            let _ = remove_abandoned(folder);
        }
        let waiting = Budget::new(reserved.as_ref().map_or(0, Lease::bytes));
        Self { folders, staging, waiting, _reserved: reserved, stager: OnceLock::new() }
    }

    fn stager(&self) -> Result<&Stager<Down>, OperationError> {
        self.stager.get_or_init(|| self.start().map_err(|error| error.to_string())).as_ref().map_err(failed)
    }

    fn start(&self) -> Result<Stager<Down>, Box<dyn std::error::Error>> {
        let sink = Down::new(tiers(&self.folders)?);
        Ok(self.staging.start_with(sink, self.waiting.clone())?)
    }
}

/// Nothing stays in memory here: the scheduler has decided what leaves it, and reserved what comes back.
fn tiers(folders: &[PathBuf]) -> Result<Tiers, Box<dyn std::error::Error>> {
    let mut builder = Tiers::builder(Budget::new(u64::MAX), 0).threads(1);
    for folder in folders {
        std::fs::create_dir_all(folder)?;
        builder = builder.below(DiskBlobs::scratch(folder)?, room(folder));
    }
    Ok(builder.start()?)
}

/// Nine tenths of what is free on the disk of a folder, where the system says it.
fn room(folder: &Path) -> u64 {
    onceflow_nuclei::free_space(folder).map_or(u64::MAX, |free| free / 10 * 9)
}

fn failed(error: impl Display) -> OperationError {
    OperationError::new(format!("what memory had no room for cannot be kept on the disk: {error}"))
}

impl SpillStore for Scratch {
    fn put(&self, instance: Instance, outputs: &[Arc<Region>]) -> Result<(), OperationError> {
        let stager = self.stager()?;
        let bytes = outputs.iter().map(|region| region.bytes()).sum();
        let ticket = stager.sink().announce(instance, outputs);
        let written = stager.hand(ticket, bytes).map_err(failed);
        if written.is_err() {
            self.forget(instance);
        }
        written
    }

    fn get(&self, instance: Instance) -> Result<Vec<Arc<Region>>, OperationError> {
        let outputs = self.stager()?.sink().get(instance).map_err(failed)?;
        outputs.ok_or_else(|| failed("it is there no more"))
    }

    fn forget(&self, instance: Instance) {
        // Most of what is forgotten has never left memory.
        if let Some(Ok(stager)) = self.stager.get() {
            stager.sink().forget(instance);
        }
    }
}

impl Drop for Scratch {
    /// What still waits is not written: it is not needed any more.
    fn drop(&mut self) {
        if let Some(Ok(stager)) = self.stager.get() {
            stager.sink().forget_all();
        }
    }
}
