//! How instances are grouped into buckets: what can be said of it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onceflow_study::Size;

/// Buckets for machines that do not share memory.
#[derive(Debug, Default, Args)]
pub(crate) struct MergeArgs {
    /// Group instances into buckets that run on one worker each: equal work is then done once in a bucket, not once in
    /// the run
    #[arg(long, value_enum, value_name = "ALGORITHM", conflicts_with = "buckets")]
    pub(crate) merge: Option<MergeWord>,
    /// Most instances of a bucket, for naive, sca, rtma and rtma-packed [default: 7]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_bucket_size: Option<u64>,
    /// Most buckets of a part, for trtma [default: 3 for each worker]
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_buckets: Option<u64>,
    /// Most memory of a bucket, such as '6 GiB': buckets become as large as it allows when tasks run level after level
    #[arg(long, value_name = "SIZE", value_parser = super::run::size, requires = "merge", conflicts_with = "max_bucket_size")]
    pub(crate) bucket_memory: Option<Size>,
    /// For trtma: which equal subtrees are tried once when something is moved
    #[arg(long, value_enum, value_name = "SCOPE", default_value_t, hide_short_help = true)]
    pub(crate) trtma_pruning: PruningWord,
    /// For trtma: which of the cheapest buckets gets what the dearest gives away
    #[arg(long, value_enum, value_name = "BUCKET", default_value_t, hide_short_help = true)]
    pub(crate) trtma_small: SmallWord,
    /// Your own buckets: a CSV file with the columns row and bucket, the reference row being 0
    #[arg(long, value_name = "FILE")]
    pub(crate) buckets: Option<PathBuf>,
}

/// The merging algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MergeWord {
    /// Consecutive instances
    Naive,
    /// Those that share least are cut off first
    Sca,
    /// Full buckets from the deepest shared task up
    Rtma,
    /// The same, with whole groups of siblings where they fill a bucket
    RtmaPacked,
    /// A number of buckets with about as many tasks in each
    Trtma,
    /// A bucket for each worker, of about the same cost
    Auto,
}

/// What counts as tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PruningWord {
    /// An equal sibling
    #[default]
    Siblings,
    /// Any equal subtree
    Global,
}

/// Who gets something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SmallWord {
    /// The last of the cheapest
    Smallest,
    /// The one of the cheapest that shares most with the dearest
    #[default]
    MostReuse,
}
