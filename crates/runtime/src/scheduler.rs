//! The scheduler: a pure state machine, events in, instructions out. It knows no clock, no threads and no pixels, so that
//! every executor runs the same code and a test drives it by hand.
//!
//! Every row walks through its own tasks by the rules of `shape`; a site holds all rows at one part, image or the whole
//! study, and nodes are where rows meet. `ready` says what comes first, `workers` who is free, `choice` what is started,
//! `duplicates` what turned out to be equal, `memory` what fits, `residence` what of it lies in memory, `spilling` what moves, `recompute` what is made again, `sites` what opens when, and `growth`
//! what comes while it runs.

mod choice;
mod diversion;
mod duplicates;
mod error;
mod event;
mod growth;
mod memory;
mod ready;
mod recompute;
mod residence;
mod shape;
mod site;
mod sites;
mod spilling;
mod tally;
mod workers;

use std::collections::{BTreeMap, VecDeque};

use onceflow_region::Budget;
use onceflow_reuse::{Account, NodeId, Plan};
use onceflow_study::Scope;

use self::diversion::Diversions;
use self::duplicates::Duplicates;
use self::memory::MemoryLedger;
use self::ready::{Candidate, Queued, ReadyQueue};
use self::residence::{Residence, SiteNode};
use self::shape::FlowShape;
use self::site::{SiteEffect, Surroundings};
use self::sites::Sites;
use self::tally::AccountSum;
use self::workers::WorkerTable;
use crate::{Cause, Crew, Instance, KnownRows, PartLayout, Policy};

pub use duplicates::DuplicateOptions;
pub use error::SchedulerError;
pub use event::{Event, Instruction, RowOutcome, TaskOutcome};

/// Decides what runs when, and what may be forgotten.
///
/// Ask [`Scheduler::next`] until it has nothing to say, tell it what happened, and ask again.
pub struct Scheduler<'p> {
    diversions: Diversions<'p>,
    layout: PartLayout,
    shape: FlowShape,
    sites: Sites,
    ready: ReadyQueue,
    memory: MemoryLedger,
    residence: Residence,
    /// Whether outputs may leave memory.
    spilling: bool,
    /// Bytes per second of what lies below memory, where outputs may be made again rather than written.
    bandwidth: Option<f64>,
    /// What is being made again, and how much has been.
    recompute: Option<SiteNode>,
    /// On whose behalf, and what it is in the end.
    chain: Option<(Candidate, SiteNode)>,
    recomputed: u64,
    /// What turns out to be equal, where that is asked for.
    duplicates: Option<Duplicates>,
    known: KnownRows,
    tally: AccountSum,
    /// The place of each row in the plan's order.
    position: Vec<u32>,
    instructions: VecDeque<Instruction>,
    effects: Vec<SiteEffect>,
    workers: WorkerTable,
    policy: Policy,
    /// The candidate for which way is being made, and why it is its turn.
    favoured: Option<(Queued, Cause)>,
    /// How often a task that failed for a reason that may pass is tried again.
    retries: u32,
    attempts: BTreeMap<SiteNode, u32>,
    /// Whether parts may still come.
    growing: bool,
    stopped: bool,
}

impl<'p> Scheduler<'p> {
    /// A scheduler for a plan at all parts of a layout, of which at most `workers` instances run at a time.
    ///
    /// # Errors
    /// When the layout or the flow cannot be scheduled, or a single task can never fit the budget.
    pub fn new(
        plan: &'p mut Plan,
        layout: &PartLayout,
        workers: usize,
        budget: Budget,
    ) -> Result<Self, SchedulerError> {
        check(layout, workers)?;
        let shape = FlowShape::new(plan.flow(), plan.reference().is_some())?;
        let memory = MemoryLedger::new(plan.flow(), &shape, layout, budget)?;
        let (sites, tally) = (Sites::new(plan, &shape, layout), AccountSum::new(plan));
        let position = positions(plan, shape.providers.len());
        Ok(Self {
            diversions: Diversions { plan },
            layout: layout.clone(),
            shape,
            sites,
            ready: ReadyQueue::new(Policy::default()),
            memory,
            residence: Residence::default(),
            spilling: false,
            bandwidth: None,
            recompute: None,
            chain: None,
            recomputed: 0,
            duplicates: None,
            known: KnownRows::nothing(),
            tally,
            position,
            instructions: VecDeque::new(),
            effects: Vec::new(),
            workers: WorkerTable::new(Crew::of_cpus(workers), 1),
            policy: Policy::default(),
            favoured: None,
            retries: 0,
            attempts: BTreeMap::new(),
            growing: false,
            stopped: false,
        })
    }

