//! What a run leaves when it is over.

use onceflow_costs::{Finding, Record};
use onceflow_report::{Answer, RowStatus, RunEnding, TraceEntry};

use crate::clips::PictureClips;
use crate::run::products::ProductReader;

/// A run that is over.
#[derive(Debug)]
pub struct Run {
    /// What it found.
    pub answer: Answer,
    /// Why it is over.
    pub ending: RunEnding,
    /// What each task that ran cost; where objects were known, what it would have cost without.
    pub records: Vec<Record>,
    /// What it found out about operations that no plan could know.
    pub findings: Vec<Finding>,
    /// When each task ran, per phase.
    pub trace: Vec<TraceEntry>,
    /// What turned out to be the same while it ran, as lines of a CSV file.
    pub duplicates: String,
    /// From which rows the known objects of each task came, as lines of a CSV file.
    pub objects: String,
    /// Which results came from which earlier run, as lines of a CSV file; `None` when none did.
    pub earlier: Option<String>,
    /// Which row has which file of the regions that were kept, as lines of a CSV file; `None` when nothing was asked.
    pub kept: Option<String>,
    /// What the report shows of images.
    pub(crate) clips: PictureClips,
    /// The store of results, until the pictures are drawn.
    pub(crate) store: Option<ProductReader>,
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
