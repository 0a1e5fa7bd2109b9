//! Problems written for other tools. What a format cannot say is refused, or named among the losses.

mod dakota;
mod optuna;
mod salib;

pub use dakota::dakota_input;
pub use optuna::optuna_journal;
pub use salib::{salib_parameter_file, salib_problem_json};

/// Why something cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} cannot be written for {format}: expected {expected}, found {found}; to do: {hint}")]
pub struct ExportError {
    /// The format.
    pub format: &'static str,
    /// The parameter or the design.
    pub what: String,
    /// What the format can say.
    pub expected: String,
    /// What there is.
    pub found: String,
    /// What to do next.
    pub hint: String,
}

/// A text, and what it does not say of the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The text.
    pub text: String,
    /// One sentence each; empty when reading the text gives the same problem.
    pub losses: Vec<String>,
}

/// The words for a distribution in messages.
fn describe(distribution: &crate::Distribution) -> &'static str {
    use crate::Distribution as D;
    match distribution {
        D::Uniform => "a uniform distribution",
        D::LogUniform => "a log-uniform distribution",
        D::Triangular { .. } => "a triangular distribution",
        D::Normal { .. } => "a normal distribution",
        D::LogNormal { .. } => "a log-normal distribution",
        D::Weibull { .. } => "a Weibull distribution",
        D::Weights(_) => "a weight for each value",
    }
}
