//! How alike two volumes are under a transform, and how that changes with each coefficient.

mod evaluator;
mod histogram;
mod slab;

pub(crate) use evaluator::{Border, Evaluator, TooFew, in_voxels, lines};
pub use histogram::JointHistogram;

use std::fmt;

/// How alike two volumes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Similarity {
    /// Normalised mutual information.
    Nmi {
        /// Bins of a value, 16 to 256.
        bins: u32,
    },
    /// Mutual information.
    Mi {
        /// Bins of a value, 16 to 256.
        bins: u32,
    },
    /// The mean squared difference by the variance of the fixed volume.
    Ssd,
}

/// Fewest and most bins.
pub const BINS: std::ops::RangeInclusive<u32> = 16..=256;

impl Similarity {
    /// Bins of a value; none for squared differences.
    pub fn bins(self) -> Option<u32> {
        match self {
            Similarity::Nmi { bins } | Similarity::Mi { bins } => {
                Some(bins.clamp(*BINS.start(), *BINS.end()))
            }
            Similarity::Ssd => None,
        }
    }

    /// The bending weight that is used by default.
    pub fn default_bending(self) -> f64 {
        match self {
            Similarity::Nmi { .. } | Similarity::Mi { .. } => 0.05,
            Similarity::Ssd => 0.5,
        }
    }
}

impl Default for Similarity {
    fn default() -> Self {
        Similarity::Nmi { bins: 64 }
    }
}

impl fmt::Display for Similarity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Similarity::Nmi { .. } => "nmi",
            Similarity::Mi { .. } => "mi",
            Similarity::Ssd => "ssd",
        })
    }
}
