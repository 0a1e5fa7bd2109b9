//! Descent of a cost: directions, and how far to go along them.

mod directions;
mod search;
mod state;
pub(crate) mod vectors;

use std::fmt;

pub use search::{Cost, Ended, LevelState, TraceRow};
pub(crate) use search::{Objective, OptimiserSearch};
pub use state::StateError;

/// How a level descends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Optimiser {
    /// Limited-memory BFGS with six pairs.
    #[default]
    Lbfgs,
    /// Conjugate gradients.
    Cg,
    /// Steepest descent.
    Descent,
}

impl fmt::Display for Optimiser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Optimiser::Lbfgs => "lbfgs",
            Optimiser::Cg => "cg",
            Optimiser::Descent => "descent",
        })
    }
}
