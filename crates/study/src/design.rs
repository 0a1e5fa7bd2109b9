//! A design: a sampling method with its sizes, and the seed.

mod tune;

pub use tune::{HoldOut, TuneBound, TuneDesign, TuneMethod, TuneOver};

/// A sampling method and the seed that makes it repeatable.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// How rows are chosen.
    pub method: Method,
    /// Seed of the named generator.
    pub seed: u64,
}

/// How rows are chosen. Sizes are numbers of rows unless a variant says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// Independent random rows.
    MonteCarlo {
        /// Rows.
        rows: u64,
    },
    /// Each parameter's range cut into as many strata as there are rows, each hit once.
    LatinHypercube {
        /// Rows.
        rows: u64,
        /// Which kind.
        kind: LatinHypercube,
    },
    /// Halton's sequence.
    Halton {
        /// Rows.
        rows: u64,
        /// Digits permuted by the seed.
        scrambled: bool,
    },
    /// Hammersley's set: Halton with the first coordinate `i / rows`.
    Hammersley {
        /// Rows.
        rows: u64,
        /// Digits permuted by the seed.
        scrambled: bool,
    },
    /// Sobol's sequence.
    Sobol {
        /// Rows.
        rows: u64,
        /// Owen's nested scrambling by the seed.
        scrambled: bool,
    },
    /// Every combination of values, or a fraction of them.
    Grid(GridDesign),
    /// Morris's elementary effects (MOAT).
    Morris(MorrisDesign),
    /// Saltelli's design for variance-based decomposition (VBD).
    Saltelli(SaltelliDesign),
    /// Rows that look for the best values: each batch follows from what the rows before it gave.
    Tune(TuneDesign),
}

/// Kinds of Latin hypercube.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatinHypercube {
    /// A random place in each stratum.
    #[default]
    Plain,
    /// The middle of each stratum.
    Centred,
    /// Plain, with the columns permuted until the rows are far apart.
    Maximin,
    /// Doubles without moving a row: sizes are a power of two times the first.
    Nested,
}

impl LatinHypercube {
    /// All of them with the words used in files.
    pub const WORDS: [(&'static str, Self); 4] = [
        ("plain", Self::Plain),
        ("centred", Self::Centred),
        ("maximin", Self::Maximin),
        ("nested", Self::Nested),
    ];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, kind)| *kind == self).map_or("plain", |(word, _)| word)
    }
}

/// A full or fractional grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridDesign {
    /// Values taken of a continuous parameter, ends included.
    pub values: u64,
    /// Keep one row in this many: those whose value numbers add up to 0 modulo it. 1 keeps all.
    pub fraction: u64,
}

/// Elementary effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MorrisDesign {
    /// Number of trajectories (or of stars, when radial).
    pub trajectories: u64,
    /// Values taken of a continuous parameter, ends included; at least 2.
    pub values: u64,
    /// How trajectories are made.
    pub kind: Trajectories,
}

impl MorrisDesign {
    /// Default number of values of a continuous parameter, as in the literature.
    pub const VALUES: u64 = 4;
}

/// How trajectories are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trajectories {
    /// Each at random.
    #[default]
    Plain,
    /// The most spread-out of this many random ones (Campolongo 2007, search of Ruano 2012).
    Optimised {
        /// Random trajectories to choose from.
        candidates: u64,
    },
    /// Stars: every step starts from the same row.
    Radial,
}

impl Trajectories {
    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Optimised { .. } => "optimised",
            Self::Radial => "radial",
        }
    }

    /// Default number of random trajectories to choose from: 25 for each chosen one, but not more than 1000 (beyond, the
    /// search takes long and gains little), and at least as many as are chosen.
    pub fn usual_candidates(trajectories: u64) -> u64 {
        trajectories.saturating_mul(25).min(1000).max(trajectories)
    }
}

/// The design of Saltelli (2002, 2010): rows A, B and A with one factor's columns from B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaltelliDesign {
    /// Base rows over all replicates.
    pub base: u64,
    /// Adds B with one factor's columns from A: n(2k+2) rows in place of n(k+2).
    pub second_order: bool,
    /// Independently scrambled Sobol' sets among which base rows are dealt in turn; their spread gives the intervals.
    pub replicates: u64,
}

impl SaltelliDesign {
    /// Default number of replicates.
    pub const REPLICATES: u64 = 8;

