//! Jobs, and what already holds or waits for the nodes of a cluster.

use std::collections::HashMap;

/// One job of a batch system. Times are whole numbers of one unit, seconds as a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchJob {
    /// Its name, once in a workload.
    pub id: String,
    /// Nodes that it takes, all at once.
    pub nodes: u64,
    /// How long it really runs.
    pub run: u64,
    /// How long it asks for; it is stopped then.
    pub limit: u64,
    /// Places of earlier jobs that must end well before it starts.
    pub after: Vec<usize>,
    /// When it is submitted.
    pub submit: u64,
}

/// Nodes held since before the beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningLoad {
    /// How many.
    pub nodes: u64,
    /// When they are really free.
    pub left: u64,
    /// When the scheduler expects them.
    pub limit_left: u64,
}

/// Jobs in the order of submission, on a cluster. What it holds was checked: no job is wider than the cluster, jobs
/// wait for earlier ones only, and no sum of times overflows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    nodes: u64,
    overhead: u64,
    depth: Option<usize>,
    running: Vec<RunningLoad>,
    others: usize,
    jobs: Vec<BatchJob>,
}

/// Why jobs cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkloadError {
    /// No nodes, or more than whole numbers hold.
    #[error("expected a cluster of 1 to {MOST_NODES} nodes, found {0}")]
    Nodes(u64),
    /// More jobs than places have numbers.
    #[error("expected at most {MOST_JOBS} jobs, found {0}")]
    Jobs(usize),
    /// A job that no allocation can hold.
    #[error("job `{id}`: expected 1 to {most} nodes, found {nodes}; give it fewer nodes or the cluster more")]
    Width {
        /// The job.
        id: String,
        /// What it asks for.
        nodes: u64,
        /// What there is.
        most: u64,
    },
    /// A name that stands twice.
    #[error("job `{0}`: the name stands twice; each job needs its own")]
    Twice(String),
    /// A job that waits for itself, a later one, or one that is not there.
    #[error(
        "job `{id}`: expected an earlier job to wait for, found {found}; submit a job after those it needs"
    )]
    After {
        /// The job.
        id: String,
        /// What it waits for.
        found: String,
    },
    /// Running jobs that together need more nodes than there are.
    #[error("running jobs of the load: expected at most {most} nodes together, found {nodes}")]
    RunningWidth {
        /// What they hold.
        nodes: u64,
        /// What there is.
        most: u64,
    },
    /// A running job that ends after its limit.
    #[error("running job {place} of the load: expected a limit of at least {left}, found {limit_left}")]
    RunningLimit {
        /// Its place, from 1.
        place: usize,
        /// When it ends.
        left: u64,
        /// When it must have ended.
        limit_left: u64,
    },
    /// Times whose sums no whole number holds.
    #[error("job `{0}`: its times are too large; all times of the workload together must stay below 2^53")]
    Times(String),
}

/// Numbers of nodes stay far below what products with times can hold.
pub(super) const MOST_NODES: u64 = 1 << 31;
/// Jobs are numbered by 32 bits.
pub(super) const MOST_JOBS: usize = 1 << 30;
/// Sums of times are exact in JSON too.
const MOST_TIME: u64 = 1 << 53;

impl Workload {
    /// Jobs on an empty cluster without overhead.
    ///
    /// # Errors
    /// When a job cannot run, naming it.
    pub fn new(nodes: u64, jobs: Vec<BatchJob>) -> Result<Self, WorkloadError> {
        let workload = Self { nodes, overhead: 0, depth: None, running: Vec::new(), others: 0, jobs };
        workload.check().map(|()| workload)
    }

    /// The same with what each start takes of its nodes.
    ///
    /// # Errors
    /// When times become too large.
    pub fn with_overhead(self, overhead: u64) -> Result<Self, WorkloadError> {
        let workload = Self { overhead, ..self };
        workload.check().map(|()| workload)
    }

    /// The same where backfilling looks at no more ready jobs than these.
    #[must_use]
    pub fn with_depth(self, depth: Option<usize>) -> Self {
        Self { depth, ..self }
    }

    /// The same on a cluster that is not empty: the jobs of others that run, and how many of the first jobs are theirs.
    ///
    /// # Errors
    /// When running jobs do not fit, or end after their limits.
    pub fn with_load(self, running: Vec<RunningLoad>, others: usize) -> Result<Self, WorkloadError> {
        let others = others.min(self.jobs.len());
        let workload = Self { running, others, ..self };
        workload.check().map(|()| workload)
    }

    /// Nodes of the cluster.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// What each start takes of its nodes.
    pub fn overhead(&self) -> u64 {
        self.overhead
    }

    /// How many ready jobs behind the head backfilling looks at.
    pub fn depth(&self) -> Option<usize> {
        self.depth
    }

    /// Jobs that run at the beginning.
    pub fn running(&self) -> &[RunningLoad] {
        &self.running
    }

    /// How many of the first jobs are others'.
    pub fn others(&self) -> usize {
        self.others
    }

    /// All jobs in the order of submission, others' first.
    pub fn jobs(&self) -> &[BatchJob] {
        &self.jobs
    }

    /// The jobs alone.
    pub(super) fn into_jobs(self) -> Vec<BatchJob> {
        self.jobs
    }

    fn check(&self) -> Result<(), WorkloadError> {
        if self.nodes == 0 || self.nodes > MOST_NODES {
            return Err(WorkloadError::Nodes(self.nodes));
        }
        if self.jobs.len().saturating_add(self.running.len()) > MOST_JOBS {
            return Err(WorkloadError::Jobs(self.jobs.len()));
        }
        self.check_running()?;
        self.check_jobs()?;
        self.check_times()
    }

    fn check_running(&self) -> Result<(), WorkloadError> {
        let nodes = self.running.iter().fold(0u64, |sum, load| sum.saturating_add(load.nodes));
        if nodes > self.nodes {
            return Err(WorkloadError::RunningWidth { nodes, most: self.nodes });
        }
        let late = self.running.iter().position(|load| load.limit_left < load.left);
        late.map_or(Ok(()), |at| {
            let RunningLoad { left, limit_left, .. } = self.running[at];
            Err(WorkloadError::RunningLimit { place: at + 1, left, limit_left })
        })
    }

    fn check_jobs(&self) -> Result<(), WorkloadError> {
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(self.jobs.len());
        for (place, job) in self.jobs.iter().enumerate() {
            let id = || job.id.clone();
            if job.nodes == 0 || job.nodes > self.nodes {
                return Err(WorkloadError::Width { id: id(), nodes: job.nodes, most: self.nodes });
            }
            if places.insert(&job.id, place).is_some() {
                return Err(WorkloadError::Twice(id()));
            }
            if let Some(later) = job.after.iter().find(|after| **after >= place) {
                let found = self.jobs.get(*later).map_or("no job".into(), |other| format!("`{}`", other.id));
                return Err(WorkloadError::After { id: id(), found });
            }
        }
        Ok(())
    }

    /// Nothing is later than all submissions, loads and lengths after one another.
    fn check_times(&self) -> Result<(), WorkloadError> {
        let loads = self.running.iter().map(|load| load.limit_left).max().unwrap_or_default();
        let mut latest = loads;
        let mut lengths = 0u64;
        for job in &self.jobs {
            latest = latest.max(job.submit);
            lengths = lengths.saturating_add(job.limit.max(job.run)).saturating_add(self.overhead);
            if latest.saturating_add(lengths) >= MOST_TIME {
                return Err(WorkloadError::Times(job.id.clone()));
            }
        }
        Ok(())
    }
}
