//! What goes into the scheduler and what comes out of it.

use crate::{Cause, Instance};

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A running instance is over.
    Finished {
        /// The instance.
        instance: Instance,
        /// How it went.
        outcome: TaskOutcome,
    },
    /// Outputs that were to be spilled or restored are where they should be, or could not be moved.
    Moved {
        /// The instance that made them.
        instance: Instance,
        /// Whether they were moved.
        moved: bool,
    },
    /// No part will be added any more.
    NoMore,
    /// Nothing more is to be started; what runs may finish.
    Stop,
}

/// How an instance went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    /// Its outputs are there.
    Done,
    /// It said a status. Where the workflow lists it, the stage ends for every row that the instance serves.
    Ended(String),
    /// It has no outputs.
    Failed {
        /// Why.
        message: String,
        /// Whether trying again may help.
        transient: bool,
    },
}

impl TaskOutcome {
    /// A failure that trying again would only repeat.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), transient: false }
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Start it: its inputs are there and its memory is reserved.
    Run {
        /// The instance.
        instance: Instance,
        /// The worker whose turn it is, among those of the [`Crew`](crate::Crew).
        worker: u32,
        /// How often it was started before.
        attempt: u32,
        /// Why this one, there.
        cause: Cause,
    },
    /// It is over without having run: it turned out to be equal to another, whose outputs are its own.
    Same {
        /// The instance.
        instance: Instance,
        /// The other.
        same_as: Instance,
    },
    /// Release its outputs: they will not be read again.
    Release(Instance),
    /// Move its outputs out of memory, and say when it is done: others do not fit.
    Spill(Instance),
    /// Bring its outputs back into memory, which is reserved, and say when it is done: others will read them.
    Restore(Instance),
    /// Forget its outputs in memory: what was spilled is still below, or they are recomputed when a task needs them.
    Drop(Instance),
    /// A row is complete for a part. Its results are released only after this.
    Row {
        /// The row.
        row: usize,
        /// The part.
        part: usize,
        /// How it went.
        outcome: RowOutcome,
        /// The instances of the flow's results, in their order; none where the stage had ended. Empty when it failed.
        results: Vec<Option<Instance>>,
    },
}

/// How a row went for one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowOutcome {
    /// All that was needed is done.
    Done {
        /// The status with which its first ended stage ended.
        status: Option<String>,
    },
    /// A task that it needed failed: the first one in the order of the workflow.
    Failed {
        /// The task.
        task: usize,
        /// Why.
        message: String,
    },
}
