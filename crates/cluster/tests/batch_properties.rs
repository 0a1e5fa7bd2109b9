//! Schedules are valid, and equal to those of a second simulator, which goes second by second and keeps nothing.
#![allow(clippy::unwrap_used)]

use onceflow_cluster::batch::{
    BatchJob, BatchPolicy, JobEnd, RunningLoad, Schedule, Workload, layout, simulate_batch,
};
use proptest::prelude::*;

/// After this second all small workloads have ended.
const END: usize = 2000;

/// The second simulator: what it knows of each job is when it started.
struct Seconds<'w> {
    workload: &'w Workload,
    now: u64,
    starts: Vec<Option<u64>>,
    cancelled: Vec<bool>,
    /// Places of the conservative policy.
    places: Vec<Option<u64>>,
}

impl Seconds<'_> {
    fn end(&self, job: usize) -> Option<u64> {
        let BatchJob { run, limit, .. } = self.workload.jobs()[job];
        self.starts[job].map(|start| start + self.workload.overhead() + run.min(limit))
    }

    fn length(&self, job: usize) -> u64 {
        self.workload.overhead() + self.workload.jobs()[job].limit
    }

    fn nodes(&self, job: usize) -> u64 {
        self.workload.jobs()[job].nodes
    }

    fn runs(&self, job: usize) -> bool {
        self.end(job).is_some_and(|end| end > self.now)
    }

    fn timed_out(&self, job: usize) -> bool {
        self.workload.jobs()[job].run > self.workload.jobs()[job].limit
    }

    fn jobs(&self) -> std::ops::Range<usize> {
        0..self.starts.len()
    }

    fn waits(&self, job: usize) -> bool {
        self.workload.jobs()[job].submit <= self.now && self.starts[job].is_none() && !self.cancelled[job]
    }

    fn is_ready(&self, job: usize) -> bool {
        let done =
            |after: &usize| self.starts[*after].is_some() && !self.runs(*after) && !self.timed_out(*after);
        self.waits(job) && self.workload.jobs()[job].after.iter().all(done)
    }

    /// Nodes by second that running jobs, by planned ends, leave free.
    fn table(&self) -> Vec<u64> {
        let mut table = vec![self.workload.nodes(); 2 * END];
        let mut hold = |until: u64, nodes: u64| {
            (self.now..until).for_each(|second| table[second as usize] -= nodes);
        };
        for load in self.workload.running().iter().filter(|load| load.left > self.now) {
            hold(load.limit_left, load.nodes);
        }
        for job in self.jobs().filter(|job| self.runs(*job)) {
            hold(self.starts[job].unwrap() + self.length(job), self.nodes(job));
        }
        table
    }

    fn free(&self) -> u64 {
        let loads = self.workload.running().iter().filter(|load| load.left > self.now).map(|load| load.nodes);
        let jobs = self.jobs().filter(|job| self.runs(*job)).map(|job| self.nodes(job));
        self.workload.nodes() - loads.chain(jobs).sum::<u64>()
    }

    fn start(&mut self, job: usize) {
        self.starts[job] = Some(self.now);
    }

    fn pass(&mut self, policy: BatchPolicy, ended: bool) {
        match policy {
            BatchPolicy::Strict => drop(self.in_order(Self::waits)),
            BatchPolicy::Fcfs => drop(self.in_order(Self::is_ready)),
            BatchPolicy::Paper => self.paper(),
            BatchPolicy::Easy => self.easy(),
            BatchPolicy::Conservative => self.conservative(ended),
            BatchPolicy::Replan => {
                self.places.fill(None);
                self.conservative(false);
            }
        }
    }

    fn in_order(&mut self, queue: fn(&Self, usize) -> bool) -> Option<usize> {
        while let Some(head) = self.jobs().find(|job| queue(self, *job)) {
            if !self.is_ready(head) || self.nodes(head) > self.free() {
                return Some(head);
            }
            self.start(head);
        }
        None
    }

    fn enough(&self, nodes: u64) -> u64 {
        let table = self.table();
        (self.now..).find(|second| table[*second as usize] >= nodes).unwrap()
    }

    fn paper(&mut self) {
        let Some(head) = self.in_order(Self::waits) else { return };
        let after = &self.workload.jobs()[head].after;
        if after.iter().any(|job| self.starts[*job].is_none()) {
            return;
        }
        let running = after.iter().filter(|job| self.runs(**job));
        let planned = running.map(|job| self.starts[*job].unwrap() + self.length(*job)).max().unwrap_or(0);
        let window = planned.max(self.enough(self.nodes(head)));
        let depth = self.workload.depth().unwrap_or(usize::MAX);
        let behind: Vec<usize> = (head + 1..self.starts.len()).filter(|job| self.is_ready(*job)).collect();
        for job in behind.into_iter().take(depth) {
            if self.nodes(job) <= self.free() && self.now + self.length(job) <= window {
                self.start(job);
            }
        }
    }

    fn easy(&mut self) {
        let Some(head) = self.in_order(Self::is_ready) else { return };
        let shadow = self.enough(self.nodes(head));
        let mut extra = self.table()[shadow as usize] - self.nodes(head);
        let depth = self.workload.depth().unwrap_or(usize::MAX);
        let behind: Vec<usize> = (head + 1..self.starts.len()).filter(|job| self.is_ready(*job)).collect();
        for job in behind.into_iter().take(depth) {
            let nodes = self.nodes(job);
            if nodes > self.free() {
                continue;
            }
            if self.now + self.length(job) <= shadow {
                self.start(job);
            } else if nodes <= extra {
                extra -= nodes;
                self.start(job);
            }
        }
    }

    fn conservative(&mut self, ended: bool) {
        let ready: Vec<usize> = self.jobs().filter(|job| self.is_ready(*job)).collect();
        for job in
            ready.iter().copied().filter(|job| ended && self.places[*job].is_some()).collect::<Vec<_>>()
        {
            self.places[job] = None;
            self.places[job] = Some(self.place(job));
        }
        for job in &ready {
            if self.places[*job].is_none() {
                self.places[*job] = Some(self.place(*job));
            }
        }
        for job in ready {
            if self.places[job] == Some(self.now) {
                self.start(job);
                self.places[job] = None;
            }
        }
    }

    fn place(&self, job: usize) -> u64 {
        let mut table = self.table();
        for other in self.jobs() {
            let Some(place) = self.places[other] else { continue };
            (place..place + self.length(other))
                .for_each(|second| table[second as usize] -= self.nodes(other));
        }
        let fits = |begin: &u64| {
            (*begin..*begin + self.length(job)).all(|second| table[second as usize] >= self.nodes(job))
        };
        (self.now..).find(fits).unwrap()
    }

    fn instant(&mut self, policy: BatchPolicy) {
        let ended = self.jobs().any(|job| self.end(job) == Some(self.now))
            || self.workload.running().iter().any(|load| load.left == self.now);
        for job in self.jobs() {
            let cut = |after: &usize| {
                let ended = self.end(*after).is_some_and(|end| end <= self.now);
                self.cancelled[*after] || (ended && self.timed_out(*after))
            };
            self.cancelled[job] |= self.workload.jobs()[job].after.iter().any(cut);
        }
        let submitted = self.workload.jobs().iter().any(|job| job.submit == self.now);
        if ended || submitted {
            self.pass(policy, ended);
        }
    }
}

