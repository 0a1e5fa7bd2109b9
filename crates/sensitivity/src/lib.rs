//! Samplers and sensitivity analysers with honest intervals.
//!
//! [`Sample`] is what is asked (rows with the role each plays in its design), [`Outputs`] is what was answered, matched
//! by row number, with failures in it; [`Analysis`] is what follows. This crate does not know that workflows run: it
//! has no clock, no I/O, and no randomness without a seed.

mod analyser;
mod analysis;
mod control;
mod effects;
mod number;
mod oracle;
mod outputs;
mod phase;
mod plot;
mod quantile;
mod random;
mod reference;
mod report;
mod sample;
mod sampler;
mod sums;
mod table;

pub use analyser::{AnalyzeError, Convergence, analyze, convergence};
pub use analysis::{
    Analysis, Correlation, Delta, Estimate, Estimator, FailurePolicy, Failures, Indices, IntervalMethod,
    MorrisIndex, Options, OutputAnalysis, Pawn, RbdFast, SecondOrder, Technique, VarianceIndex, Verdict,
};
pub use effects::read_effects;
pub use oracle::{Oracle, Truth};
pub use outputs::{Outputs, Status};
pub use phase::{Narrowed, narrow, widen};
pub use plot::{PlotKind, Progress, ProgressLine, convergence_plot, plot, plot_kinds};
pub use reference::{with_reference, without_reference};
pub use report::{
    analysis_to_csv, analysis_to_json, analysis_to_salib, bar, pairs_to_csv, render_text, share_decimals,
    share_text,
};
pub use sample::{Role, Row, Sample};
pub use sampler::{SampleError, extend, reference_row, sample, warnings};
pub use table::{
    DakotaTable, Layout, SampleFormat, SampleOptions, TableError, assume_rows, design_from_json,
    design_to_json, read_outputs, read_sample, write_sample,
};
