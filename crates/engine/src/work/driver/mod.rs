//! Who starts workers: this process, a batch system, or the user.

mod batch;
mod command;
mod local;

use onceflow_cluster::batch_system;
use onceflow_study::Diagnostic;

use super::WorkRoot;
use crate::{EngineError, RunFolder, WorkEngine, WorkersOn};
use batch::BatchDriver;
pub(crate) use command::{CommandError, answer};
use local::LocalDriver;

/// Starts workers, and says what became of them.
pub(crate) trait WorkerDriver {
    /// Looks after the workers: those that are needed are started, those that are gone are told of. `left` buckets have no
    /// results; `gained` says whether any came since the last call.
    fn poll(&mut self, left: usize, gained: bool) -> Result<Vec<LostOwner>, EngineError>;

    /// How many workers run.
    fn running(&self) -> usize;

    /// Lets running tasks end, and no other begin.
    fn drain(&mut self);

    /// What the user should know now, said once.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// The run is over: what it started is not needed any more.
    fn end(&mut self) {}
}

/// A worker that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostOwner {
    /// Its name.
    pub(crate) owner: String,
    /// Whether its bucket cannot be the reason.
    pub(crate) excused: bool,
    /// What is known of it.
    pub(crate) reason: String,
}

impl WorkersOn {
    /// What starts them for a run in a folder, within a bound of memory.
    pub(crate) fn driver(&self, folder: &RunFolder, memory: u64) -> Box<dyn WorkerDriver> {
        match &self.engine {
            WorkEngine::Local(count) => {
                Box::new(LocalDriver::new(self, *count, folder, &WorkRoot::of(folder), memory))
            }
            WorkEngine::Batch { system, .. } => {
                let driver = BatchDriver::new(self, system, self.workers(), folder);
                driver.map_or_else(|| Box::new(NoDriver) as Box<dyn WorkerDriver>, |driver| Box::new(driver))
            }
            WorkEngine::Folder => Box::new(NoDriver),
        }
    }

    /// The script of the array job that a run into a folder would submit; none where no batch system starts the workers.
    pub fn batch_script(&self, folder: &RunFolder) -> Option<String> {
        let WorkEngine::Batch { system, .. } = &self.engine else { return None };
        let job = batch::array_job(self, self.workers(), folder);
        Some(batch_system(system)?.script(&job, &self.site))
    }
}

/// Others start workers.
struct NoDriver;

impl WorkerDriver for NoDriver {
    fn poll(&mut self, _left: usize, _gained: bool) -> Result<Vec<LostOwner>, EngineError> {
        Ok(Vec::new())
    }

    fn running(&self) -> usize {
        0
    }

    fn drain(&mut self) {}
}

/// A worker that ended by itself with an error: all others would end so too.
fn refused(worker: &str, log: &std::path::Path, why: &str) -> EngineError {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(8)..].join("\n");
    let error = Diagnostic::error(format!("the worker {worker} ended with an error: {why}")).expected_found(
        "a worker that computes buckets",
        if last.is_empty() { "no word in its log: its disk may have no space left" } else { &last },
    );
    EngineError::environment(error.with_hint(format!("{} has all that it said", log.display())))
}
