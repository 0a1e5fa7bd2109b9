//! What became of a bucket: the lines that the journal of the run takes.

use serde::{Deserialize, Serialize};

use super::BucketPhase;
use crate::resume::journal::{Journal, JournalLine, RowLines, identity};
use crate::{EngineError, OpenStudy, RunFolder};

/// The results of a bucket's rows. It is owned and goes anywhere as JSON ([`BucketRows::to_json`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketRows {
    /// The form of this value: [`BucketRows::VERSION`].
    pub version: u32,
    /// The digest of the bucket.
    pub bucket: String,
    /// The digest of its plan.
    pub plan: String,
    /// Its phase.
    pub phase: BucketPhase,
    /// One line for each row at each part, and for each region that was kept, as the journal holds them: the same bucket
    /// gives the same lines in the same order.
    pub lines: Vec<String>,
    /// Whether each row has a line at each part: a bucket that was stopped has others.
    pub complete: bool,
}

impl BucketRows {
    /// The form that this version writes and reads.
    pub const VERSION: u32 = 1;

    /// The value as JSON.
    ///
    /// # Errors
    /// Never for a value of this type.
    pub fn to_json(&self) -> Result<String, EngineError> {
        serde_json::to_string(self).map_err(|error| EngineError::Internal(error.to_string()))
    }

    /// The value of a JSON text.
    ///
    /// # Errors
    /// When the text is none of a bucket's results of this version, or one of its lines was changed.
    pub fn from_json(text: &str) -> Result<Self, EngineError> {
        let what = "results of a bucket";
        let read: Self = serde_json::from_str(text).map_err(|error| super::unreadable(what, &error))?;
        super::check_version(what, read.version, Self::VERSION)?;
        read.parsed()?;
        Ok(read)
    }

    /// The lines.
    pub(in crate::run) fn parsed(&self) -> Result<Vec<JournalLine>, EngineError> {
        let line = |(number, text): (usize, &String)| {
            let damaged = || super::damaged_line(number + 1);
            JournalLine::parse(text).ok_or_else(damaged)
        };
        self.lines.iter().enumerate().map(line).collect()
    }
}

/// Adds the results of a bucket to the journal of a run in a folder: the run continues as if it had computed them. Results
/// that are there already change nothing.
///
/// # Errors
/// When they belong to another study, a line of them was changed, or the journal cannot be written.
pub fn record_bucket(study: &OpenStudy, folder: &RunFolder, rows: &BucketRows) -> Result<(), EngineError> {
    super::check_plan(study, &rows.phase, &rows.plan)?;
    let lines = rows.parsed()?;
    folder.make()?;
    let mut journal = Journal::open(folder, &identity(study))?;
    let BucketPhase { name, rows: count, digest, .. } = rows.phase.clone();
    journal.write(&JournalLine::Phase { name, rows: count, digest })?;
    lines.iter().try_for_each(|line| journal.write(line))?;
    journal.sync()
}
