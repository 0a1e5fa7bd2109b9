//! What goes into the scheduler and what comes out of it.

use crate::Instance;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A running instance is over.
    Finished {
        /// The instance.
        instance: Instance,
        /// How it went.
        outcome: Outcome,
    },
    /// Nothing more is to be started; what runs may finish.
    Stop,
}

/// How an instance went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its outputs are there.
    Done,
    /// It said a status. Where the workflow lists it, the stage ends for every row that the instance serves.
    Ended(String),
    /// It has no outputs, for this reason.
    Failed(String),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Start it: its inputs are there and its memory is reserved.
    Run {
        /// The instance.
        instance: Instance,
    },
    /// Let its outputs go: nobody will read them again.
    Release(Instance),
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
