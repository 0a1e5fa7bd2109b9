//! Why a duration cannot be estimated or a table not be read.

/// Why a duration cannot be estimated or a table not be read; texts say what to measure or to change.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScalingError {
    /// No measurement at all.
    #[error(
        "no measured durations of {task}; measure it on at least two numbers of nodes, such as {proposed}"
    )]
    Empty {
        /// What was asked for.
        task: String,
        /// Numbers of nodes worth measuring.
        proposed: String,
    },
    /// A number of nodes beyond those measured.
    #[error(
        "{nodes} nodes: measured are {least} to {most} nodes; measure there, or choose how to continue (extrapolate, hold)"
    )]
    Outside {
        /// What was asked for.
        nodes: u64,
        /// The least measured.
        least: u64,
        /// The most measured.
        most: u64,
    },
    /// One number of nodes says nothing about another.
    #[error("only {0} nodes were measured; measure a second number of nodes")]
    OnePoint(u64),
    /// A point that is not valid.
    #[error("expected a number of nodes from 1 and a duration above 0, found {nodes} nodes and {seconds} s")]
    Point {
        /// Its nodes.
        nodes: u64,
        /// Its duration.
        seconds: f64,
    },
    /// Sizes that have no number of nodes in common.
    #[error(
        "the measured sizes have no number of nodes in common; measure the same numbers of nodes for each size"
    )]
    NothingCommon,
    /// A line of a table that is no record.
    #[error("line {line}: expected {expected}, found {found}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What should stand there.
        expected: String,
        /// What does.
        found: String,
    },
}