    /// Whether each replicate gets a power of two of base rows: its sequence fills the space evenly only then.
    pub fn is_balanced(&self) -> bool {
        let replicates = self.replicates.max(1);
        self.base.is_multiple_of(replicates) && (self.base / replicates).is_power_of_two()
    }

    /// The next number of base rows that is balanced; `None` beyond 64 bits.
    pub fn balanced_base(&self) -> Option<u64> {
        let replicates = self.replicates.max(1);
        let each = (self.base / replicates).max(1).checked_next_power_of_two()?;
        each.checked_mul(replicates)
    }
}

impl Method {
    /// The word for it on the command line and in files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::MonteCarlo { .. } => "mc",
            Self::LatinHypercube { .. } => "lhs",
            Self::Halton { .. } => "halton",
            Self::Hammersley { .. } => "hammersley",
            Self::Sobol { .. } => "sobol",
            Self::Grid(_) => "grid",
            Self::Morris(_) => "morris",
            Self::Saltelli(_) => "saltelli",
            Self::Tune(_) => "tune",
        }
    }

    /// Rows it makes for `factors` factors; `None` for grids, whose size depends on the values (see `Space::grid_rows`).
    pub fn rows(&self, factors: usize) -> Option<u128> {
        let k = factors as u128;
        match self {
            Self::MonteCarlo { rows }
            | Self::LatinHypercube { rows, .. }
            | Self::Halton { rows, .. }
            | Self::Hammersley { rows, .. }
            | Self::Sobol { rows, .. } => Some(u128::from(*rows)),
            Self::Grid(_) => None,
            // The row of the defaults is one of them, and is counted where it is run.
            Self::Tune(t) => Some(u128::from(t.evaluations.saturating_sub(1).max(1))),
            Self::Morris(m) => Some(u128::from(m.trajectories) * (k + 1)),
            Self::Saltelli(s) => Some(u128::from(s.base) * if s.second_order { 2 * k + 2 } else { k + 2 }),
        }
    }

    /// Whether a larger sample begins with a smaller one, bit for bit.
    pub fn extendable(&self) -> bool {
        match self {
            Self::MonteCarlo { .. } | Self::Halton { .. } | Self::Sobol { .. } | Self::Saltelli(_) => true,
            Self::LatinHypercube { kind, .. } => *kind == LatinHypercube::Nested,
            Self::Morris(m) => !matches!(m.kind, Trajectories::Optimised { .. }),
            Self::Tune(_) => true,
            Self::Hammersley { .. } | Self::Grid(_) => false,
        }
    }

    /// The size that `--n` means: trajectories, base rows or rows; `None` for grids.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::MonteCarlo { rows }
            | Self::LatinHypercube { rows, .. }
            | Self::Halton { rows, .. }
            | Self::Hammersley { rows, .. }
            | Self::Sobol { rows, .. } => Some(*rows),
            Self::Grid(_) => None,
            Self::Tune(t) => Some(t.evaluations),
            Self::Morris(m) => Some(m.trajectories),
            Self::Saltelli(s) => Some(s.base),
        }
    }

    /// The same method with another size; grids stay as they are.
    #[must_use]
    pub fn with_size(mut self, n: u64) -> Self {
        match &mut self {
            Self::MonteCarlo { rows }
            | Self::LatinHypercube { rows, .. }
            | Self::Halton { rows, .. }
            | Self::Hammersley { rows, .. }
            | Self::Sobol { rows, .. } => *rows = n,
            Self::Grid(_) => {}
            Self::Tune(t) => t.evaluations = n,
            Self::Morris(m) => m.trajectories = n,
            Self::Saltelli(s) => s.base = n,
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_bases_are_powers_of_two_for_each_replicate() {
        let of = |base, replicates| SaltelliDesign { base, second_order: false, replicates };
        assert!(of(1024, 8).is_balanced() && of(24, 3).is_balanced() && !of(1000, 8).is_balanced());
        assert_eq!((of(1000, 8).balanced_base(), of(3, 8).balanced_base()), (Some(1024), Some(8)));
        assert_eq!(of(u64::MAX, 1).balanced_base(), None);
    }

    #[test]
    fn usual_candidates_are_enough_and_affordable() {
        assert_eq!([4, 20, 200, 2000].map(Trajectories::usual_candidates), [100, 500, 1000, 2000]);
    }
}
