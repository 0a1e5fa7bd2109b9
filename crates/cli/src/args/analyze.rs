//! `onceflow analyze`: what can be said.

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
column `status`, or with empty, `nan` or `fail` for what failed. A headerless column of numbers
is taken in the order of X. Rows of a design are refused by the wrong method: their roles say
what they were made for.")]
pub(crate) struct AnalyzeArgs {
    /// The study or problem of the sample
    #[arg(long, value_name = "FILE")]
    pub(crate) problem: PathBuf,
    /// Which indices; without it, what the phase says
    #[arg(long, value_enum, required_unless_present = "phase")]
    pub(crate) method: Option<TechniqueWord>,
    /// The sample; may be left out for vbd when Y is in SALib's row order
    #[arg(short = 'X', long = "sample", value_name = "X")]
    pub(crate) sample: Option<PathBuf>,
    /// The results
    #[arg(short = 'Y', long = "results", value_name = "Y")]
    pub(crate) results: PathBuf,
    /// Second-order indices too (vbd, of a sample made with --second-order)
    #[arg(long)]
    pub(crate) second_order: bool,
    /// Estimator of variance-based indices; without it, what the phase says, or controlled (saltelli where X is a
    /// matrix of SALib's or the results go to it, so that both agree)
    #[arg(long, value_enum)]
    pub(crate) estimator: Option<EstimatorWord>,
    /// What to do with failed rows; without it, what the study says, or drop
    #[arg(long, value_enum, env = "ONCEFLOW_FAILURES", hide_env_values = true)]
    pub(crate) failures: Option<FailuresWord>,
    /// Influential above, not below: a share of the variance, or of the largest mu* (0.05; morris 0.10)
    #[arg(long, value_name = "SHARE", env = "ONCEFLOW_THRESHOLD", hide_env_values = true)]
    pub(crate) threshold: Option<f64>,
    /// Probability of the intervals; without it, what the study says, or 0.95
    #[arg(long, value_name = "P", env = "ONCEFLOW_CONFIDENCE", hide_env_values = true)]
    pub(crate) confidence: Option<f64>,
    /// Bootstrap resamples; without it, what the study says, or 1000
    #[arg(long, value_name = "COUNT", env = "ONCEFLOW_RESAMPLES", hide_env_values = true)]
    pub(crate) resamples: Option<usize>,
    /// Seed of the bootstrap; without it, that of the problem, or 0
    #[arg(long, value_name = "S", env = "ONCEFLOW_SEED", hide_env_values = true)]
    pub(crate) seed: Option<u64>,
    /// Only this output; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub(crate) output: Vec<String>,
    /// The phase of the study that the sample belongs to
    #[arg(long, value_name = "NAME")]
    pub(crate) phase: Option<String>,
    /// Form of the result; without it, text
    #[arg(long, value_enum, conflicts_with = "json")]
    pub(crate) format: Option<IndicesFormat>,
    /// The same as --format json
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the plots as SVG into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) plots: Option<PathBuf>,
    /// Where to write the result; without it, or with -, standard output
    #[arg(short, value_name = "FILE")]
    pub(crate) o: Option<PathBuf>,
}

impl AnalyzeArgs {
    /// The form of the result.
    pub(crate) fn format(&self) -> IndicesFormat {
        if self.json { IndicesFormat::Json } else { self.format.unwrap_or(IndicesFormat::Text) }
    }

    /// Whether a script reads the result.
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

/// What to do with failed rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailuresWord {
    /// Leave out what they take part in
    Drop,
    /// Besides, widen the intervals to the worst they could have been
    Bounds,
    /// Refuse to analyse, with exit code 1
    Stop,
}

/// Forms of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum IndicesFormat {
    /// A table for people
    Text,
    /// One versioned object
    Json,
    /// The keys of SALib's result
    Salib,
    /// One line per output and parameter
    Csv,
}
