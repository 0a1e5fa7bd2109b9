//! Buckets as files: rows that many buckets have are one file, named by its digest.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::EngineError;
use crate::run::bucket::{BucketInput, BucketRow};
use crate::work::PhaseFolder;

/// A bucket whose rows are in a file of their own.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BucketFile {
    rows: String,
    bucket: BucketInput,
}

/// Writes a bucket into the folder of its phase.
pub(super) fn write(phase: &PhaseFolder, number: usize, bucket: &BucketInput) -> Result<(), EngineError> {
    let rows =
        serde_json::to_string(&bucket.rows).map_err(|error| EngineError::Internal(error.to_string()))?;
    let rows = phase.write_rows(&rows)?;
    let file = BucketFile { rows, bucket: BucketInput { rows: Vec::new(), ..bucket.clone() } };
    let text = serde_json::to_string(&file).map_err(|error| EngineError::Internal(error.to_string()))?;
    phase.write(&phase.bucket(number), text.as_bytes())
}

/// Reads buckets, and remembers the rows of the last one.
#[derive(Debug, Default)]
pub(super) struct BucketReader {
    rows: Option<(String, Vec<BucketRow>)>,
}

impl BucketReader {
    /// A bucket of a phase.
    pub(super) fn read(&mut self, phase: &PhaseFolder, number: usize) -> Result<BucketInput, EngineError> {
        let path = phase.bucket(number);
        let BucketFile { rows, bucket } = serde_json::from_str(&text(&path)?)
            .map_err(|error| crate::run::bucket::unreadable("a bucket", &error))?;
        if self.rows.as_ref().is_none_or(|(known, _)| *known != rows) {
            let found: Vec<BucketRow> = serde_json::from_str(&text(&phase.rows(&rows))?)
                .map_err(|error| crate::run::bucket::unreadable("the rows of a bucket", &error))?;
            self.rows = Some((rows, found));
        }
        let rows = self.rows.as_ref().map_or_else(Vec::new, |(_, rows)| rows.clone());
        Ok(BucketInput { rows, ..bucket })
    }
}

fn text(path: &Path) -> Result<String, EngineError> {
    fs::read_to_string(path).map_err(|error| EngineError::Write { path: path.to_path_buf(), error })
}
