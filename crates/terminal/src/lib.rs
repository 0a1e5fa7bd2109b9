//! What onceflow's commands say and how they end: results on standard output, diagnostics and progress on standard error,
//! failures with their exit codes. The commands `onceflow` and `onceflow-bench` share it.

mod diagnostics;
mod engine_error;
mod exit;
mod failure;
mod memory;
mod narrow;
mod panic;
mod progress;
mod streams;

pub use diagnostics::diagnostics_to_json;
pub use engine_error::{engine_failure, unwritable};
pub use exit::Exit;
pub use failure::Failure;
pub use memory::check_memory;
pub use narrow::columns;
pub use panic::report_panics;
pub use progress::{ProgressMode, ProgressReporter};
pub use streams::{Terminal, WrittenStreams};
