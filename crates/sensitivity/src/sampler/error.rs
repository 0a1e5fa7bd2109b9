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
    /// More of something than can be had.
    #[error("expected at most {most} {what}, found {found}; to do: {to_do}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// Asked for or needed.
        found: u128,
        /// Limit.
        most: u128,
        /// Way out.
        to_do: &'static str,
    },
    /// Fewer random trajectories than are to be chosen from them, or too many.
    #[error(
        "expected {least} to {most} candidates to choose the trajectories from, found {found}; to do: take 100 to 1000, or plain trajectories"
    )]
    Candidates {
        /// Asked for.
        found: u64,
        /// Trajectories to choose.
        least: u64,
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
        "expected constraints that leave enough of the space, found that they leave less than about 1 in {one_in}; to do: narrow the ranges of the parameters in {constraints}"
    )]
    TooTight {
        /// The constraints.
        constraints: String,
        /// The share they leave, inverted.
        one_in: u64,
    },
    /// Constraints that exclude every row of a grid.
    #[error(
        "expected constraints that leave some row of the grid, found that {constraints} leave none; to do: take more values, or a full grid"
    )]
    NothingLeft {
        /// The constraints.
        constraints: String,
    },
    /// A continuous parameter of which fewer than two values are to be taken.
    #[error("expected at least 2 values of a continuous parameter, found {found}; to do: take 4 or more")]
    Values {
        /// Values asked for.
        found: u64,
    },
    /// Strata that no arrangement found satisfies the constraints with.
    #[error(
        "expected constraints that a Latin hypercube can keep, found no arrangement of its strata that satisfies {constraints} in every row; to do: use mc, halton or sobol, which skip such rows, or narrow the ranges"
    )]
    NoArrangement {
        /// The constraints.
        constraints: String,
    },
    /// A constraint that the design has no freedom to satisfy.
    #[error(
        "expected no constraint that excludes rows of `{method}`, found `{constraint}`; to do: use mc, halton or sobol, which skip such rows"
    )]
    Unkept {
        /// The method.
        method: &'static str,
        /// The constraint.
        constraint: String,
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
    /// A nested Latin hypercube that is not to be doubled.
    #[error(
        "expected {size} times a power of two, to which a nested lhs grows, found {found}; to do: ask for {next}"
    )]
    NotDoubled {
        /// Its size.
        size: u64,
        /// What was asked for.
        found: u64,
        /// The next size above.
        next: u128,
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
