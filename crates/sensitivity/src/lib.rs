//! Samplers and sensitivity analysers with reliable intervals.
//!
//! [`Sample`] is the input of a model (rows with their roles in a design), [`Outputs`] its results, matched by row number,
//! including failures; [`Analysis`] is computed from both. This crate does not know that workflows run: it has no clock, no
//! I/O, and no randomness without a seed.
//!
//! # The way in
//!
//! 1. [`sample`] makes the rows of a design; [`extend`] makes more of them without changing one; [`write_sample`]
//!    and [`read_sample`] carry them through files.
//! 2. Your model computes the rows; [`Outputs::single`] holds the results, [`read_outputs`] reads them.
//! 3. [`analyze`] gives indices with intervals and verdicts; [`convergence`] shows how they settle.
//! 4. [`render_text`], [`analysis_to_json`], [`analysis_to_csv`] and [`plot`] write the result.
//!
//! ```
//! use onceflow_sensitivity::{AnalysisOptions, Outputs, Technique, Verdict, analyze, render_text, sample};
//! use onceflow_study::{Design, Domain, Method, Parameter, SaltelliDesign, Space};
//!
//! let unit = || Domain::Continuous { from: 0.0, to: 1.0 };
//! let parameters = ["gain", "shift", "idle"].map(|name| Parameter::new(name, unit()));
//! let space = Space::new(parameters.to_vec(), Vec::new())?;
//!
//! let saltelli = SaltelliDesign { base: 256, second_order: false, replicates: SaltelliDesign::REPLICATES };
//! let rows = sample(&space, &Design { method: Method::Saltelli(saltelli), seed: 7 })?;
//!
//! let model = |x: &[f64]| x[0] * x[0] + 0.5 * x[1];
//! let outputs = Outputs::single("score", (0..rows.len()).map(|row| model(rows.numbers(row))).collect());
//!
//! let analysis = analyze(&space, &rows, &outputs, &AnalysisOptions::new(Technique::Vbd))?;
//! let verdicts = &analysis.outputs[0].verdicts;
//! assert_eq!(*verdicts, [Verdict::Influential, Verdict::Influential, Verdict::NotInfluential]);
//! println!("{}", render_text(&analysis));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
mod study_options;
mod sums;
pub mod svg;
mod table;
mod tuner;

pub use analyser::{AnalyzeError, PartialAnalysis, analyze, convergence};
pub use analysis::{
    Analysis, AnalysisOptions, Correlation, Delta, Estimator, FailurePolicy, Failures, IndexEstimate,
    Indices, IntervalMethod, MorrisIndex, OutputAnalysis, Pawn, RbdFast, SecondOrder, Technique,
    VarianceIndex, Verdict,
};
pub use effects::read_effects;
pub use oracle::{ExactIndices, HeldOut, Oracle};
pub use outputs::{OutputStatus, Outputs};
pub use phase::looks::{AfterLook, GrowthState, Looks, is_decided, leading_verdicts};
pub use phase::{Narrowed, narrow, widen};
pub use plot::{IndexProgress, PlotAxis, PlotKind, ProgressCurve, convergence_plot, plot, plot_kinds};
pub use reference::{with_reference, without_reference};
pub use report::{
    EffectLine, EffectTable, aligned, analysis_from_json, analysis_to_csv, analysis_to_json,
    analysis_to_salib, bar, effect_table, pairs_to_csv, render_text, share_decimals, share_text,
    short_number,
};
pub use sample::{RowRole, Sample, SampleRow};
pub use sampler::{SampleError, check_size, extend, reference_row, sample, warnings};
pub use table::{
    DakotaTable, SampleFormat, SampleOptions, TableError, TableLayout, assume_rows, csv_lines,
    design_from_json, design_to_json, number_text, outputs_from_values, read_outputs, read_sample,
    sample_from_values, write_sample,
};
pub use tuner::{
    GainInterval, LEAST_SLIDES, TellError, TuneFlip, TuneOutcome, TuneProposal, Tuner, TunerOptions,
    gain_interval, hypervolume, pareto_front, shuffled,
};
