//! The batch system at one instant, and how it comes to the next.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::graph::{JobGraph, JobRequest};
use super::policy::{BatchPolicy, Places, pass};
use super::schedule::{JobEnd, JobOutcome};
use super::slurm::SlurmModel;
use super::tree::JobTree;

/// A batch system in virtual time.
#[derive(Debug)]
pub(super) struct BatchState<'g> {
    pub(super) graph: &'g JobGraph,
    pub(super) requests: &'g [JobRequest],
    pub(super) policy: BatchPolicy,
    pub(super) now: u64,
    /// Nodes that no job holds.
    pub(super) free: u64,
    /// Jobs that may start.
    pub(super) ready: JobTree,
    /// Submitted jobs that did not start, ready or not; kept for the policies that ask.
    pub(super) queued: Option<JobTree>,
    /// Nodes by the instant at which the scheduler expects them back.
    pub(super) planned: BTreeMap<u64, u64>,
    pub(super) places: Places,
    stages: Vec<JobStage>,
    /// For how many jobs each waits still.
    waits: Vec<u32>,
    /// Running jobs by their end; the numbers behind those of jobs are the load's.
    ends: BinaryHeap<Reverse<(u64, u32)>>,
    /// How many jobs were submitted.
    submitted: usize,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobStage {
    Unsubmitted,
    Queued,
    Running { start: u64, planned: u64 },
    Ended { start: u64, end: u64, result: JobEnd },
    Cancelled,
}

impl<'g> BatchState<'g> {
    pub(super) fn new(graph: &'g JobGraph, requests: &'g [JobRequest], policy: BatchPolicy) -> Self {
        let jobs = graph.job_count();
        let mut state = Self {
            graph,
            requests,
            policy,
            now: 0,
            free: graph.nodes,
            ready: JobTree::new(jobs),
            queued: policy.keeps_queue().then(|| JobTree::new(jobs)),
            planned: BTreeMap::new(),
            places: Places::default(),
            stages: vec![JobStage::Unsubmitted; jobs],
            waits: graph.waits.clone(),
            ends: BinaryHeap::new(),
            submitted: 0,
        };
        for (place, load) in graph.running.iter().enumerate() {
            state.hold(load.nodes, load.left, load.limit_left, (jobs + place) as u32);
        }
        state.places = Places::new(&state);
        state
    }

    /// From instant to instant until nothing more happens.
    pub(super) fn run(&mut self) {
        while let Some(instant) = self.next_instant() {
            self.now = instant;
            // Jobs that take no time end in the instant of their start.
            loop {
                let ended = self.end_jobs();
                self.submit_jobs();
                pass(self, ended);
                if self.next_end() != Some(instant) {
                    break;
                }
            }
        }
    }

    /// From moment to moment as Slurm: in order a moment after something happened, backfilling at intervals. An interval in
    /// which nothing happened changes nothing, and is left out.
    pub(super) fn run_with(&mut self, model: &SlurmModel) {
        let (mut look, mut backfill): (Option<u64>, Option<u64>) = (None, None);
        while let Some(instant) = [self.next_instant(), look, backfill].into_iter().flatten().min() {
            self.now = instant;
            let submitted = self.submitted;
            if self.end_jobs() | self.submit_jobs_of(submitted) {
                look = look.or(Some(instant + model.delay));
                // One that is due in this instant takes place.
                let next = || (instant + 1).checked_next_multiple_of(model.interval);
                backfill = backfill.or_else(next);
            }
            for (due, policy) in [(&mut look, BatchPolicy::Fcfs), (&mut backfill, BatchPolicy::Replan)] {
                if *due == Some(instant) {
                    *due = None;
                    self.policy = policy;
                    pass(self, false);
                }
            }
        }
    }

    /// Submits what is submitted now; whether something was.
    fn submit_jobs_of(&mut self, before: usize) -> bool {
        self.submit_jobs();
        self.submitted > before
    }

    fn next_end(&self) -> Option<u64> {
        self.ends.peek().map(|Reverse((end, _))| *end)
    }

    fn next_instant(&self) -> Option<u64> {
        let submission = self.graph.by_submit.get(self.submitted);
        let submission = submission.map(|job| self.graph.submits[*job as usize]);
        [self.next_end(), submission].into_iter().flatten().min()
    }

    /// Ends what ends now; whether something did.
    fn end_jobs(&mut self) -> bool {
        let mut ended = false;
        while self.next_end() == Some(self.now) {
            let Some(Reverse((_, job))) = self.ends.pop() else { break };
            self.end(job);
            ended = true;
        }
        ended
    }

