//! A bucket: rows of a phase with all that another process needs to carry them out.

use onceflow_region::Digest;
use onceflow_study::Value;
use serde::{Deserialize, Serialize};

use crate::EngineError;

/// Rows of a phase, as one piece of work. It is owned and goes anywhere as JSON ([`BucketInput::to_json`]).
///
/// The study itself is not in it: the process that carries it out opens the same study, and the digest of the plan says
/// whether it is the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketInput {
    /// The form of this value: [`BucketInput::VERSION`].
    pub version: u32,
    /// The digest of what is carried out: the study with its workflow and images, the phase, and all rows of it.
    pub plan: String,
    /// The phase.
    pub phase: BucketPhase,
    /// The rows.
    pub rows: Vec<BucketRow>,
    /// The parts at which they are carried out, counted over all images, in ascending order.
    pub parts: Vec<usize>,
    /// The images of these parts.
    pub images: Vec<BucketImage>,
    /// What rows are compared with beside the truth.
    pub reference: BucketReference,
    /// Tasks whose results belong to an image or to the study, not to a part.
    pub shared: Vec<SharedTask>,
    /// The folder in that of the run where their results are published by key, where several buckets take them.
    pub published: Option<String>,
    /// What it makes.
    pub makes: BucketMakes,
}

/// What a bucket makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BucketMakes {
    /// The results of its rows.
    Rows,
    /// The results of its shared tasks, for the buckets that come after it.
    Shared,
}

/// The phase of a bucket, as the journal knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketPhase {
    /// Its name.
    pub name: String,
    /// The number of its rows besides the reference row.
    pub rows: usize,
    /// Their digest.
    pub digest: String,
    /// The number of its first row in the table of the run.
    pub first: usize,
    /// Whether that is the reference row.
    pub with_reference: bool,
}

/// A row of a bucket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketRow {
    /// Its number in the phase.
    pub row: usize,
    /// The values of all parameters, in the order of the study's table.
    pub values: Vec<BucketValue>,
}

/// A value of a parameter. A real number is written by its bits, so that none is changed by its decimal form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BucketValue {
    /// A whole number.
    Integer(i64),
    /// The bits of a real number.
    Real(u64),
    /// A word.
    Text(String),
}

/// An image that a bucket reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketImage {
    /// Its name.
    pub name: String,
    /// The digest of its content.
    pub digest: String,
    /// The digest of its truth, where it has one.
    pub truth: Option<String>,
}

/// What rows are compared with beside the truth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BucketReference {
    /// No metric compares with the reference row.
    Unused,
    /// The bucket computes the reference row itself.
    Computed,
    /// These regions of the reference row, in the folder of the run.
    Saved(Vec<SavedRegion>),
}

/// A region of the reference row that an earlier bucket or phase left.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRegion {
    /// Its name.
    pub name: String,
    /// Its part.
    pub part: usize,
    /// Its file in the folder of the run, and the digest of it; none where its stage ended early.
    pub file: Option<SavedFile>,
}

/// A file of the run's folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedFile {
    /// Its path, seen from the folder.
    pub path: String,
    /// The digest of its bytes.
    pub digest: String,
}

/// A task whose result is shared by all parts of an image, or by all parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedTask {
    /// Its name.
    pub task: String,
    /// The image; none for a task of the whole study.
    pub image: Option<String>,
}

impl BucketInput {
    /// The form that this version writes and reads.
    pub const VERSION: u32 = 2;

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
    /// When the text is none of a bucket of this version.
    pub fn from_json(text: &str) -> Result<Self, EngineError> {
        let read: Self = serde_json::from_str(text).map_err(|error| super::unreadable("a bucket", &error))?;
        super::check_version("a bucket", read.version, Self::VERSION)?;
        Ok(read)
    }

    /// Its digest: results name the bucket they belong to by it.
    ///
    /// # Errors
    /// As [`BucketInput::to_json`].
    pub fn digest(&self) -> Result<String, EngineError> {
        Ok(Digest::of_text("onceflow bucket v1", &self.to_json()?).to_string())
    }
}

impl From<&Value> for BucketValue {
    fn from(value: &Value) -> Self {
        match value {
            Value::Integer(number) => Self::Integer(*number),
            Value::Real(number) => Self::Real(number.to_bits()),
            Value::Text(word) => Self::Text(word.clone()),
        }
    }
}

impl From<&BucketValue> for Value {
    fn from(value: &BucketValue) -> Self {
        match value {
            BucketValue::Integer(number) => Self::Integer(*number),
            BucketValue::Real(bits) => Self::Real(f64::from_bits(*bits)),
            BucketValue::Text(word) => Self::Text(word.clone()),
        }
    }
}
