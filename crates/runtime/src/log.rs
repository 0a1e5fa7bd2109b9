//! The log of an execution: one entry per instance that ran.

use crate::{Cause, Instance};

/// One instance that ran. It was *computed* when it gave a result that no cache held: [`TaskLogEntry::is_computed`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskLogEntry {
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
    /// Most bytes that its operation held at once, what it made included; 0 where memory is not measured.
    pub bytes: u64,
    /// The worker that ran it.
    pub worker: usize,
    /// Whether the result cache served it, so that nothing was computed.
    pub served: bool,
    /// The number of its origin where that cache outlives the run: another run had computed it.
    pub origin: Option<u32>,
    /// Whether all its objects were cached, so that nothing was computed but lookups.
    pub known: bool,
    /// Whether it failed.
    pub failed: bool,
    /// How often it had been started before.
    pub attempt: u32,
    /// Why it was its turn.
    pub cause: Cause,
}

impl TaskLogEntry {
    /// Whether a result was computed: no cache served it, not all its objects were cached, and it did not fail.
    pub fn is_computed(&self) -> bool {
        !(self.served || self.known || self.failed)
    }
}
