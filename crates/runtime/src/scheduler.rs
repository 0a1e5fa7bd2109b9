//! The scheduler: a pure state machine, events in, instructions out. It knows no clock, no threads and no pixels, so that
//! every executor runs the same code and a test drives it by hand.
//!
//! Every row walks through its own tasks by the rules of `shape`; a site holds all rows at one part, image or the whole
//! study, and nodes are where rows meet. `ready` says what comes first, `memory` what fits, `residence` what of it lies in
//! memory, `spilling` what moves, `sites` what opens when.

mod diversion;
mod error;
mod event;
mod memory;
mod ready;
mod residence;
mod shape;
mod site;
mod sites;
mod spilling;
mod tally;

use std::collections::VecDeque;

use onceflow_region::Budget;
use onceflow_reuse::{Account, NodeId, Plan};

use self::diversion::Diversions;
use self::memory::Memory;
use self::ready::{Candidate, Ready};
use self::residence::Residence;
use self::shape::Shape;
use self::site::{Effect, Surroundings};
use self::sites::Sites;
use self::tally::Tally;
use crate::{Instance, Known, Layout};

pub use error::SchedulerError;
pub use event::{Event, Instruction, Outcome, RowOutcome};

/// Decides what runs when, and what may be forgotten.
///
/// Ask [`Scheduler::next`] until it has nothing to say, tell it what happened, and ask again.
pub struct Scheduler<'p> {
    diversions: Diversions<'p>,
    layout: Layout,
    shape: Shape,
    sites: Sites,
    ready: Ready,
    memory: Memory,
    residence: Residence,
    /// Whether outputs may leave memory.
    spilling: bool,
    known: Known,
    tally: Tally,
    /// The place of each row in the plan's order.
    position: Vec<u32>,
    instructions: VecDeque<Instruction>,
    effects: Vec<Effect>,
    workers: usize,
    running: usize,
    stopped: bool,
}

impl<'p> Scheduler<'p> {
    /// A scheduler for a plan at all parts of a layout, of which at most `workers` instances run at a time.
    ///
    /// # Errors
    /// When the layout or the flow cannot be scheduled, or a single task can never fit the budget.
    pub fn new(
        plan: &'p mut Plan,
        layout: &Layout,
        workers: usize,
        budget: Budget,
    ) -> Result<Self, SchedulerError> {
        check(layout, workers)?;
        let shape = Shape::new(plan.flow(), plan.reference().is_some())?;
        let memory = Memory::new(plan.flow(), &shape, layout, budget)?;
        let (sites, tally) = (Sites::new(plan, &shape, layout), Tally::new(plan));
        let position = positions(plan, shape.providers.len());
        Ok(Self {
            diversions: Diversions { plan },
            layout: layout.clone(),
            shape,
            sites,
            ready: Ready::default(),
            memory,
            residence: Residence::default(),
            spilling: false,
            known: Known::nothing(),
            tally,
            position,
            instructions: VecDeque::new(),
            effects: Vec::new(),
            workers,
            running: 0,
            stopped: false,
        })
    }

    /// Leaves out rows that are known from before; nothing is said of them.
    #[must_use]
    pub fn knowing(mut self, known: Known) -> Self {
        self.known = known;
        self
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
            if self.stopped || self.running >= self.workers {
                return Ok(None);
            }
            if let Some(candidate) = self.wanted() {
                return self.choose(candidate);
            }
            if !self.open_next() {
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
        }
    }

    /// Whether no instruction will come any more.
    pub fn is_finished(&self) -> bool {
        let over = self.stopped || self.sites.all_closed();
        over && self.running == 0 && self.instructions.is_empty()
    }

    /// Whether it was told to stop before all was done.
    pub fn is_stopped(&self) -> bool {
        self.stopped && !self.sites.all_closed()
    }

    /// The account of all sites that are closed: every one, unless the run was stopped.
    pub fn account(&self) -> &Account {
        self.tally.account()
    }

    /// The plan, with the nodes that were added on the way.
    pub fn plan(&self) -> &Plan {
        self.diversions.plan
    }

    /// The first candidate that somebody still wants.
    fn wanted(&mut self) -> Option<Candidate> {
        while let Some(candidate) = self.ready.first() {
            match self.sites.site_mut(candidate.sequence) {
                Some(site) if site.wants(candidate.node) => return Some(candidate),
                Some(site) => site.forget(candidate.node),
                None => {}
            }
            self.ready.pop();
        }
        None
    }

