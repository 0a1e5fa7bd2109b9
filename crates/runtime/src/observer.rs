//! Observers of a run: progress, metrics and costs are made of what they are told.

use std::sync::Arc;

use onceflow_region::Region;
use onceflow_reuse::ContentDigest;

use crate::{Instance, OperationError, RowOutcome, TaskLogEntry, TaskOutcome};

/// Watches a run: told one thing after the other, by whichever thread has something to tell.
pub trait Observer: Send {
    /// An instance of a task was given to a worker.
    fn started(&mut self, _instance: Instance, _task: usize) {}

    /// An instance is over.
    fn finished(&mut self, _finished: &FinishedTask<'_>) {}

    /// An instance is over without having run: it turned out to be equal to another.
    fn duplicate(&mut self, _instance: Instance, _same_as: Instance, _task: usize) {}

    /// The result cache failed for an instance, which is computed instead or computed again by a later run.
    fn cache_failed(&mut self, _instance: Instance, _error: &OperationError) {}

    /// A row is complete for a part: the outputs of each of the flow's results, in their order. A result whose stage
    /// ended early is a stand-in with nothing in it; a row that failed has none.
    fn row(&mut self, row: usize, part: usize, outcome: &RowOutcome, results: &[Vec<Arc<Region>>]);
}

/// An instance that is over.
#[derive(Debug)]
pub struct FinishedTask<'a> {
    /// What the log says of it.
    pub entry: &'a TaskLogEntry,
    /// How it went.
    pub outcome: &'a TaskOutcome,
    /// What it made; nothing when it failed.
    pub outputs: &'a [Arc<Region>],
    /// The digests of its outputs, where they are wanted.
    pub digests: &'a [ContentDigest],
}
