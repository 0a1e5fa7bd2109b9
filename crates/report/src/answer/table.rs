//! The metric table: one record per row.

use onceflow_study::Value;

/// Rows with their values and metrics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricTable {
    /// Names of the parameters, those that do not vary included.
    pub parameters: Vec<String>,
    /// Names of the metrics.
    pub metrics: Vec<String>,
    /// Names of the images.
    pub images: Vec<String>,
    /// The rows, in the order of their numbers.
    pub rows: Vec<RowRecord>,
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowRecord {
    /// Its number in the study.
    pub row: u64,
    /// Name of its phase; `None` for the reference row.
    pub phase: Option<String>,
    /// Its role in the design: `reference`, `start`, `step:G1`, `AB:G1`.
    pub role: String,
    /// Number of its trajectory or base row.
    pub base: u64,
    /// How it ended.
    pub status: RowStatus,
    /// One value per parameter.
    pub values: Vec<Value>,
    /// One value per metric over all images; `None` without a value.
    pub metrics: Vec<Option<f64>>,
    /// One record per image.
    pub images: Vec<ImageRecord>,
}

/// The result of a row on one image.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageRecord {
    /// How it ended there.
    pub status: RowStatus,
    /// One value per metric; `None` without a value, for example without a truth.
    pub metrics: Vec<Option<f64>>,
    /// Objects found.
    pub objects: Option<u64>,
}

/// How a row ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowStatus {
    /// It has its metrics.
    Ok,
    /// A task ended it early on every part, with this status: `background`, `no_candidates`. It has its metrics.
    Ended(String),
    /// A task failed.
    Failed {
        /// The task.
        task: String,
        /// Its error message.
        message: String,
    },
}

impl RowStatus {
    /// The word for it in tables: `ok`, `failed`, or the status with which a task ended the row.
    pub fn word(&self) -> &str {
        match self {
            Self::Ok => "ok",
            Self::Ended(status) => status,
            Self::Failed { .. } => "failed",
        }
    }
}