fn second_by_second(workload: &Workload, policy: BatchPolicy) -> Vec<(Option<u64>, Option<u64>)> {
    let jobs = workload.jobs().len();
    let mut seconds = Seconds {
        workload,
        now: 0,
        starts: vec![None; jobs],
        cancelled: vec![false; jobs],
        places: vec![None; jobs],
    };
    for now in 0..END as u64 {
        seconds.now = now;
        seconds.instant(policy);
    }
    (0..jobs).map(|job| (seconds.starts[job], seconds.end(job))).collect()
}

/// Nodes, run, what the limit is above it, submission, what it waits for, and whether the limit stops it.
type DrawnJob = (u64, u64, u64, u64, Vec<usize>, u8);

/// Jobs that take at least a second, so that an instant has one pass.
fn workloads() -> impl Strategy<Value = Workload> {
    let job = (1u64..9, 1u64..20, 0u64..9, 0u64..30, proptest::collection::vec(0usize..14, 0..3), 0u8..12);
    let load = (1u64..4, 1u64..15, 0u64..9);
    (
        proptest::collection::vec(job, 1..14),
        proptest::collection::vec(load, 0..3),
        (0u64..3, proptest::option::of(0usize..4), 0usize..3),
    )
        .prop_map(|(jobs, running, (overhead, depth, others))| {
            let job = |(place, drawn): (usize, DrawnJob)| {
                let (nodes, run, more, submit, after, cut) = drawn;
                let limit = if cut == 0 { run.div_ceil(2) } else { run + more };
                let after = after.into_iter().filter(|after| *after < place).collect();
                let submit = if place < others { 0 } else { submit };
                BatchJob { id: place.to_string(), nodes, run, limit, after, submit }
            };
            let jobs = jobs.into_iter().enumerate().map(job).collect();
            let load = |(nodes, left, more)| RunningLoad { nodes, left, limit_left: left + more };
            let running = running.into_iter().map(load).collect();
            let workload = Workload::new(8, jobs).unwrap().with_overhead(overhead).unwrap();
            workload.with_load(running, others).unwrap().with_depth(depth)
        })
}

