//! What a run found: the metric table, the analyses of each phase, the best row, and the account of the work.

use std::collections::BTreeMap;
use std::ops::Range;

use onceflow_sensitivity::{Analysis, Progress};
use onceflow_study::{Metric, Seams, Space, Value};

use crate::{ObjectCounts, PhaseGrain};

/// Everything a run found. Reports are renderings of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Name of the study.
    pub study: String,
    /// Name and version of the workflow: `nuclei 1`.
    pub workflow: String,
    /// Seed of everything random.
    pub seed: u64,
    /// What was studied.
    pub images: Vec<ImageSummary>,
    /// What was measured; the answer speaks of the first.
    pub metrics: Vec<Metric>,
    /// What happened where parts meet.
    pub seams: Seams,
    /// Pixels that parts saw around themselves; 0 where they saw nothing.
    pub halo: u64,
    /// One record per row.
    pub table: MetricTable,
    /// What each phase says, in their order.
    pub phases: Vec<PhaseAnswer>,
    /// The best row by the first metric, when one direction of it is better.
    pub best: Option<Best>,
    /// What was asked, what was saved, what was computed.
    pub work: Work,
    /// What the reader must know, in whole sentences.
    pub notes: Vec<String>,
}

/// An image as it was studied.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSummary {
    /// Its name.
    pub name: String,
    /// Width of what was studied, in pixels.
    pub width: u64,
    /// Height of what was studied, in pixels.
    pub height: u64,
    /// Resolution, when it is known.
    pub um_per_pixel: Option<f64>,
    /// How it came to that resolution, when it was scanned at another.
    pub resampled: Option<crate::Resampling>,
    /// Parts that were run.
    pub parts: usize,
    /// Parts left out because they hold no tissue.
    pub left_out: usize,
    /// Objects of its truth, when it has one.
    pub truth_objects: Option<u64>,
}

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
    /// Name of its phase; the reference row belongs to none.
    pub phase: Option<String>,
    /// Its role in the design: `reference`, `start`, `step:G1`, `AB:G1`.
    pub role: String,
    /// Number of its trajectory or base row.
    pub base: u64,
    /// How it ended.
    pub status: RowStatus,
    /// One value per parameter.
    pub values: Vec<Value>,
    /// One value per metric over all images; `None` when it has none there.
    pub metrics: Vec<Option<f64>>,
    /// One record per image.
    pub images: Vec<ImageRecord>,
}

/// What a row gave on one image.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageRecord {
    /// How it ended there.
    pub status: RowStatus,
    /// One value per metric; `None` when the image has none (no truth).
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
        /// What it said.
        message: String,
    },
}

/// What one phase says.
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
    /// Which parameters passed into it from an earlier phase.
    pub kept: Option<Kept>,
    /// Over all images: one analysis per technique of the phase, each with one output per metric.
    pub analyses: Vec<Analysis>,
    /// The same for each image; empty when there is only one.
    pub per_image: Vec<ImageAnalysis>,
    /// How the main index of each metric settles as rows are added.
    pub progress: Vec<Progress>,
    /// Tasks computed, in all its rows and parts.
    pub computed: u64,
    /// Tasks asked for and not computed.
    pub reused: u64,
    /// Rows that failed.
    pub failed: u64,
    /// Seconds it took.
    pub seconds: f64,
}

/// The parameters a rule kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The phase whose effects decided.
    pub phase: String,
    /// The metric whose effects decided.
    pub metric: String,
    /// Names of those kept, the largest effect first.
    pub names: Vec<String>,
    /// How many there were.
    pub of: usize,
}

/// The analyses of a phase on one image.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageAnalysis {
    /// Its place among the images.
    pub image: usize,
    /// One analysis per technique; metrics that the image does not have are left out.
    pub analyses: Vec<Analysis>,
}

/// The row with the best value of the first metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Its place in the table.
    pub row: usize,
    /// The value of the first metric.
    pub value: f64,
    /// The value of the reference row.
    pub default: Option<f64>,
    /// Parameters whose value differs from the default.
    pub changes: Vec<Change>,
    /// Why it should not be believed blindly.
    pub warnings: Vec<String>,
}

/// A parameter with another value than its default.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its name.
    pub parameter: String,
    /// The default.
    pub from: Value,
    /// The value in the best row.
    pub to: Value,
}

/// The account of a run: two amounts, each of which balances.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// In tasks.
    pub tasks: Amounts,
    /// In seconds of one worker: tasks times what one took on average in this run.
    pub seconds: Amounts,
    /// Seconds on the clock.
    pub wall: f64,
    /// Workers.
    pub workers: usize,
    /// Most bytes reserved at once.
    pub peak_reserved: u64,
    /// Most bytes resident at once, when the system tells.
    pub peak_resident: Option<u64>,
    /// The bound of memory.
    pub memory: u64,
    /// Regions that had no room in memory and were written to the disk meanwhile.
    pub spilled: u64,
    /// Their bytes.
    pub spilled_bytes: u64,
    /// Tasks that were computed once more, since that took less time than the disk.
    pub recomputed: u64,
    /// Objects that tasks worked on one by one, by task, and how many of them were known.
    pub objects: BTreeMap<String, ObjectCounts>,
    /// Seconds of workers that went into digests of results.
    pub digesting: f64,
    /// Tasks that stood otherwise than they are written, phase by phase.
    pub grain: Vec<PhaseGrain>,
    /// Rows, the reference included.
    pub rows: u64,
    /// Rows times parts.
    pub instances: u64,
}

/// `asked = stage + task + dataflow + convergent + object + products + ended_early + failed + resumed + computed`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amounts {
    /// What running every row by itself would take.
    pub asked: f64,
    /// Saved because whole stages were equal.
    pub stage: f64,
    /// Saved because beginnings of chains were equal.
    pub task: f64,
    /// Saved because tasks read the same things.
    pub dataflow: f64,
    /// Saved because inputs turned out to hold the same.
    pub convergent: f64,
    /// Saved because all objects, or most of what they cost, were known.
    pub object: f64,
    /// Taken from earlier results.
    pub products: f64,
    /// Not run because their part had ended.
    pub ended_early: f64,
    /// Failed, or waiting for one that failed.
    pub failed: f64,
    /// Done before the run was interrupted, as the journal says.
    pub resumed: f64,
    /// Run.
    pub computed: f64,
}