    /// Lets other workers than CPUs take part, and says what is expected of tasks.
    #[must_use]
    pub fn with_crew(self, crew: Crew) -> Self {
        let policy = self.policy;
        Self { workers: WorkerTable::new(crew, 1), ..self }.following(policy)
    }

    /// Chooses by a policy.
    #[must_use]
    pub fn following(mut self, policy: Policy) -> Self {
        let slots = if policy.prefetch { 2 } else { 1 };
        self.workers = WorkerTable::new(self.workers.crew, slots);
        self.ready = ReadyQueue::new(policy);
        self.policy = policy;
        self
    }

    /// Tries a task again, so many times, when it failed for a reason that may pass.
    #[must_use]
    pub fn retrying(mut self, times: u32) -> Self {
        self.retries = times;
        self
    }

    /// Leaves out rows that are known from before; nothing is said of them.
    #[must_use]
    pub fn knowing(mut self, known: KnownRows) -> Self {
        self.known = known;
        self
    }

    /// The rows that have something to do at a part, of so many.
    pub(crate) fn rows_to_do(&self, part: usize, rows: usize) -> usize {
        (0..rows).filter(|row| !self.known.knows(*row, part)).count()
    }

    /// A result cache served an instance that is about to be told to be over: nothing was computed for it.
    pub fn note_served(&mut self, instance: Instance) {
        if let Some((sequence, node)) = self.home(instance)
            && let Some(site) = self.sites.site_mut(sequence)
        {
            site.note_served(node);
        }
    }

    /// The next thing to do; none when something must happen first or all is over.
    ///
    /// # Errors
    /// When nothing runs and nothing that could run fits the memory that is left.
    #[allow(clippy::should_implement_trait, reason = "it may fail, and gives more after an event")]
    pub fn next(&mut self) -> Result<Option<Instruction>, SchedulerError> {
        loop {
            if let Some(instruction) = self.instructions.pop_front() {
                return Ok(Some(instruction));
            }
            if self.stopped || self.is_full() {
                return Ok(None);
            }
            if self.ready.len() < self.choice_wanted() && self.open_next() {
                continue;
            }
            if let Some((queued, worker, cause)) = self.wanted() {
                return self.choose(queued, worker, cause);
            }
            // A candidate that is not needed any more may have been what others waited for.
            if self.instructions.is_empty() && !self.open_next() {
                return Ok(None);
            }
        }
    }

    /// Takes note of what happened. An instance that does not run is not listened to.
    pub fn handle(&mut self, event: Event) {
        match event {
            Event::Stop => self.stopped = true,
            Event::Finished { instance, outcome } => self.finished(instance, &outcome),
            Event::Moved { instance, moved } => self.moved(instance, moved),
            Event::NoMore => self.no_more(),
        }
    }

    /// Whether no instruction will come any more.
    pub fn is_finished(&self) -> bool {
        let over = self.stopped || (!self.growing && self.sites.all_closed());
        over && self.workers.rest() && self.instructions.is_empty()
    }

    /// Whether it was told to stop before all was done.
    pub fn is_stopped(&self) -> bool {
        self.stopped && !self.sites.all_closed()
    }

    /// The account of all sites that are closed: every one, unless the run was stopped.
    pub fn account(&self) -> &Account {
        self.tally.account()
    }

    /// The account of all that was done: of sites that a stop left open, what they had done.
    pub fn account_so_far(&self) -> Account {
        let mut tally = self.tally.clone();
        self.sites.opened().for_each(|site| tally.add_open(self.diversions.plan, &self.shape, site));
        tally.account().clone()
    }

    /// How many outputs were made again because they had been let go to make room.
    pub fn recomputed(&self) -> u64 {
        self.recomputed
    }

    /// The plan, with the nodes that were added on the way.
    pub fn plan(&self) -> &Plan {
        self.diversions.plan
    }

    fn open_next(&mut self) -> bool {
        let growing = self.growing;
        let Self { shape, diversions, effects, sites, known, layout, .. } = self;
        let rows = diversions.plan.rows();
        // What a wide site will be needed for is not known while parts may still come.
        let known = |scope, index| match scope {
            Scope::Image | Scope::Study if growing => Vec::new(),
            _ => known.at(layout, scope, index, rows),
        };
        let opened = sites.open_next(known, &mut Surroundings { shape, diversions, effects });
        if let Some(sequence) = opened {
            self.apply(sequence);
        }
        opened.is_some()
    }