/// No node is held twice, no job starts before those it waits for, and one whose dependencies were stopped never does.
fn check_validity(workload: &Workload, schedule: &Schedule) -> Result<(), TestCaseError> {
    let spans =
        schedule.jobs.iter().zip(workload.jobs()).filter_map(|(job, asked)| Some((job.span()?, asked.nodes)));
    let loads = workload.running().iter().map(|load| ((0, load.left), load.nodes));
    let spans: Vec<((u64, u64), u64)> = spans.chain(loads).collect();
    for ((start, _), _) in &spans {
        let held = spans.iter().filter(|((from, to), _)| from <= start && start < to).map(|(_, nodes)| nodes);
        prop_assert!(held.sum::<u64>() <= workload.nodes());
    }
    let laid_out = layout(workload, schedule);
    for job in &laid_out {
        let width: u64 = job.nodes.iter().map(|(_, count)| count).sum();
        prop_assert_eq!(job.job.map_or(width, |job| workload.jobs()[job].nodes), width);
        let together = laid_out.iter().filter(|other| job.start < other.end && other.start < job.end);
        let runs: Vec<(u64, u64)> = together.flat_map(|job| job.nodes.clone()).collect();
        let twice = |(at, run): (usize, &(u64, u64))| {
            runs[..at].iter().any(|other| run.0 < other.0 + other.1 && other.0 < run.0 + run.1)
        };
        let own = |run: &(u64, u64)| job.nodes.contains(run);
        prop_assert!(!runs.iter().enumerate().any(|(at, run)| own(run) && twice((at, run))));
    }
    for (job, asked) in schedule.jobs.iter().zip(workload.jobs()) {
        let well = |after: &usize| schedule.jobs[*after].result == JobEnd::Ok;
        prop_assert_eq!(job.result == JobEnd::Cancelled, !asked.after.iter().all(well));
        if let Some(start) = job.start {
            prop_assert!(start >= asked.submit);
            prop_assert!(asked.after.iter().all(|after| schedule.jobs[*after].end <= Some(start)));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn schedules_are_valid_and_those_of_a_second_simulator(workload in workloads()) {
        for (word, policy) in BatchPolicy::WORDS {
            let schedule = simulate_batch(&workload, policy);
            check_validity(&workload, &schedule)?;
            let found: Vec<_> = schedule.jobs.iter().map(|job| (job.start, job.end)).collect();
            prop_assert_eq!(found, second_by_second(&workload, policy), "{}", word);
        }
    }

    /// Where limits are exact and nothing waits for another, a first job that waits starts no later than without backfilling.
    #[test]
    fn backfilling_does_not_delay_the_first_that_waits(workload in workloads()) {
        let jobs = workload.jobs().iter().map(|job| BatchJob { after: Vec::new(), submit: 0, limit: job.run, ..job.clone() });
        let workload = Workload::new(8, jobs.collect()).unwrap();
        let fcfs = simulate_batch(&workload, BatchPolicy::Fcfs);
        let Some(head) = fcfs.jobs.iter().position(|job| job.start > Some(0)) else { return Ok(()) };
        for policy in [BatchPolicy::Easy, BatchPolicy::Paper, BatchPolicy::Conservative, BatchPolicy::Replan] {
            let found = simulate_batch(&workload, policy);
            prop_assert!(found.jobs[head].start <= fcfs.jobs[head].start, "{policy:?}");
        }
    }
}
