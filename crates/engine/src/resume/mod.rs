//! Continuing a run: what its folder holds, and the journal of rows that are done.

mod held;
pub(crate) mod journal;
mod left;

pub(crate) use held::{COMMANDS, ResumeDecision, commands_text, resume_decision};
pub use left::{LeftPhase, LeftWork, left_to_compute};