    /// Starts the first candidate when it fits, or makes way for it. Later ones must not take the memory it waits for;
    /// only when nothing runs that could free memory, the first that fits is started.
    fn choose(&mut self, first: Candidate) -> Result<Option<Instruction>, SchedulerError> {
        if self.fits(first) {
            self.ready.pop();
            return Ok(Some(self.start(first)));
        }
        let way = self.make_way(first);
        if way.is_some() || self.running > 0 {
            return Ok(way);
        }
        match self.first_that_fits() {
            Some(candidate) => Ok(Some(self.start(candidate))),
            None => Err(self.stuck(first)),
        }
    }

    fn first_that_fits(&mut self) -> Option<Candidate> {
        let mut passed = Vec::new();
        let mut found = None;
        while let Some(candidate) = self.wanted() {
            self.ready.pop();
            if self.fits(candidate) {
                found = Some(candidate);
                break;
            }
            passed.push(candidate);
        }
        passed.into_iter().for_each(|candidate| self.ready.push(candidate));
        found
    }

    fn fits(&mut self, candidate: Candidate) -> bool {
        let task = self.diversions.task(candidate.node);
        let pixels = self.pixels(candidate.sequence, task);
        self.has_inputs(candidate) && self.memory.admit(task, pixels)
    }

    fn start(&mut self, candidate: Candidate) -> Instruction {
        self.note_readers(candidate.sequence, candidate.node, true);
        if let Some(site) = self.sites.site_mut(candidate.sequence) {
            site.start(candidate.node, &self.shape, &self.diversions);
        }
        self.running += 1;
        Instruction::Run { instance: self.instance(candidate.sequence, candidate.node) }
    }

    fn stuck(&self, candidate: Candidate) -> SchedulerError {
        let task = self.diversions.task(candidate.node);
        self.memory.stuck(self.plan().flow(), task, self.pixels(candidate.sequence, task))
    }

    fn open_next(&mut self) -> bool {
        let Self { shape, diversions, effects, sites, known, layout, .. } = self;
        let rows = diversions.plan.rows();
        let known = |scope, index| known.at(layout, scope, index, rows);
        let opened = sites.open_next(known, &mut Surroundings { shape, diversions, effects });
        if let Some(sequence) = opened {
            self.apply(sequence);
        }
        opened.is_some()
    }

    fn finished(&mut self, instance: Instance, outcome: &Outcome) {
        let Instance { node, site } = instance;
        if node.0 as usize >= self.plan().node_count() {
            return;
        }
        let task = self.plan().task_of(node);
        let Some(sequence) = self.sites.sequence(self.shape.scope[task], site) else { return };
        let pixels = self.layout.pixels(self.shape.scope[task], site);
        let Self { shape, diversions, effects, sites, .. } = self;
        let Some(site) = sites.site_mut(sequence).filter(|site| site.is_running(node.0)) else { return };
        site.finish(node.0, outcome, &mut Surroundings { shape, diversions, effects });
        self.running -= 1;
        let made = !matches!(outcome, Outcome::Failed(_));
        self.memory.finished(task, pixels, made);
        self.note_readers(sequence, node.0, false);
        if made {
            self.note_made(sequence, node.0, task);
        }
        self.apply(sequence);
    }

    /// Turns what a site asked for into candidates and instructions, and closes what is over.
    fn apply(&mut self, sequence: u32) {
        self.apply_all(sequence);
        if let Some(mut site) = self.sites.take_closed(sequence) {
            self.tally.add(self.diversions.plan, &self.shape, &site);
            site.close(&mut self.effects);
            self.apply_all(sequence);
            if let Some(wider) = self.sites.wider(sequence) {
                self.apply(wider);
            }
        }
    }

    fn apply_all(&mut self, sequence: u32) {
        let mut effects = std::mem::take(&mut self.effects);
        effects.drain(..).for_each(|effect| self.apply_one(sequence, effect));
        self.effects = effects;
    }

    fn apply_one(&mut self, sequence: u32, effect: Effect) {
        match effect {
            Effect::Ready { node, walker } => self.ready.push(Candidate {
                sequence,
                position: self.position[walker as usize],
                rank: self.shape.rank[self.diversions.task(node)],
                node,
            }),
            Effect::Row { row } => self.instructions.extend(self.row(sequence, row as usize)),
            Effect::Release { node } => self.let_go((sequence, node)),
        }
    }

    fn row(&self, sequence: u32, row: usize) -> Option<Instruction> {
        let (site, part) = (self.sites.site(sequence)?, self.sites.index(sequence));
        let outcome = site.outcome(row);
        let result = |task: &usize| {
            let there = !site.has_ended(row, self.shape.stage[*task]);
            let place = self.layout.site(self.shape.scope[*task], part);
            there.then(|| Instance { node: NodeId(site.node(row, *task)), site: place })
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

fn check(layout: &Layout, workers: usize) -> Result<(), SchedulerError> {
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
