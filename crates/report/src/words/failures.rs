//! What failed, equal failures together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::{Answer, RowStatus};

/// Rows in which the same task failed with the same message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FailureGroup<'a> {
    pub(crate) task: &'a str,
    pub(crate) message: &'a str,
    pub(crate) rows: u64,
    /// Number of the first such row.
    pub(crate) first: u64,
}

/// The failures, the most frequent first.
pub(crate) fn failures(answer: &Answer) -> Vec<FailureGroup<'_>> {
    let mut found: BTreeMap<(&str, &str), FailureGroup<'_>> = BTreeMap::new();
    for row in &answer.table.rows {
        if let RowStatus::Failed { task, message } = &row.status {
            let new = FailureGroup { task, message, rows: 0, first: row.row };
            found.entry((task, message)).or_insert(new).rows += 1;
        }
    }
    let mut failures: Vec<FailureGroup<'_>> = found.into_values().collect();
    failures.sort_by_key(|failure| (Reverse(failure.rows), failure.first));
    failures
}

/// How many rows failed.
pub(crate) fn failed(answer: &Answer) -> usize {
    answer.table.rows.iter().filter(|row| matches!(row.status, RowStatus::Failed { .. })).count()
}
