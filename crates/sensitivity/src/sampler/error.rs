//! Why a sample cannot be made: what was expected, what was found, what to do.

use crate::quantile::Unfit;

/// Why a sample cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// A size of zero.
    #[error("expected a size of at least 1 for `{what}`, found 0; to do: ask for more")]
    Zero {
        /// The method or option.
        what: &'static str,
    },
    /// More values than a sample may hold.
    #[error(
        "expected at most {most} values, found {rows} rows, which are {values}; to do: ask for fewer rows"
    )]
    TooLarge {
        /// Rows asked for.
        rows: u128,
        /// Rows times parameters.
        values: u128,
        /// Limit.
        most: u128,
    },
    /// More dimensions than the sequence has.
    #[error(
        "expected at most {most} dimensions of the sequence (two per parameter for saltelli), found {found}; to do: use mc or lhs"
    )]
    Dimensions {
        /// Dimensions needed.
        found: usize,
        /// Dimensions there are.
        most: usize,
    },
    /// More replicates than are of use.
    #[error("expected 1 to {most} replicates, found {found}; to do: use 4 to 16")]
    Replicates {
        /// Replicates asked for.
        found: u64,
        /// Limit.
        most: u64,
    },
    /// A distribution that does not fit its domain.
    #[error("parameter `{parameter}`: expected {expected}, found {found}")]
    Distribution {
        /// Name of the parameter.
        parameter: String,
        /// What would fit.
        expected: &'static str,
        /// What there is.
        found: String,
    },
    /// Constraints that leave too little of the space.
    #[error(
        "expected constraints that leave enough of the space, found that they leave less than 1 in {one_in}; to do: narrow the ranges of the parameters in {constraints}"
    )]
    TooTight {
        /// The constraints.
        constraints: String,
        /// The share they leave, inverted.
        one_in: u64,
    },
    /// A constraint between parameters that the design moves one at a time.
    #[error(
        "expected `{method}` factors that can move one at a time, found the constraint `{constraint}` between {factors}; to do: put them into one group, or study their difference as a parameter, or use mc, lhs or sobol with the analyses delta or pawn"
    )]
    Coupled {
        /// The method.
        method: &'static str,
        /// The constraint.
        constraint: String,
        /// The factors.
        factors: String,
    },
    /// A sample without its design.
    #[error("expected a sample with its design, found none; to do: make the sample with `sample`")]
    NoDesign,
    /// A method whose larger samples do not begin with the smaller ones.
    #[error(
        "expected a method that can be extended (mc, halton, sobol, saltelli, plain or radial morris, nested lhs), found {method}; to do: make a new sample"
    )]
    NotExtendable {
        /// The method.
        method: &'static str,
    },
    /// An extension to fewer rows.
    #[error("expected a size of at least {size}, which the sample has, found {found}; to do: ask for more")]
    Shrinks {
        /// Its size.
        size: u64,
        /// What was asked for.
        found: u64,
    },
    /// A sample that its design does not make.
    #[error(
        "expected the rows that the design makes of this space, found others from row {row} on (counting from 0); to do: use the space, seed and version the sample was made with"
    )]
    NotItsDesign {
        /// Place of the first row that differs.
        row: usize,
    },
    /// A parameter without a default.
    #[error("expected a default of `{0}` that is a number, or a word of its domain; to do: give one")]
    NoDefault(String),
}

impl From<Unfit> for SampleError {
    fn from(Unfit { parameter, expected, found }: Unfit) -> Self {
        Self::Distribution { parameter, expected, found }
    }
}
