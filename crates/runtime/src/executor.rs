//! Executors carry out what the scheduler says: with threads, or with no work at all.

mod cached;
mod carry;
mod inputs;
mod job;
mod pinned;
mod threads;
mod work_queue;
mod zero_work;

use std::sync::atomic::{AtomicBool, Ordering};

use onceflow_region::Budget;
use onceflow_reuse::{Account, Plan};

use crate::{
    CacheCounts, Crew, DuplicateOptions, Event, Expected, InputProvider, KnownRows, MemoryMeter, Operation,
    OutputDigests, PartLayout, Policy, ResultCache, Scheduler, SchedulerError, SpillStore, TaskLogEntry,
};

pub use threads::execute;
pub use zero_work::execute_zero_work;

/// What a plan is carried out with.
#[derive(Clone, Copy)]
pub struct ExecutionContext<'a> {
    /// The operation of each task of the flow.
    pub operations: &'a [&'a dyn Operation],
    /// Where sources come from.
    pub provider: &'a dyn InputProvider,
    /// Results of earlier runs.
    pub results: &'a dyn ResultCache,
    /// Where outputs go that memory has no room for.
    pub spill: &'a dyn SpillStore,
    /// What memory is measured with, where it can be.
    pub meter: Option<MemoryMeter>,
    /// Who says what outputs hold, where equal ones are to be found.
    pub digests: Option<&'a dyn OutputDigests>,
}

/// How a plan is carried out.
#[derive(Clone, Debug)]
pub struct ExecuteOptions<'a> {
    /// The workers: one instance runs at a time on each.
    pub crew: Crew,
    /// The memory there is.
    pub budget: Budget,
    /// Whether outputs may leave memory for what lies below it.
    pub spilling: bool,
    /// Rows that are known from before, and left out.
    pub known: KnownRows,
    /// When it becomes true nothing more is started, and the run ends when what runs is over.
    pub stop: Option<&'a AtomicBool>,
    /// How the next task is chosen.
    pub policy: Policy,
    /// How often a task that failed for a reason that may pass is tried again.
    pub retries: u32,
    /// What decides whether outputs that must leave memory are written or made again; always written without it.
    pub recompute: Option<Recompute>,
    /// Whether each worker stays on a processor of its own.
    pub pinned: bool,
    /// Whether instances that turn out to be equal are made one, and which; [`ExecutionContext::digests`] is asked for it.
    pub duplicates: Option<DuplicateOptions>,
}

/// What making outputs again is weighed against.
#[derive(Clone, Debug, PartialEq)]
pub struct Recompute {
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
    pub log: Vec<TaskLogEntry>,
    /// What moved between memory and what lies below it.
    pub moves: Moves,
    /// Seconds of workers that went into saying what outputs hold.
    pub digesting: f64,
    /// How the result cache was used.
    pub cache: CacheCounts,
    /// Whether it was stopped before all was done; the account then covers what was done.
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
}

impl ExecuteOptions<'_> {
    /// So many CPU workers within a budget: nothing moves out of memory, nothing is known, no stop flag, no second try.
    pub fn new(workers: usize, budget: Budget) -> Self {
        Self {
            crew: Crew::of_cpus(workers),
            budget,
            spilling: false,
            known: KnownRows::nothing(),
            stop: None,
            policy: Policy::default(),
            retries: 0,
            recompute: None,
            pinned: false,
            duplicates: None,
        }
    }

    fn scheduler<'p>(
        &self,
        plan: &'p mut Plan,
        layout: &PartLayout,
    ) -> Result<Scheduler<'p>, SchedulerError> {
        let crew = self.recompute.as_ref().map_or_else(|| self.crew.clone(), |it| it.crew(&self.crew));
        let scheduler = Scheduler::new(plan, layout, crew.len(), self.budget.clone())?.with_crew(crew);
        let scheduler = scheduler.knowing(self.known.clone()).following(self.policy).retrying(self.retries);
        let scheduler = if self.spilling { scheduler.spilling() } else { scheduler };
        let scheduler = match &self.duplicates {
            Some(options) => scheduler.finding_duplicates(options.clone()),
            None => scheduler,
        };
        Ok(match &self.recompute {
            Some(recompute) => scheduler.recompute(recompute.bandwidth),
            None => scheduler,
        })
    }

    fn pass_on_stop(&self, scheduler: &mut Scheduler<'_>) {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            scheduler.handle(Event::Stop);
        }
    }
}

impl Recompute {
    /// A crew that expects tasks to take what they took before.
    fn crew(&self, crew: &Crew) -> Crew {
        let seconds = self.seconds_per_pixel.iter().enumerate();
        let expected = seconds
            .map(|(task, seconds)| Expected { seconds_per_pixel: *seconds, ..crew.expects(task) })
            .collect();
        Crew { expected, ..crew.clone() }
    }
}

impl Execution {
    fn of(scheduler: &Scheduler<'_>, executed: u64, log: Vec<TaskLogEntry>, moves: Moves) -> Self {
        let moves = Moves { recomputed: scheduler.recomputed(), ..moves };
        let (account, stopped) = (scheduler.account_so_far(), scheduler.is_stopped());
        Self { account, executed, log, moves, digesting: 0.0, cache: CacheCounts::default(), stopped }
    }
}
