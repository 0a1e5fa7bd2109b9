//! Samplers and sensitivity analysers with honest intervals.
//!
//! [`Sample`] is what is asked (rows with the role each plays in its design), [`Outputs`] is what was answered, matched
//! by row number, with failures in it; [`Analysis`] is what follows. This crate does not know that workflows run: it
//! has no clock, no I/O, and no randomness without a seed.

mod analyser;
mod analysis;
mod oracle;
mod outputs;
mod plot;
mod quantile;
mod random;
mod sample;
mod sampler;

pub use analyser::{AnalyzeError, Convergence, KeepError, analyze, convergence, keep};
pub use analysis::{
    Analysis, Correlation, Delta, Estimate, Estimator, FailurePolicy, Failures, Indices, IntervalMethod,
    MorrisIndex, Options, OutputAnalysis, Pawn, RbdFast, SecondOrder, Technique, VarianceIndex, Verdict,
};
pub use oracle::{Oracle, Truth};
pub use outputs::{Outputs, Status};
pub use plot::{PlotKind, Progress, ProgressLine, convergence_plot, plot, plot_kinds};
pub use sample::{Role, Row, Sample};
pub use sampler::{SampleError, extend, reference_row, sample, warnings};
