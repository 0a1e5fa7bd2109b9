//! Whoever watches a run: progress, metrics and costs are made of what is told here.

use std::sync::Arc;

use onceflow_region::Region;

use crate::{Entry, Instance, Outcome, RowOutcome};

/// Watches a run: told one thing after the other, by whichever thread has something to tell.
pub trait Observer: Send {
    /// An instance of a task was given to a worker.
    fn started(&mut self, _instance: Instance, _task: usize) {}

    /// An instance is over.
    fn finished(&mut self, _finished: &Finished<'_>) {}

    /// An instance is over without having run: it turned out to be equal to another.
    fn converged(&mut self, _instance: Instance, _same_as: Instance, _task: usize) {}

    /// A row is complete for a part: the outputs of each of the flow's results, in their order. A result whose stage
    /// ended early is a stand-in with nothing in it; a row that failed has none.
    fn row(&mut self, row: usize, part: usize, outcome: &RowOutcome, results: &[Vec<Arc<Region>>]);
}

/// An instance that is over.
#[derive(Debug)]
pub struct Finished<'a> {
    /// What the log says of it.
    pub entry: &'a Entry,
    /// How it went.
    pub outcome: &'a Outcome,
    /// What it made; nothing when it failed.
    pub outputs: &'a [Arc<Region>],
}
