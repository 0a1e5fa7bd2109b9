//! When each job started and ended, and the sums of a schedule.

use super::graph::{JobGraph, JobRequest};
use super::state::BatchState;

/// How a job ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JobEnd {
    /// Its work was done.
    #[default]
    Ok,
    /// Its limit stopped it.
    Timeout,
    /// It never started: a job that it waits for was stopped.
    Cancelled,
}

/// One job of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobOutcome {
    /// When it started; never when it was cancelled.
    pub start: Option<u64>,
    /// When its nodes were free again.
    pub end: Option<u64>,
    /// How it ended.
    pub result: JobEnd,
}

/// What became of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The jobs in the order of submission, others' first.
    pub jobs: Vec<JobOutcome>,
    /// From the earliest submission to the last end, over our jobs that ran.
    pub makespan: u64,
    /// Nodes times the time they were held, over our jobs.
    pub cost: u128,
    /// The share of all nodes that anyone held in that time.
    pub utilisation: f64,
}

impl JobEnd {
    /// Its word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
        }
    }
}

impl JobOutcome {
    /// When it held its nodes.
    pub fn span(&self) -> Option<(u64, u64)> {
        self.start.zip(self.end)
    }
}

impl Schedule {
    pub(super) fn of(graph: &JobGraph, requests: &[JobRequest], state: &BatchState<'_>) -> Self {
        let jobs: Vec<JobOutcome> = (0..graph.job_count()).map(|job| state.outcome(job)).collect();
        let ours = graph.others..jobs.len();
        let ran = ours.filter_map(|job| jobs[job].span().map(|span| (job, span)));
        let (mut first, mut last, mut cost) = (u64::MAX, 0, 0u128);
        for (job, (start, end)) in ran {
            first = first.min(graph.submits[job]);
            last = last.max(end);
            cost += u128::from(requests[job].nodes) * u128::from(end - start);
        }
        let makespan = last.saturating_sub(first);
        let held = |(start, end): (u64, u64)| end.min(last).saturating_sub(start.max(first));
        let of_jobs =
            jobs.iter().zip(requests).filter_map(|(job, request)| Some((job.span()?, request.nodes)));
        let of_load = graph.running.iter().map(|load| ((0, load.left), load.nodes));
        let used: u128 =
            of_jobs.chain(of_load).map(|(span, nodes)| u128::from(held(span)) * u128::from(nodes)).sum();
        let all = graph.nodes as f64 * makespan as f64;
        let utilisation = if makespan == 0 { 0.0 } else { used as f64 / all };
        Self { jobs, makespan, cost, utilisation }
    }
}
