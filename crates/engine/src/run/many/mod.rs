//! One run by many processes: the manager cuts phases into buckets and takes their results, workers compute them.

mod attempt_lines;
mod bucket_file;
mod handed;
mod interim;
mod manager;
mod pulse;
mod worker;

use std::path::Path;

pub use interim::INTERIM_FILE;
pub(super) use manager::WorkManager;
pub use worker::{WorkOptions, WorkSummary, work};

use crate::RunFolder;
use crate::resume::journal;
use crate::work::WorkRoot;

/// Whether a run is writing to a folder now: its journal is locked, or its manager gives signs, which file systems without
/// locks and other machines show too. Where the journal is not locked, signs are waited for some seconds.
pub fn is_running(folder: &Path) -> bool {
    journal::is_locked(folder) || WorkRoot::of(&RunFolder::new(folder)).has_manager()
}
