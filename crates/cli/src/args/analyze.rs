//! Arguments of `onceflow analyze`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `analyze`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow analyze --problem study.toml --method morris -X X.csv -Y Y.csv
  onceflow analyze --problem study.toml --method vbd -X X.csv -Y Y.csv --json > indices.json
  onceflow analyze --problem params.txt --method vbd -Y Y.txt      rows in SALib's order
  onceflow analyze --problem study.toml --method pawn -X X.csv -Y Y.csv --output dice --plots plots/

Y has one line per row, matched by the column `row`: in any order, with rows missing, with a
column `status`, or with an empty value, `nan` or `fail` for a failed row. A column of numbers
without a header is taken in the order of X. A method refuses the rows of another method's design,
which it recognises by their roles.")]
pub(crate) struct AnalyzeArgs {
    /// The study or problem of the sample
    #[arg(long, value_name = "FILE")]
    pub(crate) problem: PathBuf,
    /// Method of analysis [default: the phase's]
    #[arg(long, value_enum, required_unless_present = "phase")]
    pub(crate) method: Option<TechniqueWord>,
    /// The sample; may be left out for vbd when Y is in SALib's row order
    #[arg(short = 'X', long = "sample", value_name = "X")]
    pub(crate) sample: Option<PathBuf>,
    /// The results
    #[arg(short = 'Y', long = "results", value_name = "Y")]
    pub(crate) results: PathBuf,
    /// Compute second-order indices too (vbd, for a sample made with --second-order)
    #[arg(long)]
    pub(crate) second_order: bool,
    /// Estimator of variance-based indices [default: the phase's, else controlled; saltelli where X or the result is in
    /// SALib's format, so that both agree]
    #[arg(long, value_enum)]
    pub(crate) estimator: Option<EstimatorWord>,
    /// How failed rows are treated [default: the study's, else drop]
    #[arg(long, value_enum, env = "ONCEFLOW_FAILURES", hide_env_values = true)]
    pub(crate) failures: Option<FailuresWord>,
    /// Parameters above this are influential: a share of the variance, or of the largest mu* [default: 0.05; morris 0.10]
    #[arg(long, value_name = "SHARE", env = "ONCEFLOW_THRESHOLD", hide_env_values = true)]
    pub(crate) threshold: Option<f64>,
    /// Confidence level of the intervals [default: the study's, else 0.95]
    #[arg(long, value_name = "P", env = "ONCEFLOW_CONFIDENCE", hide_env_values = true)]
    pub(crate) confidence: Option<f64>,
    /// Number of bootstrap resamples [default: the study's, else 1000]
    #[arg(long, value_name = "COUNT", env = "ONCEFLOW_RESAMPLES", hide_env_values = true)]
    pub(crate) resamples: Option<usize>,
    /// Seed of the bootstrap [default: the problem's, else 0]
    #[arg(long, value_name = "S", env = "ONCEFLOW_SEED", hide_env_values = true)]
    pub(crate) seed: Option<u64>,
    /// Only this output; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub(crate) output: Vec<String>,
    /// The phase of the study that the sample belongs to
    #[arg(long, value_name = "NAME")]
    pub(crate) phase: Option<String>,
    /// Format of the result [default: text]
    #[arg(long, value_enum, conflicts_with = "json")]
    pub(crate) format: Option<IndicesFormat>,
    /// The same as --format json
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the plots as SVG into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
    /// Output file; - is standard output, which is the default
    #[arg(short, value_name = "FILE")]
    pub(crate) o: Option<PathBuf>,
    /// Replace an existing file that onceflow did not write, or that was changed since
    #[arg(long)]
    pub(crate) force: bool,
}

impl AnalyzeArgs {
    /// The format of the result.
    pub(crate) fn format(&self) -> IndicesFormat {
        if self.json { IndicesFormat::Json } else { self.format.unwrap_or(IndicesFormat::Text) }
    }

    /// Whether the result is printed as JSON.
    pub(crate) fn wants_json(&self) -> bool {
        self.format() == IndicesFormat::Json
    }
}

/// Methods of analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TechniqueWord {
    /// Variance-based decomposition of a Saltelli design
    #[value(aliases = ["saltelli", "sobol"])]
    Vbd,
    /// Elementary effects of a Morris design
    #[value(alias = "moat")]
    Morris,
    /// Pearson, Spearman, PCC, PRCC, SRC, SRRC
    Correlation,
    /// First-order indices of any rows
    RbdFast,
    /// Borgonovo's delta of any rows
    Delta,
    /// PAWN of any rows
    Pawn,
}

/// Estimators of variance-based indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EstimatorWord {
    /// Saltelli's and Jansen's with a polynomial control, where X has replicates: the narrowest intervals
    Controlled,
    /// Saltelli 2010, centred, and Jansen 1999: what SALib computes
    Saltelli,
    /// Janon 2014
    Janon,
    /// Martinez 2011
    Martinez,
}

/// How failed rows are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailuresWord {
    /// Leave out the effects they take part in
    Drop,
    /// Drop them, and widen the intervals by their worst possible values
    Bounds,
    /// Refuse to analyse, with exit code 1
    Stop,
}

/// Formats of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndicesFormat {
    /// A table to read
    Text,
    /// One JSON object with a version
    Json,
    /// The keys of SALib's result
    Salib,
    /// One line per output and parameter
    Csv,
}
