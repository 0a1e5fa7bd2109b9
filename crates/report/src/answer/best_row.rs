//! The best row by the first metric.

use onceflow_study::Value;

use super::RowRecord;

/// The row with the best value of the first metric.
#[derive(Clone, Debug, PartialEq)]
pub struct BestRow {
    /// Its index in the table.
    pub row: usize,
    /// The value of the first metric.
    pub value: f64,
    /// The value of the reference row.
    pub default: Option<f64>,
    /// Parameters whose value differs from the default.
    pub changes: Vec<ValueChange>,
    /// Influential parameters whose value is the default.
    pub kept: Vec<(String, Value)>,
    /// Changed parameters without influence on the first metric.
    pub without_influence: Vec<String>,
    /// The row with the defaults of these, when it was run and gains as much; else the best row itself is proposed.
    pub proposed: Option<ProposedRow>,
    /// Reasons to doubt it, in whole sentences.
    pub warnings: Vec<String>,
}

/// Values that are proposed, and what they gave; the row is in no table.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposedRow {
    /// Its values and what they gave.
    pub row: RowRecord,
    /// The value of the first metric.
    pub value: f64,
    /// Parameters whose value differs from the default.
    pub changes: Vec<ValueChange>,
}

/// A parameter with another value than its default.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueChange {
    /// Its name.
    pub parameter: String,
    /// The default.
    pub from: Value,
    /// The value in the best row.
    pub to: Value,
}
