//! Users' own commands and Python functions as operations: each task of a program runs in a folder that holds the files it
//! declares and nothing else; a function runs in a worker that is given its source.
//!
//! [`bind_programs`] finds the programs of a workflow and makes each an operation of the catalogue. [`ExternalOperation`]
//! carries out its tasks in a [`ProgramWorkspace`], with one process per task or one process for many tasks. What programs print is
//! found again by [`find_logs`]. This crate never decides whether a program may run: its caller does.

mod container;
mod declared;
mod environment;
mod error;
mod external;
mod failure;
mod files;
mod folder;
mod logs;
mod process;
mod python;
mod task;
mod units;
mod workspace;

pub use declared::ProgramFile;
pub use error::ProgramError;
pub use external::ExternalOperation;
pub use failure::LOG_MARK;
pub use logs::{AskedLog, FoundLog, LogEntry, find_logs, forget_logs, list_logs};
pub use python::{describe_functions, use_python};
pub use task::{ProgramTask, bind_programs, is_program, look_at_commands};
pub use workspace::{ImageExtent, KeptFolders, PartExtent, ProgramWorkspace};
