//! Runs a plan: the scheduler is a pure state machine, executors carry out what it says.
//!
//! [`Scheduler`] takes [`Event`]s and gives [`Instruction`]s; [`execute`] carries them out with threads and
//! [`execute_zero_work`] with no work at all, which shows what scheduling costs. Crate `cluster` carries them out in virtual
//! time. An [`Operation`] is what a task does, a [`InputProvider`] gives what no task makes, a [`ResultCache`] results of earlier runs, [`SpillStore`] takes what memory has no room for, and an
//! [`Observer`] is told of it all. Which work is equal was decided by the plan; this crate never does.

mod cause;
mod crew;
mod executor;
mod input_provider;
mod known;
mod layout;
mod log;
mod meter;
mod observer;
mod operation;
mod output_digests;
mod policy;
mod result_cache;
mod scheduler;
mod spill_store;

pub use cause::Cause;
pub use crew::{Crew, Device, Expected, WorkerDevice};
pub use executor::{
    ExecuteError, ExecuteOptions, Execution, ExecutionContext, Moves, Recompute, execute, execute_zero_work,
};
pub use input_provider::InputProvider;
pub use known::{KnownFrom, KnownRows};
pub use layout::{Instance, PartLayout, PartSite};
pub use log::TaskLogEntry;
pub use meter::MemoryMeter;
pub use observer::{FinishedTask, Observer};
pub use operation::{Call, Done, Operation, OperationError};
pub use output_digests::OutputDigests;
pub use policy::{Policy, PolicyError, TaskOrder};
pub use result_cache::{CacheCounts, CachedResult, LastingResults, NewResult, NoResultCache, ResultCache};
pub use scheduler::{
    DuplicateOptions, Event, Instruction, RowOutcome, Scheduler, SchedulerError, TaskOutcome,
};
pub use spill_store::{NoSpillStore, SpillStore};
