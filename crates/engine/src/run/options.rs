//! How a study is run.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use onceflow_region::staging::Staging;
use onceflow_reuse::Level;
use onceflow_runtime::{Meter, Policy};

use crate::{Merge, available_memory, available_workers};

/// How a study is run.
#[derive(Debug)]
pub struct RunOptions {
    /// What makes two tasks one.
    pub level: Level,
    /// Whether equal work is done once in each bucket rather than once in the run.
    pub merge: Merge,
    /// Threads that run tasks.
    pub workers: usize,
    /// The bound of memory in bytes.
    pub memory: u64,
    /// Where results go that memory has no room for; the folder of the run when it is not said.
    pub scratch: Option<PathBuf>,
    /// Who writes them there. What waits to be written takes a share of the memory, unless it is written at once.
    pub staging: Staging,
    /// Bytes per second to and from there: what is made again in less time is not kept. Nothing is made again without it.
    pub disk: Option<f64>,
    /// What memory is measured with, where the program can tell.
    pub meter: Option<Meter>,
    /// How the next task is chosen.
    pub policy: Policy,
    /// Whether each worker stays on a processor of its own.
    pub pinned: bool,
    /// Set from outside: start nothing more.
    pub stop: AtomicBool,
}

/// All reuse, and what the machine allows.
impl Default for RunOptions {
    fn default() -> Self {
        Self {
            level: Level::default(),
            merge: Merge::Nothing,
            workers: available_workers().max(1),
            memory: available_memory(),
            scratch: None,
            staging: Staging::default(),
            disk: None,
            meter: None,
            policy: Policy::default(),
            pinned: false,
            stop: AtomicBool::new(false),
        }
    }
}