    fn finished(&mut self, instance: Instance, outcome: &TaskOutcome) {
        let Some(home) = self.home(instance) else { return };
        if self.recompute == Some(home) {
            return self.finish_recompute(home);
        }
        let Some(running) = self.workers.end(home) else { return };
        let task = self.plan().task_of(instance.node);
        if self.tries_again(home, outcome) {
            return self.try_again(running, task);
        }
        let pixels = self.layout.pixels(self.shape.scope[task], instance.site);
        let Self { shape, diversions, effects, sites, .. } = self;
        let Some(site) = sites.site_mut(home.0) else { return };
        site.finish(home.1, outcome, &mut Surroundings { shape, diversions, effects });
        self.attempts.remove(&home);
        self.adopt_followers(home);
        let made = !matches!(outcome, TaskOutcome::Failed { .. });
        self.memory.finished(task, pixels, made);
        self.note_readers(home.0, home.1, false);
        if made {
            self.note_made(home.0, home.1, task);
            self.note_maker(home, running.worker);
        }
        self.apply(home.0);
    }

    /// Where an instance is, if there is such an instance at a site that is known.
    fn home(&self, instance: Instance) -> Option<SiteNode> {
        let Instance { node, site } = instance;
        let known = (node.0 as usize) < self.plan().node_count();
        let task = known.then(|| self.plan().task_of(node))?;
        Some((self.sites.sequence(self.shape.scope[task], site)?, node.0))
    }

    /// Turns what a site asked for into candidates and instructions, and closes what is over.
    fn apply(&mut self, sequence: u32) {
        self.apply_all(sequence);
        if let Some(mut site) = self.sites.take_closed(sequence, self.growing) {
            self.tally.add(self.diversions.plan, &self.shape, &site);
            site.close(&mut self.effects);
            self.apply_all(sequence);
            self.end_chain(sequence);
            self.end_duplicates(sequence);
            if let Some(wider) = self.sites.wider(sequence) {
                self.apply(wider);
            }
        }
    }

    fn apply_all(&mut self, sequence: u32) {
        while !self.effects.is_empty() {
            let mut effects = std::mem::take(&mut self.effects);
            if self.duplicates.is_some() {
                // Those that become ready may find what was just let go.
                effects.sort_by_key(SiteEffect::rank);
            }
            effects.drain(..).for_each(|effect| self.apply_one(sequence, effect));
            if self.effects.is_empty() {
                self.effects = effects;
            }
        }
    }

    fn apply_one(&mut self, sequence: u32, effect: SiteEffect) {
        match effect {
            SiteEffect::Ready { node, walker } => self.meet(Candidate {
                sequence,
                position: self.position[walker as usize],
                rank: self.shape.rank[self.diversions.task(node)],
                node,
            }),
            SiteEffect::Row { row } => self.instructions.extend(self.row(sequence, row as usize)),
            SiteEffect::Release { node } => self.let_go((sequence, node)),
        }
    }

    fn row(&self, sequence: u32, row: usize) -> Option<Instruction> {
        let (site, part) = (self.sites.site(sequence)?, self.sites.index(sequence));
        let outcome = site.outcome(row);
        let result = |task: &usize| {
            let there = !site.has_ended(row, self.shape.stage[*task]);
            let place = self.layout.site(self.shape.scope[*task], part);
            there.then(|| self.stands_for(Instance { node: NodeId(site.node(row, *task)), site: place }))
        };
        let done = matches!(outcome, RowOutcome::Done { .. });
        let results = self.shape.results.iter().filter(|_| done).map(result).collect();
        Some(Instruction::Row { row, part, outcome, results })
    }

    fn pixels(&self, sequence: u32, task: usize) -> u64 {
        self.layout.pixels(self.shape.scope[task], self.sites.index(sequence))
    }

    fn instance(&self, sequence: u32, node: u32) -> Instance {
        Instance { node: NodeId(node), site: self.sites.index(sequence) }
    }
}

fn check(layout: &PartLayout, workers: usize) -> Result<(), SchedulerError> {
    if workers == 0 {
        return Err(SchedulerError::NoWorkers);
    }
    let images = layout.images.len();
    let outside = layout.parts.iter().position(|part| part.image >= images);
    match outside {
        Some(part) => Err(SchedulerError::NoSuchImage { part, image: layout.parts[part].image, images }),
        None => Ok(()),
    }
}

/// The place of each row in the plan's order; what others take from the reference row comes before all rows.
fn positions(plan: &Plan, providers: usize) -> Vec<u32> {
    let mut position = vec![0; plan.rows() + providers];
    for (place, row) in (1..).zip(plan.order()) {
        position[*row as usize] = place;
    }
    position
}
