//! What a run is a run of: its journal is of use to no other.

use std::fmt::Write as _;

use onceflow_region::Digest;
use onceflow_study::Value;

use crate::OpenStudy;
use crate::plan::phase::PhaseRows;

/// What makes a row what it is: the study without its phases and settings, the workflow with the versions of its operations,
/// the files of images as they are now, and our version.
pub(crate) fn identity(prepared: &OpenStudy) -> String {
    let mut text = format!(
        "{} {:?} {:?}",
        env!("CARGO_PKG_VERSION"),
        prepared.study.without_settings(),
        prepared.workflow
    );
    for task in &prepared.flow.tasks {
        // Writing to a string cannot fail.
        let _ = write!(text, " {} {}", task.spec.id, task.spec.version);
    }
    text.push_str(&prepared.stamps);
    Digest::of_text("onceflow journal identity v2", &text).to_string()
}

/// The rows of a phase, told by how many of the first there are and what they are.
pub(crate) struct RowsIdentity {
    /// The number of its first row in the table, and whether that is the reference row.
    head: String,
    /// The values of each row.
    rows: Vec<String>,
}

impl RowsIdentity {
    /// Of a phase whose first row has this number in the table.
    pub(crate) fn new(prepared: &OpenStudy, phase: &PhaseRows, with_reference: bool, first: usize) -> Self {
        let values = |row| format!(" {:?}", phase.values(&prepared.reference, row));
        let rows = (0..phase.sample.len()).map(values).collect();
        Self { head: format!("{with_reference} {first}"), rows }
    }

    /// Of one row with these values, wherever it stands.
    pub(crate) fn of_values(values: &[Value]) -> Self {
        Self { head: "alone".into(), rows: vec![format!(" {values:?}")] }
    }

    /// Rows of a test.
    #[cfg(test)]
    pub(super) fn made_up(head: &str, rows: Vec<String>) -> Self {
        Self { head: head.into(), rows }
    }

    /// How many rows there are besides the reference row.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The digest of so many of the first rows.
    pub(crate) fn digest(&self, rows: usize) -> String {
        let text = self.head.clone() + &self.rows[..rows].concat();
        Digest::of_text("onceflow journal rows v2", &text).to_string()
    }
}
