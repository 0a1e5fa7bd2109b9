//! Who waits for whom, made once for a workload and simulated with any requests.

use super::policy::BatchPolicy;
use super::schedule::Schedule;
use super::state::BatchState;
use super::workload::{BatchJob, RunningLoad, Workload};

/// What a job asks for, and how long it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobRequest {
    /// Nodes that it takes.
    pub nodes: u64,
    /// How long it really runs.
    pub run: u64,
    /// How long it asks for.
    pub limit: u64,
}

/// The dependencies and submissions of a workload: all that does not change when jobs ask for other numbers of nodes.
#[derive(Clone, Debug)]
pub struct JobGraph {
    pub(super) nodes: u64,
    pub(super) overhead: u64,
    pub(super) depth: usize,
    pub(super) running: Vec<RunningLoad>,
    pub(super) others: usize,
    pub(super) submits: Vec<u64>,
    /// Places of jobs by submission; equal ones in order.
    pub(super) by_submit: Vec<u32>,
    /// For how many jobs each waits.
    pub(super) waits: Vec<u32>,
    after: Adjacency,
    followers: Adjacency,
}

/// Lists of places, one after the other.
#[derive(Clone, Debug)]
struct Adjacency {
    begins: Vec<u32>,
    places: Vec<u32>,
}

impl From<&BatchJob> for JobRequest {
    fn from(job: &BatchJob) -> Self {
        Self { nodes: job.nodes, run: job.run, limit: job.limit }
    }
}

impl JobGraph {
    /// The graph of a workload.
    pub fn new(workload: &Workload) -> Self {
        let jobs = workload.jobs();
        let mut by_submit: Vec<u32> = (0..jobs.len() as u32).collect();
        by_submit.sort_by_key(|place| jobs[*place as usize].submit);
        let after: Vec<Vec<usize>> = jobs.iter().map(|job| without_twice(&job.after)).collect();
        let mut followers = vec![Vec::new(); jobs.len()];
        for (place, job) in after.iter().enumerate() {
            job.iter().for_each(|before| followers[*before].push(place));
        }
        Self {
            nodes: workload.nodes(),
            overhead: workload.overhead(),
            depth: workload.depth().unwrap_or(usize::MAX),
            running: workload.running().to_vec(),
            others: workload.others(),
            submits: jobs.iter().map(|job| job.submit).collect(),
            by_submit,
            waits: after.iter().map(|job| job.len() as u32).collect(),
            after: Adjacency::new(&after),
            followers: Adjacency::new(&followers),
        }
    }

    /// How many jobs there are.
    pub fn job_count(&self) -> usize {
        self.submits.len()
    }

    /// Simulates the jobs with one request each. A request wider than the cluster never starts: check widths first.
    pub fn simulate(&self, requests: &[JobRequest], policy: BatchPolicy) -> Schedule {
        debug_assert_eq!(requests.len(), self.job_count());
        let mut state = BatchState::new(self, requests, policy);
        state.run();
        Schedule::of(self, requests, &state)
    }

    /// For which jobs one waits.
    pub(super) fn after(&self, job: u32) -> &[u32] {
        self.after.of(job)
    }

    /// Which jobs wait for one.
    pub(super) fn followers(&self, job: u32) -> &[u32] {
        self.followers.of(job)
    }
}

impl Adjacency {
    fn new(lists: &[Vec<usize>]) -> Self {
        let mut begins = vec![0];
        let mut places = Vec::new();
        for list in lists {
            places.extend(list.iter().map(|place| *place as u32));
            begins.push(places.len() as u32);
        }
        Self { begins, places }
    }

    fn of(&self, job: u32) -> &[u32] {
        let job = job as usize;
        &self.places[self.begins[job] as usize..self.begins[job + 1] as usize]
    }
}

fn without_twice(after: &[usize]) -> Vec<usize> {
    let mut after = after.to_vec();
    after.sort_unstable();
    after.dedup();
    after
}
