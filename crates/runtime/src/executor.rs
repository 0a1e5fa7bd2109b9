//! Executors carry out what the scheduler says: with threads, in virtual time, or with no work at all.

mod carry;
mod desk;
mod inputs;
mod job;
mod pinned;
mod simulated;
mod threads;
mod zero_work;

use std::sync::atomic::{AtomicBool, Ordering};

use onceflow_region::Budget;
use onceflow_reuse::{Account, Plan};

use crate::{
    Below, Cause, Contents, Converging, Crew, Event, Expected, Instance, Known, Layout, Memo, Meter,
    Operation, Policy, Scheduler, SchedulerError, Supply,
};

pub use simulated::{Chance, NodeFigures, Simulated, SimulatedTask, Simulation, Transfers, simulate};
pub use threads::execute;
pub use zero_work::execute_zero_work;

/// What a plan is carried out with.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// The operation of each task of the flow.
    pub operations: &'a [&'a dyn Operation],
    /// Where sources come from.
    pub supply: &'a dyn Supply,
    /// What earlier runs left behind.
    pub memo: &'a dyn Memo,
    /// Where outputs go that memory has no room for.
    pub below: &'a dyn Below,
    /// What memory is measured with, where it can be.
    pub meter: Option<Meter>,
    /// Who says what outputs hold, where equal ones are to be found.
    pub contents: Option<&'a dyn Contents>,
}

/// How a plan is carried out.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Instances that run at a time.
    pub workers: usize,
    /// The memory there is.
    pub budget: Budget,
    /// Whether outputs may leave memory for what lies below it.
    pub spilling: bool,
    /// Rows that are known from before, and left out.
    pub known: Known,
    /// When it becomes true nothing more is started, and the run ends when what runs is over.
    pub stop: Option<&'a AtomicBool>,
    /// How the next task is chosen.
    pub policy: Policy,
    /// How often a task that failed for a reason that may pass is tried again.
    pub retries: u32,
    /// What decides whether outputs that must leave memory are written or made again; always written without it.
    pub remaking: Option<Remaking>,
    /// Whether each worker stays on a processor of its own.
    pub pinned: bool,
    /// Whether instances that turn out to be equal are made one, and which; [`Work::contents`] is asked for it.
    pub converging: Option<Converging>,
}

/// What making outputs again is weighed against.
#[derive(Clone, Debug, PartialEq)]
pub struct Remaking {
    /// Bytes per second to and from what lies below memory.
    pub bandwidth: f64,
    /// Seconds for each pixel of each task.
    pub seconds_per_pixel: Vec<f64>,
}

/// What was carried out.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Where the work went, over all parts.
    pub account: Account,
    /// How many instances ran.
    pub executed: u64,
    /// Every instance that ran, in the order in which they ended; where there was no work to log, none.
    pub log: Vec<Entry>,
    /// What moved between memory and what lies below it.
    pub moves: Moves,
    /// Seconds of workers that went into saying what outputs hold.
    pub digesting: f64,
    /// Whether it was stopped before all was done; the account then covers the parts that were complete.
    pub stopped: bool,
}

/// How often outputs left memory and came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// Outputs that were written.
    pub spilled: u64,
    /// Their bytes.
    pub spilled_bytes: u64,
    /// Outputs that were read again.
    pub restored: u64,
    /// Outputs that were let go and made again, because that was cheaper.
    pub recomputed: u64,
}

impl std::ops::AddAssign for Moves {
    fn add_assign(&mut self, other: Self) {
        self.spilled += other.spilled;
        self.spilled_bytes += other.spilled_bytes;
        self.restored += other.restored;
        self.recomputed += other.recomputed;
    }
}

/// One instance that ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The instance.
    pub instance: Instance,
    /// Its task.
    pub task: usize,
    /// The first row that asked for it.
    pub row: u32,
    /// Seconds from the beginning of the run to its own.
    pub start: f64,
    /// Seconds its operation took, without fetching what it takes.
    pub seconds: f64,
    /// Most bytes that its operation held at once, what it made included; 0 where nobody counts.
    pub bytes: u64,
    /// The worker that ran it.
    pub worker: usize,
    /// Whether the memo had it, so that nothing was computed.
    pub remembered: bool,
    /// How often it had been started before.
    pub attempt: u32,
    /// Why it was its turn.
    pub cause: Cause,
}

/// Why a plan was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecuteError {
    /// The scheduler refused, or could not go on.
    #[error(transparent)]
    Scheduler(#[from] SchedulerError),
    /// There is not one operation per task.
    #[error("expected an operation for each of {expected} tasks, found {found}; bind all of them")]
    Operations {
        /// How many tasks there are.
        expected: usize,
        /// How many operations were given.
        found: usize,
    },
    /// A worker went away without finishing what it was given.
    #[error("internal error: a worker ended before its task; please report this")]
    WorkerLost,
    /// A simulated run came to a halt with work left.
    #[error("internal error: {left} of {all} buckets were never done; please report this")]
    Halted {
        /// Buckets that are not done.
        left: usize,
        /// All of them.
        all: usize,
    },
}

impl Options<'_> {
    /// So many workers within a budget: nothing moves out of memory, nothing is known, nobody stops it, no second try.
    pub fn new(workers: usize, budget: Budget) -> Self {
        Self {
            workers,
            budget,
            spilling: false,
            known: Known::nothing(),
            stop: None,
            policy: Policy::default(),
            retries: 0,
            remaking: None,
            pinned: false,
            converging: None,
        }
    }

    fn scheduler<'p>(&self, plan: &'p mut Plan, layout: &Layout) -> Result<Scheduler<'p>, SchedulerError> {
        let scheduler = Scheduler::new(plan, layout, self.workers, self.budget.clone())?;
        let scheduler = scheduler.knowing(self.known.clone()).following(self.policy).retrying(self.retries);
        let scheduler = if self.spilling { scheduler.spilling() } else { scheduler };
        let scheduler = match &self.converging {
            Some(converging) => scheduler.converging(converging.clone()),
            None => scheduler,
        };
        Ok(match &self.remaking {
            Some(remaking) => scheduler.with_crew(remaking.crew(self.workers)).remaking(remaking.bandwidth),
            None => scheduler,
        })
    }

    fn pass_on_stop(&self, scheduler: &mut Scheduler<'_>) {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            scheduler.handle(Event::Stop);
        }
    }
}

impl Remaking {
    fn crew(&self, cpus: usize) -> Crew {
        let expected = |seconds: &f64| Expected { seconds_per_pixel: *seconds, ..Expected::default() };
        Crew { cpus, gpus: 0, expected: self.seconds_per_pixel.iter().map(expected).collect() }
    }
}

impl Execution {
    fn of(scheduler: &Scheduler<'_>, executed: u64, log: Vec<Entry>, moves: Moves) -> Self {
        let moves = Moves { recomputed: scheduler.recomputed(), ..moves };
        let (account, stopped) = (scheduler.account().clone(), scheduler.is_stopped());
        Self { account, executed, log, moves, digesting: 0.0, stopped }
    }
}
