//! Runs a plan: the scheduler is a pure state machine, executors carry out what it says.
//!
//! [`Scheduler`] takes [`Event`]s and gives [`Instruction`]s; [`execute`] carries them out with threads,
//! [`execute_zero_work`] with no work at all, which shows what scheduling costs, and [`simulate`] in virtual time, on the
//! nodes of a [`Machine`] to which a [`Manager`] hands out buckets. An [`Operation`] is what a task does, a
//! [`Supply`] gives what no task makes, a [`Memo`] what earlier runs left, [`Below`] takes what memory has no room for, and an
//! [`Observer`] is told of it all. Which work is equal was decided by the plan; this crate never does.

mod below;
mod cause;
mod contents;
mod crew;
mod executor;
mod known;
mod layout;
mod machine;
mod manager;
mod memo;
mod meter;
mod observer;
mod operation;
mod policy;
mod scheduler;
mod supply;

pub use below::{Below, NoBelow};
pub use cause::Cause;
pub use contents::Contents;
pub use crew::{Crew, Device, Expected};
pub use executor::{
    Chance, Entry, ExecuteError, Execution, Moves, NodeFigures, Options, Remaking, Simulated, SimulatedTask,
    Simulation, Transfers, Work, execute, execute_zero_work, simulate,
};
pub use known::Known;
pub use layout::{Instance, Layout, PartSite};
pub use machine::{Files, Machine, Network, NodeKind};
pub use manager::{Bucket, BucketId, Directive, Manager, Notice};
pub use memo::{Memo, NoMemo};
pub use meter::Meter;
pub use observer::{Finished, Observer};
pub use operation::{Call, Done, Operation, OperationError};
pub use policy::{Order, Policy, PolicyError};
pub use scheduler::{Converging, Event, Instruction, Outcome, RowOutcome, Scheduler, SchedulerError};
pub use supply::Supply;
