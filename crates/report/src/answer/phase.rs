//! The answer of one phase: its analyses and its share of the work.

use std::ops::Range;

use onceflow_sensitivity::{Analysis, IndexProgress};
use onceflow_study::Space;

/// The answer of one phase.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseAnswer {
    /// Its name.
    pub name: String,
    /// Its method, by the word of study files: `moat`, `vbd`.
    pub method: String,
    /// The parameters that varied.
    pub space: Space,
    /// Its rows in the table.
    pub rows: Range<usize>,
    /// The parameters that were kept from an earlier phase.
    pub kept: Option<KeptParameters>,
    /// Over all images: one analysis per technique of the phase, each with one output per metric.
    pub analyses: Vec<Analysis>,
    /// The same for each image; empty when there is only one.
    pub per_image: Vec<ImageAnalysis>,
    /// How the main index of each metric settles as rows are added.
    pub progress: Vec<IndexProgress>,
    /// Tasks computed, in all its rows and parts.
    pub computed: u64,
    /// Requested tasks that were not computed.
    pub reused: u64,
    /// Rows that failed.
    pub failed: u64,
    /// Seconds it took.
    pub seconds: f64,
}

/// The parameters that a `keep` rule passed on to the next phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptParameters {
    /// The phase whose effects decided.
    pub phase: String,
    /// The metric whose effects decided.
    pub metric: String,
    /// Names of the kept parameters, the largest effect first.
    pub names: Vec<String>,
    /// Number of parameters before the rule.
    pub of: usize,
}

/// The analyses of a phase on one image.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageAnalysis {
    /// Index of the image.
    pub image: usize,
    /// One analysis per technique; metrics that the image does not have are left out.
    pub analyses: Vec<Analysis>,
}
