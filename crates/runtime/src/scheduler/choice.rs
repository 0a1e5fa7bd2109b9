//! What is started: the choice of the policy when it fits, else a way is made for it; and what is started once more.

use super::ready::{Candidate, Queued};
use super::residence::SiteNode;
use super::site::Surroundings;
use super::workers::RunningTask;
use super::{Instruction, Scheduler, SchedulerError, TaskOutcome};
use crate::{Cause, Device, TaskOrder};

impl Scheduler<'_> {
    /// Whether nothing more may be started before something ends.
    pub(super) fn is_full(&self) -> bool {
        let paths = match self.policy.order {
            TaskOrder::ActivePaths(paths) => paths,
            _ => usize::MAX,
        };
        self.workers.free() == 0 || self.workers.running() >= paths
    }

    /// What a free worker should run of all that rows still need: first the one for which room is being made.
    pub(super) fn wanted(&mut self) -> Option<(Queued, u32, Cause)> {
        if let Some(favoured) = self.still_favoured() {
            return Some(favoured);
        }
        for device in [Device::Gpu, Device::Cpu] {
            let Some(worker) = self.workers.idle(device) else { continue };
            while let Some((queued, cause)) = self.ready.choose(worker, &self.workers.crew) {
                if self.is_wanted(queued) {
                    return Some((queued, worker, cause));
                }
            }
        }
        None
    }

    /// Starts the choice when it fits, or makes way for it. Others must not take the memory it waits for; only when
    /// nothing runs that could free memory, the first that fits is started.
    pub(super) fn choose(
        &mut self,
        choice: Queued,
        worker: u32,
        cause: Cause,
    ) -> Result<Option<Instruction>, SchedulerError> {
        if self.fits(choice.candidate) {
            return Ok(Some(self.start(choice, worker, cause)));
        }
        let way = self.make_way(choice.candidate, worker);
        if way.is_some() {
            // Were way made for one and then for another, each could undo what was done for the other, without end.
            self.favoured = Some((choice, cause));
        }
        if way.is_some() || !self.workers.rest() {
            return Ok(way);
        }
        match self.first_that_fits(worker) {
            Some(queued) => Ok(Some(self.start(queued, worker, Cause::FitsMemory))),
            None => Err(self.stuck(choice.candidate)),
        }
    }

    /// Queues a candidate, near the workers that made what it reads.
    pub(super) fn queue(&mut self, candidate: Candidate) {
        let task = self.diversions.task(candidate.node);
        let makers: Vec<u32> = if self.policy.locality {
            let inputs = self.diversions.inputs(candidate.node);
            inputs.filter_map(|input| self.workers.maker(self.maker((candidate.sequence, input)))).collect()
        } else {
            Vec::new()
        };
        self.ready.push(candidate, task, &self.workers.crew, makers.into_iter());
    }

    /// Remembers who made outputs, where it counts.
    pub(super) fn note_maker(&mut self, home: SiteNode, worker: u32) {
        if self.policy.locality {
            self.workers.note_maker(home, worker);
        }
    }

    /// Whether a task that is over is to be started once more.
    pub(super) fn tries_again(&self, home: SiteNode, outcome: &TaskOutcome) -> bool {
        let passes = matches!(outcome, TaskOutcome::Failed { transient: true, .. });
        let tried = self.attempts.get(&home).copied().unwrap_or(0);
        passes && tried < self.retries && !self.stopped
    }

    /// Puts a task that failed back into the queue.
    pub(super) fn try_again(&mut self, running: RunningTask, task: usize) {
        let home = running.candidate.home();
        *self.attempts.entry(home).or_default() += 1;
        self.memory.finished(task, self.pixels(home.0, task), false);
        self.note_readers(home.0, home.1, false);
        let Self { shape, diversions, effects, sites, .. } = self;
        if let Some(site) = sites.site_mut(home.0) {
            site.interrupt(home.1, &mut Surroundings { shape, diversions, effects });
        }
        self.apply(home.0);
        self.queue(running.candidate);
    }

    /// The candidate for which room is being made, when a row needs it and a worker could run it.
    fn still_favoured(&mut self) -> Option<(Queued, u32, Cause)> {
        let (queued, cause) = self.favoured?;
        if !self.ready.contains(queued) || !self.is_wanted(queued) {
            self.favoured = None;
            return None;
        }
        self.worker_for(queued).map(|worker| (queued, worker, cause))
    }

    /// A free worker that can run a candidate.
    fn worker_for(&self, queued: Queued) -> Option<u32> {
        let devices = [Device::Gpu, Device::Cpu].into_iter();
        let mut workers = devices.filter_map(|device| self.workers.idle(device));
        workers.find(|worker| queued.runs_on(self.workers.crew.device(*worker), &self.workers.crew))
    }

    /// Whether a row needs a candidate; one that no row needs is forgotten.
    fn is_wanted(&mut self, queued: Queued) -> bool {
        let Candidate { sequence, node, .. } = queued.candidate;
        let site = self.sites.site_mut(sequence);
        let wanted = site.as_ref().is_some_and(|site| site.wants(node));
        if !wanted {
            if let Some(site) = site {
                site.forget(node);
            }
            self.ready.remove(queued);
            self.abandon_followers((sequence, node));
        }
        wanted
    }

    fn first_that_fits(&mut self, worker: u32) -> Option<Queued> {
        let all = self.ready.all(self.workers.crew.device(worker), &self.workers.crew);
        all.into_iter().find(|queued| self.is_wanted(*queued) && self.fits(queued.candidate))
    }

    /// Reserves what a candidate needs, or nothing when it cannot start now.
    fn fits(&mut self, candidate: Candidate) -> bool {
        let task = self.diversions.task(candidate.node);
        let pixels = self.pixels(candidate.sequence, task);
        self.has_inputs(candidate) && self.memory.admit(task, pixels)
    }

    fn start(&mut self, queued: Queued, worker: u32, cause: Cause) -> Instruction {
        let candidate = queued.candidate;
        self.ready.remove(queued);
        self.note_readers(candidate.sequence, candidate.node, true);
        if let Some(site) = self.sites.site_mut(candidate.sequence) {
            site.start(candidate.node, &self.shape, &self.diversions);
        }
        self.workers.begin(worker, candidate);
        let attempt = self.attempts.get(&candidate.home()).copied().unwrap_or(0);
        let cause = if attempt > 0 { Cause::TriedAgain } else { cause };
        Instruction::Run {
            instance: self.instance(candidate.sequence, candidate.node),
            worker,
            attempt,
            cause,
        }
    }

    fn stuck(&self, candidate: Candidate) -> SchedulerError {
        let task = self.diversions.task(candidate.node);
        let needed = self.bytes_of_next_step(candidate);
        let needed = needed.unwrap_or_else(|| self.own_bytes(candidate) + self.bytes_below(candidate));
        self.memory.stuck(self.plan().flow(), task, needed)
    }
}
