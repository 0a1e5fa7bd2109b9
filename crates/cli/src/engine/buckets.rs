//! From words about buckets to what the engine understands.

use std::path::Path;

use onceflow_engine::{Level, Limits, Merge, Merging, Pruning, SmallBucket};
use onceflow_study::{Diagnostic, Size};

use crate::args::{MergeArgs, MergeWord, PruningWord, SmallWord};
use crate::failure::Failure;
use crate::file::{Limit, read_text};

/// Instances of a bucket in the papers' experiments.
const PUBLISHED_SIZE: usize = 7;
/// Buckets for each worker in the papers' experiments.
const PUBLISHED_BUCKETS: usize = 3;

/// The limits of the published algorithms.
pub(crate) fn limits(args: &MergeArgs, workers: usize) -> Limits {
    let number = |n: Option<u64>| n.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    Limits {
        instances: number(args.max_bucket_size).unwrap_or(PUBLISHED_SIZE),
        buckets: number(args.max_buckets).unwrap_or(workers.saturating_mul(PUBLISHED_BUCKETS)),
    }
}

/// How instances are grouped.
pub(super) fn merge(args: &MergeArgs, level: Level, workers: usize) -> Result<Merge, Failure> {
    let Limits { instances: most, buckets } = limits(args, workers);
    let wanted = args.merge.is_some() || args.buckets.is_some();
    if wanted && level < Level::Task {
        return Err(nothing_to_merge(level));
    }
    if wanted && level > Level::Dataflow {
        return Err(shares_memory(level));
    }
    if let Some(file) = &args.buckets {
        return Ok(Merge::Given(read_buckets(file)?));
    }
    Ok(args.merge.map_or(Merge::Nothing, |word| {
        let merging = match word {
            MergeWord::Naive => Merging::Naive { most },
            MergeWord::Sca => Merging::Sca { most },
            MergeWord::Rtma => Merging::Rtma { most },
            MergeWord::RtmaPacked => Merging::Packed { most },
            MergeWord::Trtma => Merging::Trtma {
                buckets,
                pruning: match args.trtma_pruning {
                    PruningWord::Siblings => Pruning::Siblings,
                    PruningWord::Global => Pruning::Global,
                },
                small: match args.trtma_small {
                    SmallWord::Smallest => SmallBucket::Smallest,
                    SmallWord::MostReuse => SmallBucket::MostReuse,
                },
            },
            MergeWord::Auto => Merging::Auto { workers },
        };
        match args.bucket_memory {
            Some(Size(bytes)) => Merge::Within { bytes, merging },
            None => Merge::By(merging),
        }
    }))
}

fn nothing_to_merge(level: Level) -> Failure {
    let error =
        Diagnostic::error(format!("with --reuse {level} no task is shared, so that buckets save nothing"));
    let error = error.expected_found("--reuse task or dataflow", format!("--reuse {level}"));
    Failure::bad_input(error.with_hint("leave out --merge and --buckets, or give --reuse task"))
}

fn shares_memory(level: Level) -> Failure {
    let error = Diagnostic::error(format!(
        "--reuse {level} finds what turns out to be equal in one memory, buckets are for machines that share none"
    ));
    let error = error.expected_found("--reuse task or dataflow", format!("--reuse {level}"));
    Failure::bad_input(error.with_hint("leave out --merge and --buckets, or give --reuse dataflow"))
}

/// Pairs of row and bucket, a line each, after a line with their names.
fn read_buckets(file: &Path) -> Result<Vec<(usize, u64)>, Failure> {
    let source = read_text(file, Limit::Table)?;
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

fn wrong(name: &str, line: usize, expected: &str, found: &str) -> Failure {
    let error = Diagnostic::error(format!("{name}:{line}: this is no line of buckets"));
    Failure::bad_input(
        error
            .expected_found(expected, format!("`{}`", found.chars().take(60).collect::<String>()))
            .with_hint("give one line for each row, the reference row being 0"),
    )
}
