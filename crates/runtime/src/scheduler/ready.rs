//! What can run, in the order of the policy, and which of it a free worker takes: pure functions over the queue.

use std::collections::{BTreeMap, BTreeSet};

use super::residence::SiteNode;
use crate::{Cause, Crew, Device, Policy, TaskOrder};

/// Nodes whose inputs are there.
#[derive(Debug)]
pub(super) struct ReadyQueue {
    policy: Policy,
    queue: BTreeSet<Queued>,
    /// Of these, those that read what a worker made last, by worker.
    near: BTreeMap<u32, BTreeSet<Queued>>,
    arrivals: u64,
}

/// A node that can run; smaller ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// The place of its site in the order of sites.
    pub(super) sequence: u32,
    /// The place of the row on whose behalf it runs.
    pub(super) position: u32,
    /// The place of its task.
    pub(super) rank: u32,
    /// The node.
    pub(super) node: u32,
}

/// A candidate with its place in the order of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Queued {
    key: u64,
    pub(super) candidate: Candidate,
    task: u32,
}

impl Candidate {
    pub(super) fn home(self) -> SiteNode {
        (self.sequence, self.node)
    }
}

impl Queued {
    /// Whether a kind of device can run it.
    pub(super) fn runs_on(self, device: Device, crew: &Crew) -> bool {
        device == Device::Cpu || crew.expects(self.task as usize).speedup.is_some()
    }
}

impl ReadyQueue {
    pub(super) fn new(policy: Policy) -> Self {
        Self { policy, queue: BTreeSet::new(), near: BTreeMap::new(), arrivals: 0 }
    }

    /// A candidate can run; what it reads lies near these workers.
    pub(super) fn push(
        &mut self,
        candidate: Candidate,
        task: usize,
        crew: &Crew,
        near: impl Iterator<Item = u32>,
    ) {
        self.arrivals += 1;
        let key = match self.policy.order {
            TaskOrder::Reservation => 0,
            TaskOrder::FirstCome => self.arrivals,
            TaskOrder::ActivePaths(_) => u64::MAX - self.arrivals,
            TaskOrder::Speedup => speedup(crew, task).to_bits(),
        };
        let queued = Queued { key, candidate, task: task as u32 };
        self.queue.insert(queued);
        near.for_each(|worker| {
            self.near.entry(worker).or_default().insert(queued);
        });
    }

    /// A candidate is started, or no row needs it any more.
    pub(super) fn remove(&mut self, queued: Queued) {
        self.queue.remove(&queued);
        self.near.values_mut().for_each(|near| {
            near.remove(&queued);
        });
    }

    /// Whether a candidate waits.
    pub(super) fn contains(&self, queued: Queued) -> bool {
        self.queue.contains(&queued)
    }

    /// How many candidates there are.
    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    /// All candidates that a kind of device can run, in the order of the policy.
    pub(super) fn all(&self, device: Device, crew: &Crew) -> Vec<Queued> {
        self.queue.iter().filter(|queued| queued.runs_on(device, crew)).copied().collect()
    }

    /// What a free worker should run, and why.
    pub(super) fn choose(&self, worker: u32, crew: &Crew) -> Option<(Queued, Cause)> {
        let device = crew.device(worker);
        let (best, cause) = self.best(&self.queue, device, crew)?;
        let near = self.near.get(&worker).filter(|_| self.policy.locality);
        match near.and_then(|near| self.best(near, device, crew)) {
            Some((close, _)) if self.prefers(close, best, device, crew) => Some((close, Cause::DataThere)),
            _ => Some((best, cause)),
        }
    }

    fn best(&self, queue: &BTreeSet<Queued>, device: Device, crew: &Crew) -> Option<(Queued, Cause)> {
        let runs = |queued: &&Queued| queued.runs_on(device, crew);
        let first = || queue.iter().find(runs).copied();
        match (self.policy.order, device) {
            (TaskOrder::Reservation, _) => first().map(|queued| (queued, Cause::InOrder)),
            (TaskOrder::FirstCome, _) => first().map(|queued| (queued, Cause::FirstCome)),
            (TaskOrder::ActivePaths(_), _) => first().map(|queued| (queued, Cause::Deepest)),
            (TaskOrder::Speedup, Device::Cpu) => first().map(|queued| (queued, Cause::SmallestSpeedup)),
            (TaskOrder::Speedup, Device::Gpu) => {
                let largest = queue.iter().rev().find(runs)?;
                // Of those that gain as much, the one that comes first.
                let first = Candidate { sequence: 0, position: 0, rank: 0, node: 0 };
                let equal = queue.range(Queued { candidate: first, task: 0, ..*largest }..);
                equal.copied().next().map(|queued| (queued, Cause::LargestSpeedup))
            }
        }
    }

    /// The transfer-impact rule: what lies near is taken when it loses less than the transfer would cost. Where nothing
    /// is known of speedups it is always taken.
    fn prefers(&self, near: Queued, best: Queued, device: Device, crew: &Crew) -> bool {
        if self.policy.order != TaskOrder::Speedup {
            return true;
        }
        let (close, other) = (speedup(crew, near.task as usize), speedup(crew, best.task as usize));
        let kept = 1.0 - crew.expects(near.task as usize).transfer_share.clamp(0.0, 1.0);
        match device {
            Device::Gpu => close >= other * kept,
            Device::Cpu => close * kept <= other,
        }
    }
}

/// What cannot run on a GPU gains nothing there.
fn speedup(crew: &Crew, task: usize) -> f64 {
    crew.expects(task).speedup.unwrap_or(0.0).max(0.0)
}
