//! Runs a plan: the scheduler is a pure state machine, executors carry out what it says.
//!
//! [`Scheduler`] takes [`Event`]s and gives [`Instruction`]s; [`execute`] carries them out with threads, and
//! [`execute_zero_work`] with no work at all, which shows what scheduling costs. An [`Operation`] is what a task does, a
//! [`Supply`] gives what no task makes, a [`Memo`] what earlier runs left, [`Below`] takes what memory has no room for, and an
//! [`Observer`] is told of it all. Which work is equal was decided by the plan; this crate never does.

mod below;
mod executor;
mod known;
mod layout;
mod memo;
mod meter;
mod observer;
mod operation;
mod scheduler;
mod supply;

pub use below::{Below, NoBelow};
pub use executor::{Entry, ExecuteError, Execution, Moves, Options, Work, execute, execute_zero_work};
pub use known::Known;
pub use layout::{Instance, Layout, PartSite};
pub use memo::{Memo, NoMemo};
pub use meter::Meter;
pub use observer::{Finished, Observer};
pub use operation::{Call, Done, Operation, OperationError};
pub use scheduler::{Event, Instruction, Outcome, RowOutcome, Scheduler, SchedulerError};
pub use supply::Supply;
