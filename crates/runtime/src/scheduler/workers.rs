//! Who is free, who runs what, and what lies near whom.

use std::collections::{BTreeMap, HashMap};

use super::ready::Candidate;
use super::residence::SiteNode;
use crate::{Crew, Device};

/// The crew at work.
#[derive(Debug)]
pub(super) struct WorkerTable {
    pub(super) crew: Crew,
    idle_cpus: Vec<u32>,
    /// Tasks that each GPU can still be given.
    free_slots: Vec<u32>,
    running: BTreeMap<SiteNode, RunningTask>,
    /// Outputs that are being moved; each takes the place of a CPU.
    moving: usize,
    /// Who made outputs that are kept, where locality counts.
    makers: HashMap<SiteNode, u32>,
}

/// Something that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunningTask {
    pub(super) worker: u32,
    pub(super) candidate: Candidate,
}

impl WorkerTable {
    /// All workers are idle; a GPU may hold `slots` tasks at a time.
    pub(super) fn new(crew: Crew, slots: u32) -> Self {
        let idle_cpus = (0..crew.cpus as u32).rev().collect();
        let free_slots = vec![slots; crew.gpus];
        Self { crew, idle_cpus, free_slots, running: BTreeMap::new(), moving: 0, makers: HashMap::new() }
    }

    /// A free worker of a kind: of GPUs the one with least to do.
    pub(super) fn idle(&self, device: Device) -> Option<u32> {
        match device {
            Device::Cpu if self.idle_cpus.len() > self.moving => self.idle_cpus.last().copied(),
            Device::Cpu => None,
            Device::Gpu => {
                let most = self.free_slots.iter().max().filter(|slots| **slots > 0)?;
                let gpu = self.free_slots.iter().position(|slots| slots == most)?;
                Some((self.crew.cpus + gpu) as u32)
            }
        }
    }

    /// How many tasks could be started now.
    pub(super) fn free(&self) -> usize {
        let gpus: u32 = self.free_slots.iter().sum();
        self.idle_cpus.len().saturating_sub(self.moving) + gpus as usize
    }

    /// How many tasks run.
    pub(super) fn running(&self) -> usize {
        self.running.len()
    }

    /// Whether nothing runs and nothing moves.
    pub(super) fn rest(&self) -> bool {
        self.running.is_empty() && self.moving == 0
    }

    /// A worker that is free begins with something.
    pub(super) fn begin(&mut self, worker: u32, candidate: Candidate) {
        match self.gpu(worker) {
            Some(gpu) => self.free_slots[gpu] -= 1,
            // It is the one that `idle` names.
            None => drop(self.idle_cpus.pop_if(|idle| *idle == worker)),
        }
        self.running.insert(candidate.home(), RunningTask { worker, candidate });
    }

    /// What ran is over; none when it did not run.
    pub(super) fn end(&mut self, home: SiteNode) -> Option<RunningTask> {
        let running = self.running.remove(&home)?;
        match self.gpu(running.worker) {
            Some(gpu) => self.free_slots[gpu] += 1,
            None => self.idle_cpus.push(running.worker),
        }
        Some(running)
    }

    /// Outputs begin to move, or are where they should be.
    pub(super) fn move_begins(&mut self) {
        self.moving += 1;
    }

    pub(super) fn move_ends(&mut self) {
        self.moving -= 1;
    }

    /// Notes who made outputs.
    pub(super) fn note_maker(&mut self, home: SiteNode, worker: u32) {
        self.makers.insert(home, worker);
    }

    pub(super) fn forget_maker(&mut self, home: SiteNode) {
        self.makers.remove(&home);
    }

    pub(super) fn maker(&self, home: SiteNode) -> Option<u32> {
        self.makers.get(&home).copied()
    }

    fn gpu(&self, worker: u32) -> Option<usize> {
        (worker as usize).checked_sub(self.crew.cpus)
    }
}
