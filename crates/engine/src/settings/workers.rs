//! Workers in other processes: who starts them, and what they get.

use std::path::PathBuf;

use onceflow_cluster::{SiteProfile, batch_system};

use super::resources::available_workers;

/// Where the buckets of a run are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkEngine {
    /// By so many processes of this machine.
    Local(usize),
    /// By calls of `onceflow work` with the folder of the run.
    Folder,
    /// By array jobs of a batch system.
    Batch {
        /// Its word: `slurm` or `pbs`.
        system: String,
        /// How many workers; as the site's profile says without a number.
        workers: Option<usize>,
    },
}

/// Workers of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkersOn {
    /// Who starts them.
    pub engine: WorkEngine,
    /// The program that they are.
    pub program: PathBuf,
    /// Arguments that all of them get.
    pub arguments: Vec<String>,
    /// Seconds of silence after which a worker is lost.
    pub lease: f64,
    /// Processors of a worker that is a job.
    pub cores: usize,
    /// Bytes of memory of a worker that is a job.
    pub memory: u64,
    /// Seconds that a bucket should take at most.
    pub target: f64,
    /// What the site wants of jobs.
    pub site: SiteProfile,
    /// Whether jobs stay when the run is interrupted.
    pub leaves: bool,
}

/// Workers of a batch system, where nothing says how many, or of a folder, so that there are buckets for many.
const UNKNOWN_WORKERS: usize = 16;

impl WorkersOn {
    /// How many workers there are expected to be.
    pub fn workers(&self) -> usize {
        self.engine.workers_at(&self.site)
    }
}

impl WorkEngine {
    /// Reads `local:4`, `local`, `folder`, `slurm`, `slurm:64`, `pbs` or `pbs:64`.
    ///
    /// # Errors
    /// With what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected =
            || "expected local:N with N from 1 to 1024, folder, slurm, slurm:N, pbs or pbs:N".to_owned();
        match text.split_once(':') {
            None if text == "folder" => Ok(Self::Folder),
            None if text == "local" => Ok(Self::Local(available_workers().max(1))),
            None if batch_system(text).is_some() => Ok(Self::Batch { system: text.into(), workers: None }),
            Some((system, count)) if batch_system(system).is_some() => {
                let count = count.parse().ok().filter(|count| (1..=100_000).contains(count));
                let batch = |count| Self::Batch { system: system.into(), workers: Some(count) };
                count.map(batch).ok_or_else(expected)
            }
            Some(("local", count)) => {
                let count = count.parse().ok().filter(|count| (1..=1024).contains(count));
                count.map(Self::Local).ok_or_else(expected)
            }
            _ => Err(expected()),
        }
    }

    /// How many workers there are expected to be at a site.
    pub fn workers_at(&self, site: &SiteProfile) -> usize {
        self.workers().or(site.workers).unwrap_or(UNKNOWN_WORKERS)
    }

    /// How many workers it has; none where that is not known.
    pub fn workers(&self) -> Option<usize> {
        match self {
            Self::Local(count) => Some(*count),
            Self::Batch { workers, .. } => *workers,
            Self::Folder => None,
        }
    }
}
