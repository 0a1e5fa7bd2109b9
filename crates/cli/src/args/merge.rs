//! Arguments of merging: how instances are grouped into buckets.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onceflow_study::Size;

use super::heading::EXPERIMENTS;

/// Buckets for machines that do not share memory.
#[derive(Debug, Default, Args)]
pub(crate) struct MergeArgs {
    /// Group instances into buckets, each for one worker: equal work is computed once in a bucket, not once in the run
    #[arg(long, value_enum, value_name = "ALGORITHM", help_heading = EXPERIMENTS, conflicts_with = "buckets")]
    pub(crate) merge: Option<MergeWord>,
    /// Most instances in a bucket, for naive, sca, rtma and rtma-packed [default: 7]
    #[arg(long, value_name = "B", help_heading = EXPERIMENTS, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_bucket_size: Option<u64>,
    /// Most buckets of a part, for trtma [default: 3 for each worker]
    #[arg(long, value_name = "M", help_heading = EXPERIMENTS, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_buckets: Option<u64>,
    /// Most memory of a bucket, such as '6 GiB': buckets become as large as it allows
    #[arg(long, value_name = "SIZE", help_heading = EXPERIMENTS, value_parser = super::run::size, requires = "merge", conflicts_with = "max_bucket_size")]
    pub(crate) bucket_memory: Option<Size>,
    /// Which equal subtrees trtma tries once when it moves instances
    #[arg(long, help_heading = EXPERIMENTS, value_enum, value_name = "SCOPE", default_value_t, hide_short_help = true)]
    pub(crate) trtma_pruning: PruningWord,
    /// Which of the cheapest buckets trtma moves instances to
    #[arg(long, help_heading = EXPERIMENTS, value_enum, value_name = "BUCKET", default_value_t, hide_short_help = true)]
    pub(crate) trtma_small: SmallBucketWord,
    /// Your own buckets: a CSV file with the columns row and bucket; row 0 is the reference row
    #[arg(long, value_name = "FILE", help_heading = EXPERIMENTS)]
    pub(crate) buckets: Option<PathBuf>,
}

/// The merging algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MergeWord {
    /// Consecutive instances
    Naive,
    /// Smart cut: instances that share least are cut off first
    Sca,
    /// Reuse tree: full buckets from the deepest shared task up
    Rtma,
    /// Reuse tree, with whole groups of siblings where they fill a bucket
    RtmaPacked,
    /// Task-balanced reuse tree: --max-buckets buckets of about as many tasks each
    Trtma,
    /// One bucket for each worker, of about equal cost
    Auto,
}

/// Which equal subtrees are tried once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PruningWord {
    /// An equal sibling
    #[default]
    Siblings,
    /// Any equal subtree
    Global,
}

/// Which bucket receives instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SmallBucketWord {
    /// The last of the cheapest
    Smallest,
    /// The one that shares most with the dearest bucket
    #[default]
    MostReuse,
}
