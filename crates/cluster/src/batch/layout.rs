//! Which nodes each job holds, for pictures: the lowest that are free.

use super::schedule::Schedule;
use super::workload::Workload;

/// One job on its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaidOutJob {
    /// Its place in the workload; none for a job of the load that ran at the beginning.
    pub job: Option<usize>,
    /// When it began to hold them.
    pub start: u64,
    /// When it no longer did.
    pub end: u64,
    /// Runs of neighbouring nodes: the first, and how many.
    pub nodes: Vec<(u64, u64)>,
}

/// Lays out a schedule. Jobs that take no time hold no nodes.
pub fn layout(workload: &Workload, schedule: &Schedule) -> Vec<LaidOutJob> {
    let jobs = schedule.jobs.iter().zip(workload.jobs()).enumerate();
    let jobs = jobs.filter_map(|(place, (job, asked))| Some((job.span()?, asked.nodes, Some(place))));
    let loads = workload.running().iter().map(|load| ((0, load.left), load.nodes, None));
    let mut all: Vec<((u64, u64), u64, Option<usize>)> = loads.chain(jobs).collect();
    all.retain(|((start, end), _, _)| end > start);
    all.sort_by_key(|((start, _), _, job)| (*start, *job));
    let mut free = vec![(0, workload.nodes())];
    let mut held: std::collections::BTreeMap<(u64, usize), Vec<(u64, u64)>> =
        std::collections::BTreeMap::new();
    let mut found = Vec::with_capacity(all.len());
    for (number, ((start, end), nodes, job)) in all.into_iter().enumerate() {
        while let Some(entry) = held.first_entry().filter(|entry| entry.key().0 <= start) {
            entry.remove().into_iter().for_each(|run| give_back(&mut free, run));
        }
        let taken = take(&mut free, nodes);
        held.insert((end, number), taken.clone());
        found.push(LaidOutJob { job, start, end, nodes: taken });
    }
    found
}

/// Takes the lowest free nodes.
fn take(free: &mut Vec<(u64, u64)>, mut nodes: u64) -> Vec<(u64, u64)> {
    let mut taken = Vec::new();
    while let Some(run) = free.first_mut().filter(|_| nodes > 0) {
        let some = run.1.min(nodes);
        taken.push((run.0, some));
        *run = (run.0 + some, run.1 - some);
        nodes -= some;
        free.retain(|run| run.1 > 0);
    }
    taken
}

/// Gives nodes back, and joins neighbouring runs.
fn give_back(free: &mut Vec<(u64, u64)>, run: (u64, u64)) {
    let at = free.partition_point(|other| other.0 < run.0);
    free.insert(at, run);
    let mut joined: Vec<(u64, u64)> = Vec::with_capacity(free.len());
    for run in free.iter() {
        match joined.last_mut() {
            Some(last) if last.0 + last.1 == run.0 => last.1 += run.1,
            _ => joined.push(*run),
        }
    }
    *free = joined;
}
