//! Why outputs cannot be analysed, or factors not be chosen.

use crate::Technique;

/// Why a sample and its outputs cannot be analysed as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AnalyzeError {
    /// Sizes do not fit together.
    #[error(
        "expected {expected} {what}, found {found}; to do: give each row of the sample its outputs, in its order"
    )]
    Size {
        /// What is counted.
        what: String,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// There is nothing to analyse.
    #[error(
        "expected at least one row and one output, found {rows} rows and {outputs} outputs; to do: check that the files are not empty"
    )]
    Nothing {
        /// Rows there are.
        rows: usize,
        /// Outputs there are.
        outputs: usize,
    },
    /// An option is out of its range.
    #[error("expected {name} to be {expected}, found {found}; to do: change the option")]
    Option {
        /// Name of the option.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
    /// The rows were made for another technique.
    #[error("expected rows of a {expected} design for {}, found {found}; to do: {to_do}", technique.word())]
    Roles {
        /// The technique asked for.
        technique: Technique,
        /// The design it needs.
        expected: &'static str,
        /// The role found in its place.
        found: String,
        /// Which technique fits, or which sample to make.
        to_do: String,
    },
    /// A base row or trajectory lacks a row, or has one twice.
    #[error(
        "expected {expected} in {place}, found {found}; to do: analyse the whole sample as it was made, with failed rows left in it"
    )]
    Incomplete {
        /// The base row or trajectory.
        place: String,
        /// The role that must be there once.
        expected: String,
        /// How often it is there.
        found: String,
    },
    /// A role names a factor that is not there.
    #[error("expected a role of this space, which has {factors} factors, found row {row} of factor {}; to do: analyse the sample with the problem it was made for", found + 1)]
    Factor {
        /// Number of the row.
        row: u64,
        /// Factors there are.
        factors: usize,
        /// Place of the factor its role names, from 0.
        found: usize,
    },
    /// The values of a row contradict its role.
    #[error(
        "expected row {row} ({role}) to differ from row {before} in {factor} only, found {found}; to do: analyse the values the sample was made with"
    )]
    Step {
        /// Its number.
        row: u64,
        /// Its role.
        role: String,
        /// Number of the row before, or of the centre.
        before: u64,
        /// The factor that moves.
        factor: String,
        /// What differs.
        found: String,
    },
    /// Second-order indices need rows that are not there.
    #[error(
        "expected rows BA of a second-order design, found a design of n(k+2) rows; to do: sample with second order, or do not ask for second-order indices"
    )]
    NoSecondOrder,
    /// No row of an output can be used.
    #[error(
        "expected at least one row with a finite `{output}`, found {failed} failed and {missing} missing rows; to do: {}",
        if *failed == 0 { "give their results" } else { "look at why they failed" }
    )]
    AllFailed {
        /// Name of the output.
        output: String,
        /// Failed rows.
        failed: usize,
        /// Missing rows.
        missing: usize,
    },
    /// Rows failed and the policy is to stop.
    #[error("expected no failed row of `{output}` (failures: stop), found {count}: rows {}; to do: run them again, or choose the policy drop or bounds", first_few(rows, *count))]
    Stopped {
        /// Name of the output.
        output: String,
        /// Rows that failed or are missing.
        count: usize,
        /// Numbers of the first ones.
        rows: Vec<u64>,
    },
}

fn first_few(rows: &[u64], count: usize) -> String {
    let shown: Vec<String> = rows.iter().map(u64::to_string).collect();
    let more = if count > rows.len() { ", …" } else { "" };
    shown.join(", ") + more
}