    fn end(&mut self, job: u32) {
        let at = job as usize;
        if let Some(load) = at.checked_sub(self.stages.len()) {
            let load = self.graph.running[load];
            return self.release(load.nodes, load.limit_left);
        }
        let JobStage::Running { start, planned } = self.stages[at] else { return };
        let request = self.requests[at];
        self.release(request.nodes, planned);
        let result = if request.run > request.limit { JobEnd::Timeout } else { JobEnd::Ok };
        self.stages[at] = JobStage::Ended { start, end: self.now, result };
        match result {
            JobEnd::Timeout => self.cancel_followers(job),
            _ => self.free_followers(job),
        }
    }

    fn free_followers(&mut self, job: u32) {
        for follower in self.graph.followers(job) {
            self.waits[*follower as usize] -= 1;
            self.make_ready(*follower);
        }
    }

    fn cancel_followers(&mut self, job: u32) {
        let mut open = self.graph.followers(job).to_vec();
        while let Some(job) = open.pop() {
            if self.stages[job as usize] == JobStage::Cancelled {
                continue;
            }
            self.stages[job as usize] = JobStage::Cancelled;
            if let Some(queued) = &mut self.queued {
                queued.remove(job);
            }
            open.extend(self.graph.followers(job));
        }
    }

    fn submit_jobs(&mut self) {
        while let Some(job) = self.graph.by_submit.get(self.submitted).copied() {
            if self.graph.submits[job as usize] != self.now {
                break;
            }
            self.submitted += 1;
            if self.stages[job as usize] != JobStage::Unsubmitted {
                continue;
            }
            self.stages[job as usize] = JobStage::Queued;
            let (nodes, length) = self.shape(job);
            if let Some(queued) = &mut self.queued {
                queued.insert(job, nodes, length);
            }
            self.make_ready(job);
        }
    }

    fn make_ready(&mut self, job: u32) {
        let at = job as usize;
        if self.waits[at] == 0 && self.stages[at] == JobStage::Queued {
            let (nodes, length) = self.shape(job);
            self.ready.insert(job, nodes, length);
            self.places.add(job);
        }
    }

    /// Its width, and the length that the scheduler plans with.
    pub(super) fn shape(&self, job: u32) -> (u64, u64) {
        let request = self.requests[job as usize];
        (request.nodes, self.graph.overhead + request.limit)
    }

    pub(super) fn is_ready(&self, job: u32) -> bool {
        let at = job as usize;
        self.stages[at] == JobStage::Queued && self.waits[at] == 0
    }

    pub(super) fn stage(&self, job: u32) -> JobStage {
        self.stages[job as usize]
    }

    /// Starts a job now.
    pub(super) fn start(&mut self, job: u32) {
        let request = self.requests[job as usize];
        let end = self.now + self.graph.overhead + request.run.min(request.limit);
        let planned = self.now + self.graph.overhead + request.limit;
        self.ready.remove(job);
        if let Some(queued) = &mut self.queued {
            queued.remove(job);
        }
        self.stages[job as usize] = JobStage::Running { start: self.now, planned };
        self.hold(request.nodes, end, planned, job);
    }

    fn hold(&mut self, nodes: u64, end: u64, planned: u64, job: u32) {
        self.free -= nodes;
        *self.planned.entry(planned).or_default() += nodes;
        self.ends.push(Reverse((end, job)));
    }

    fn release(&mut self, nodes: u64, planned: u64) {
        self.free += nodes;
        if let Some(held) = self.planned.get_mut(&planned) {
            *held -= nodes;
            if *held == 0 {
                self.planned.remove(&planned);
            }
        }
        self.places.ended(self.now, planned, nodes);
    }

    /// The first instant at which, by planned ends, so many nodes are free, and how many are.
    pub(super) fn enough_free(&self, nodes: u64) -> (u64, u64) {
        let mut free = self.free;
        if free >= nodes {
            return (self.now, free);
        }
        for (end, back) in &self.planned {
            free += back;
            if free >= nodes {
                return (*end, free);
            }
        }
        (u64::MAX, free)
    }

    /// What became of a job. One that never started waits for a width that the cluster does not have.
    pub(super) fn outcome(&self, job: usize) -> JobOutcome {
        match self.stages[job] {
            JobStage::Ended { start, end, result } => {
                JobOutcome { start: Some(start), end: Some(end), result }
            }
            _ => JobOutcome { start: None, end: None, result: JobEnd::Cancelled },
        }
    }
}
