//! What runs and waits on a cluster now, as its batch system lists it.

use crate::batch::{BatchJob, RunningLoad};

/// A job of others that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningJob {
    /// Its number.
    pub number: String,
    /// Nodes that it holds.
    pub nodes: u64,
    /// Seconds until its limit; none where it has no limit.
    pub left: Option<u64>,
}

/// A job of others that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedJob {
    /// Its number.
    pub number: String,
    /// Nodes that it asks for.
    pub nodes: u64,
    /// Seconds that it asks for; none where it has no limit.
    pub limit: Option<u64>,
}

/// The jobs of everybody on a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueLoad {
    /// Those that run.
    pub running: Vec<RunningJob>,
    /// Those that wait, in the order of the queue.
    pub queued: Vec<QueuedJob>,
}

/// Why a list of jobs cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found `{found}`")]
pub struct LoadAnswerError {
    /// What was expected.
    pub expected: &'static str,
    /// The line.
    pub found: String,
}

/// Jobs without a limit are taken to last a week.
const WITHOUT_LIMIT: u64 = 7 * 24 * 3600;

impl LoadAnswerError {
    pub(super) fn line(expected: &'static str, line: &str) -> Self {
        Self { expected, found: line.chars().take(200).collect() }
    }
}

impl QueueLoad {
    pub(super) fn add(
        &mut self,
        number: &str,
        runs: bool,
        nodes: u64,
        left: Option<u64>,
        limit: Option<u64>,
    ) {
        let number = number.to_owned();
        if runs {
            self.running.push(RunningJob { number, nodes, left });
        } else {
            self.queued.push(QueuedJob { number, nodes, limit });
        }
    }

    /// The load of a cluster with so many nodes: what is known of jobs is what they asked for, so that is how long they are
    /// taken to last. Jobs that do not fit are left out.
    pub fn on(&self, nodes: u64) -> (Vec<RunningLoad>, Vec<BatchJob>) {
        let mut free = nodes;
        let mut running = Vec::new();
        for job in &self.running {
            if job.nodes == 0 || job.nodes > free {
                continue;
            }
            free -= job.nodes;
            let left = job.left.unwrap_or(WITHOUT_LIMIT);
            running.push(RunningLoad { nodes: job.nodes, left, limit_left: left });
        }
        let fits = |job: &&QueuedJob| (1..=nodes).contains(&job.nodes);
        let queued = self.queued.iter().filter(fits).map(|job| {
            let limit = job.limit.unwrap_or(WITHOUT_LIMIT);
            BatchJob {
                id: job.number.clone(),
                nodes: job.nodes,
                run: limit,
                limit,
                after: Vec::new(),
                submit: 0,
            }
        });
        (running, queued.collect())
    }
}

/// `1-02:03:04`, `02:03:04`, `3:04`: seconds; nothing for other words, such as `UNLIMITED`.
pub(super) fn duration(text: &str) -> Option<u64> {
    let (days, clock) = text.trim().split_once('-').map_or(("0", text.trim()), |split| split);
    let number = |text: &str| text.parse::<u32>().ok().map(u64::from);
    let parts: Vec<u64> = clock.split(':').map(number).collect::<Option<_>>()?;
    let seconds = match parts[..] {
        [minutes, seconds] => 60 * minutes + seconds,
        [hours, minutes, seconds] => 3600 * hours + 60 * minutes + seconds,
        _ => return None,
    };
    Some(24 * 3600 * number(days)? + seconds)
}
