//! `onceflow bench`: what can be said.

use clap::{Args, ValueEnum};

/// Arguments of `bench`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow bench sensitivity
  onceflow bench sensitivity --json > figures.json")]
pub(crate) struct BenchArgs {
    /// What to measure
    #[arg(value_enum)]
    pub(crate) subject: BenchSubject,
    /// Print one JSON object in place of the table
    #[arg(long)]
    pub(crate) json: bool,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchSubject {
    /// Samplers and analysers: speed, error against known indices, cover of the intervals
    Sensitivity,
}
