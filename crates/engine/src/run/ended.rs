//! What a run leaves when it is over.

use onceflow_costs::{Finding, Record};

use crate::answer::{Answer, RowStatus};

/// A run that is over.
#[derive(Debug)]
pub struct Run {
    /// What it found.
    pub answer: Answer,
    /// Why it is over.
    pub ending: Ending,
    /// What each task that ran cost; where objects were known, what it would have cost without.
    pub records: Vec<Record>,
    /// What it found out about operations that no plan could know.
    pub findings: Vec<Finding>,
    /// When each task ran, per phase.
    pub trace: Vec<TraceEntry>,
    /// What turned out to be the same while it ran, as lines of a CSV file.
    pub converged: String,
    /// From which rows the known objects of each task came, as lines of a CSV file.
    pub objects: String,
    /// Which row has which file of the regions that were kept, as lines of a CSV file; `None` when nothing was asked.
    pub kept: Option<String>,
}

/// Why a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All of it is done.
    Complete,
    /// It was stopped from outside; the rows that were done are in the table.
    Stopped,
    /// More rows failed than the study allows; the rows that were done are in the table.
    TooManyFailures,
}

/// When a task ran.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceEntry {
    /// The phase.
    pub phase: String,
    /// The task.
    pub task: String,
    /// The first row that asked for it, in the table.
    pub row: usize,
    /// Number of the part or image.
    pub site: usize,
    /// The worker.
    pub worker: usize,
    /// Seconds since the run began.
    pub start: f64,
    /// Seconds it took.
    pub seconds: f64,
    /// Most bytes its operation held at once; 0 where nobody counts.
    pub bytes: u64,
    /// Why it was its turn.
    pub cause: &'static str,
}

impl Run {
    /// The first row that failed, and why, in words.
    pub fn first_failure(&self) -> Option<String> {
        self.answer.table.rows.iter().find_map(|row| match &row.status {
            RowStatus::Failed { task, message } => Some(format!("row {}, {task}: {message}", row.row)),
            _ => None,
        })
    }
}
