//! The settings of a run: resolved, nothing optional that a run needs.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use onceflow_nuclei::PROGRAM_BYTES;
use onceflow_reuse::{Granularity, Level};
use onceflow_runtime::{MemoryMeter, Policy};
use onceflow_store::staging::Staging;
use onceflow_study::RunBound;

use super::audit::AuditShare;
use super::merge::Merge;
use super::resources::{available_memory, available_workers};
use crate::{CostsFile, StoreFolder, WorkersOn};

/// Bytes that the process of a run needs besides its tasks: the program, and the plan of a study of usual size.
pub const PROCESS_BYTES: u64 = PROGRAM_BYTES + (12 << 20);

/// Set from outside to stop a run: running tasks end, no other begins. Each run has its own.
pub type StopFlag = Arc<AtomicBool>;

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// Reuse level: what makes two tasks one.
    pub level: Level,
    /// Whether equal work is done once in each bucket rather than once in the run.
    pub merge: Merge,
    /// Threads that run tasks.
    pub workers: usize,
    /// Memory bound in bytes.
    pub memory: u64,
    /// Bytes of the memory bound that the process needs besides its tasks.
    pub process_bytes: u64,
    /// Folder for results that do not fit in memory; without one the folder of the run takes them.
    pub scratch: Option<PathBuf>,
    /// Which threads write these results. What waits to be written takes a share of the memory, unless it is written at once.
    pub staging: Staging,
    /// Bytes per second to and from that folder: results that are recomputed sooner are not written. Without it nothing is
    /// recomputed.
    pub disk: Option<f64>,
    /// What measures the memory of a task, where the program has such an allocator.
    pub meter: Option<MemoryMeter>,
    /// How the next task is chosen.
    pub policy: Policy,
    /// Whether each worker stays on one processor.
    pub pinned: bool,
    /// Task granularity; `None` decides by measured costs once every task has been measured.
    pub granularity: Option<Granularity>,
    /// File of measured task costs.
    pub costs: Option<CostsFile>,
    /// Results of earlier runs: rows that they computed are taken, rows that this run computes are added.
    pub store: Option<StoreFolder>,
    /// Share of the results in it that are computed again and compared.
    pub audit: AuditShare,
    /// The last level of a registration that is run; all without it.
    pub stop_after: Option<u32>,
    /// The last level of a registration whose products of earlier runs are taken; without it whole rows are taken too.
    pub reuse_levels: Option<u32>,
    /// File or pipe for events, one JSON object a line.
    pub events: Option<PathBuf>,
    /// Whether commands of the workflow may be run.
    pub allow_commands: bool,
    /// How far the last phase may grow until every verdict about the first metric is decided; `None` leaves its size.
    pub until_decided: Option<RunBound>,
    /// Workers that compute the buckets of the run; without them threads of this process do.
    pub on: Option<WorkersOn>,
    /// Replace the results of another study in the folder.
    pub force: bool,
    /// Which pictures the report has.
    pub pictures: PictureChoice,
    /// The command that started the run, for its provenance.
    pub command: String,
    /// When that command began; `None` when the run itself begins.
    pub began: Option<Instant>,
    /// Stops the run.
    pub stop: StopFlag,
}

/// Which pictures a report has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureChoice {
    /// Those of results that the run has at hand, and others as far as they take little time: a tenth of the time of the
    /// rows, or half a second where no program is started for them.
    #[default]
    Auto,
    /// All of them; rows are computed again for those that are not at hand.
    All,
    /// None.
    None,
}

impl PictureChoice {
    /// All choices, in the order of the help.
    pub const ALL: [Self; 3] = [Self::Auto, Self::All, Self::None];

    /// Its word on the command line and in profiles.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::All => "all",
            Self::None => "none",
        }
    }

    /// The choice of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.word() == word)
    }
}

/// All reuse, and what the machine allows; no costs file, no store of results, and no byte of the bound for the process itself.
impl Default for RunSettings {
    fn default() -> Self {
        Self {
            level: Level::default(),
            merge: Merge::Nothing,
            workers: available_workers().max(1),
            memory: available_memory(),
            process_bytes: 0,
            scratch: None,
            staging: Staging::default(),
            disk: None,
            meter: None,
            policy: Policy::default(),
            pinned: false,
            granularity: Some(Granularity::Written),
            costs: None,
            store: None,
            audit: AuditShare::default(),
            stop_after: None,
            reuse_levels: None,
            events: None,
            allow_commands: false,
            until_decided: None,
            on: None,
            force: false,
            pictures: PictureChoice::Auto,
            command: String::new(),
            began: None,
            stop: StopFlag::default(),
        }
    }
}
