//! One name for each algorithm, and one function that carries any of them out.

use std::fmt;

use super::work::MergeWork;
use super::{Buckets, ChainCosts, Pruning, ReuseTree, SmallBucket, auto, naive, packing, rtma, sca, trtma};

/// How instances are grouped into buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// Consecutive instances, whatever they share.
    Naive {
        /// Most instances of a bucket.
        most: usize,
    },
    /// The smart cut algorithm: those that share least are cut off first.
    Sca {
        /// Most instances of a bucket.
        most: usize,
    },
    /// The reuse-tree merging algorithm: full buckets from the deepest level up.
    Rtma {
        /// Most instances of a bucket.
        most: usize,
    },
    /// The same with groups of siblings that fill buckets exactly, so that fewer are torn apart.
    Packed {
        /// Most instances of a bucket.
        most: usize,
    },
    /// The task-balanced algorithm: a number of buckets with about as many tasks in each.
    Trtma {
        /// Most buckets.
        buckets: usize,
        /// Which subtrees count as equal when moves are looked for.
        pruning: Pruning,
        /// Who gets what the dearest bucket gives away.
        small: SmallBucket,
    },
    /// Our own: at most one bucket for each worker, of about the same cost.
    Auto {
        /// Workers of the machine.
        workers: usize,
    },
}

/// Why instances cannot be grouped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum MergeError {
    #[error("expected at least 1 {what}, found 0; give a number from 1 on")]
    Zero { what: &'static str },
    #[error(
        "sca cuts at most {most} instances: its time grows with their fourth power; found {found}; use rtma or auto"
    )]
    TooMany { most: usize, found: usize },
}

impl Merging {
    /// The word used on the command line.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Naive { .. } => "naive",
            Self::Sca { .. } => "sca",
            Self::Rtma { .. } => "rtma",
            Self::Packed { .. } => "rtma-packed",
            Self::Trtma { .. } => "trtma",
            Self::Auto { .. } => "auto",
        }
    }

    fn check(&self, instances: usize) -> Result<(), MergeError> {
        let (number, what) = match *self {
            Self::Naive { most } | Self::Sca { most } | Self::Rtma { most } | Self::Packed { most } => {
                (most, "instance in a bucket")
            }
            Self::Trtma { buckets, .. } => (buckets, "bucket"),
            Self::Auto { workers } => (workers, "worker"),
        };
        if number == 0 {
            return Err(MergeError::Zero { what });
        }
        match self {
            Self::Sca { .. } if instances > sca::MOST_INSTANCES => {
                Err(MergeError::TooMany { most: sca::MOST_INSTANCES, found: instances })
            }
            _ => Ok(()),
        }
    }
}

/// Groups the instances of a tree. `work` is what they need: the tree itself, or more where equal tasks are found beyond
/// the tree; it is in the tree's order.
///
/// The published algorithms count tasks, as published; only `auto` looks at costs.
///
/// # Errors
/// When a limit is 0, or there are too many instances for the algorithm.
pub fn merge(tree: &ReuseTree, work: &MergeWork, merging: &Merging) -> Result<Buckets, MergeError> {
    merging.check(tree.len())?;
    Ok(match *merging {
        Merging::Naive { most } => naive::naive(tree, most),
        Merging::Sca { most } => sca::sca(tree, most),
        Merging::Rtma { most } => rtma::rtma(tree, most),
        Merging::Packed { most } => packing::packed(tree, most),
        Merging::Trtma { buckets, pruning, small } => {
            trtma::trtma(tree, &ChainCosts::tasks(tree.depth()), buckets, pruning, small)
        }
        Merging::Auto { workers } => auto::auto(work, Some(tree), workers),
    })
}

/// As on the command line, with its limit: `rtma 7`.
impl fmt::Display for Merging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.word();
        match self {
            Self::Naive { most } | Self::Sca { most } | Self::Rtma { most } | Self::Packed { most } => {
                write!(f, "{word} {most}")
            }
            Self::Trtma { buckets, .. } => write!(f, "{word} {buckets}"),
            Self::Auto { workers } => write!(f, "{word} {workers}"),
        }
    }
}
