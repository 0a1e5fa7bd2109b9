//! How instances are grouped into buckets: options, and the grouping they mean.

use std::path::Path;

use onceflow_reuse::Level;
use onceflow_reuse::merge::{Merging, Pruning, SmallBucket};
use onceflow_study::Diagnostic;

use crate::EngineError;
use crate::file::{TextLimit, read_text};

/// Instances of a bucket in the papers' experiments.
const PUBLISHED_SIZE: usize = 7;
/// Buckets for each worker in the papers' experiments.
const PUBLISHED_BUCKETS: usize = 3;

/// How instances are grouped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Merge {
    /// Not at all: workers share memory, so that equal work is done once in the whole run.
    #[default]
    Nothing,
    /// By an algorithm.
    By(Merging),
    /// By an algorithm, in buckets as large as a bound of memory allows.
    Within {
        /// Bytes for one bucket.
        bytes: u64,
        /// The algorithm; its number of instances in a bucket is found.
        merging: Merging,
    },
    /// As the user chose: pairs of row and bucket.
    Given(Vec<(usize, u64)>),
}

/// The limits of the published algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most instances of a bucket.
    pub instances: usize,
    /// Most buckets for a part.
    pub buckets: usize,
}

/// The merging algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeAlgorithm {
    /// Consecutive instances.
    Naive,
    /// Smart cut: the instances that share least are cut off first.
    Sca,
    /// Reuse-tree merging: full buckets from the deepest shared task up.
    Rtma,
    /// The same, with whole groups of siblings where they fill a bucket.
    RtmaPacked,
    /// Task-balanced reuse-tree merging.
    Trtma,
    /// One bucket for each worker, of about the same cost.
    Auto,
}

/// Options of buckets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeOptions {
    /// The algorithm.
    pub algorithm: Option<MergeAlgorithm>,
    /// Most instances of a bucket.
    pub max_bucket_size: Option<usize>,
    /// Most buckets of a part.
    pub max_buckets: Option<usize>,
    /// Most bytes of a bucket.
    pub bucket_memory: Option<u64>,
    /// For TRTMA: which equal subtrees are tried once.
    pub pruning: Pruning,
    /// For TRTMA: which of the cheapest buckets receives.
    pub small: SmallBucket,
    /// Buckets that the user chose: pairs of row and bucket.
    pub given: Option<Vec<(usize, u64)>>,
}

impl Default for MergeOptions {
    fn default() -> Self {
        Self {
            algorithm: None,
            max_bucket_size: None,
            max_buckets: None,
            bucket_memory: None,
            pruning: Pruning::Siblings,
            small: SmallBucket::MostReuse,
            given: None,
        }
    }
}

impl MergeOptions {
    /// Whether there are no buckets.
    pub fn is_empty(&self) -> bool {
        self.algorithm.is_none() && self.given.is_none()
    }

    /// The limits of the published algorithms.
    pub fn limits(&self, workers: usize) -> Limits {
        Limits {
            instances: self.max_bucket_size.unwrap_or(PUBLISHED_SIZE),
            buckets: self.max_buckets.unwrap_or(workers.saturating_mul(PUBLISHED_BUCKETS)),
        }
    }

    /// How instances are grouped at a reuse level.
    pub(super) fn resolve(&self, level: Level, workers: usize) -> Result<Merge, EngineError> {
        if !self.is_empty() && level < Level::Task {
            return Err(nothing_to_merge(level));
        }
        if !self.is_empty() && level > Level::Dataflow {
            return Err(shares_memory(level));
        }
        if let Some(given) = &self.given {
            return Ok(Merge::Given(given.clone()));
        }
        let Some(algorithm) = self.algorithm else { return Ok(Merge::Nothing) };
        let merging = self.merging(algorithm, workers);
        Ok(match self.bucket_memory {
            Some(bytes) => Merge::Within { bytes, merging },
            None => Merge::By(merging),
        })
    }

    fn merging(&self, algorithm: MergeAlgorithm, workers: usize) -> Merging {
        let Limits { instances: most, buckets } = self.limits(workers);
        match algorithm {
            MergeAlgorithm::Naive => Merging::Naive { most },
            MergeAlgorithm::Sca => Merging::Sca { most },
            MergeAlgorithm::Rtma => Merging::Rtma { most },
            MergeAlgorithm::RtmaPacked => Merging::Packed { most },
            MergeAlgorithm::Trtma => Merging::Trtma { buckets, pruning: self.pruning, small: self.small },
            MergeAlgorithm::Auto => Merging::Auto { workers },
        }
    }

    /// Reads buckets that the user chose: pairs of row and bucket, a line each, after a line with their names.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is not such a pair.
    pub fn read_buckets(file: &Path) -> Result<Vec<(usize, u64)>, EngineError> {
        let source = read_text(file, TextLimit::Table)?;
        let name = file.display().to_string();
        let mut lines = source.text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
        let head = lines.next().map_or("", |(line, _)| line);
        if head.split(',').map(str::trim).collect::<Vec<_>>() != ["row", "bucket"] {
            return Err(wrong(&name, 1, "a first line `row,bucket`", head));
        }
        let pair = |(line, number): (&str, usize)| {
            let (row, bucket) = line.split_once(',').unwrap_or((line, ""));
            let read = row.trim().parse().ok().zip(bucket.trim().parse().ok());
            read.ok_or_else(|| wrong(&name, number, "two whole numbers such as `12,3`", line))
        };
        lines.map(pair).collect()
    }
}

fn nothing_to_merge(level: Level) -> EngineError {
    let error =
        Diagnostic::error(format!("with --reuse {level} no task is shared, so that buckets save nothing"));
    let error = error.expected_found("--reuse task or dataflow", format!("--reuse {level}"));
    error.with_hint("leave out --merge and --buckets, or give --reuse task").into()
}

fn shares_memory(level: Level) -> EngineError {
    let error = Diagnostic::error(format!(
        "--reuse {level} deduplicates in one memory, buckets are for machines that share none"
    ));
    let error = error.expected_found("--reuse task or dataflow", format!("--reuse {level}"));
    error.with_hint("leave out --merge and --buckets, or give --reuse dataflow").into()
}

fn wrong(name: &str, line: usize, expected: &str, found: &str) -> EngineError {
    let error = Diagnostic::error(format!("{name}:{line}: not a row and its bucket"));
    error
        .expected_found(expected, format!("`{}`", found.chars().take(60).collect::<String>()))
        .with_hint("give one line for each row, the reference row being 0")
        .into()
}
