//! Programs of the user's own: each task of one runs in a folder that holds what it declares and nothing else.
//!
//! [`own`] finds them in a workflow and makes of each an operation like any other; [`workshop`] is where they run,
//! [`external`] what runs them: once per task ([`process`]), or one process for many ([`serve`]). [`form`] is how regions
//! become files, [`container`] what stands before a command that runs in one, [`units`]
//! what is given to one that works object by object or tile by tile, [`watch`] what ends programs that a run leaves.

mod changed;
mod container;
mod external;
mod folder;
mod form;
mod kept_logs;
mod log;
mod memory;
mod own;
mod process;
mod program;
mod serve;
mod units;
mod watch;
mod workshop;

pub(crate) use external::External;
pub use kept_logs::{AskedLog, FoundLog, find_logs};
pub(crate) use kept_logs::{forget_logs, list_logs};
pub use own::look_at_commands;
pub(crate) use own::{OwnTask, own_tasks};
pub(crate) use workshop::{Kept, Workshop};

/// Between what a program did and the last words of its log, in the message of a failure.
pub(crate) const LOG_MARK: &str = "; its log ends with: ";
