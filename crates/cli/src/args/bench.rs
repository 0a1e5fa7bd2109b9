//! `onceflow bench`: what can be said.

use clap::{Args, ValueEnum};

/// Arguments of `bench`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow bench sensitivity
  onceflow bench sensitivity --json > figures.json
  onceflow bench run                            on synthetic tissue
  onceflow bench run --image tile.png           on yours")]
pub(crate) struct BenchArgs {
    /// What to measure
    #[arg(value_enum)]
    pub(crate) subject: BenchSubject,
    /// Image for `run`: a file, or tissue such as synth:1000x1000?seed=7
    #[arg(long, value_name = "FILE")]
    pub(crate) image: Option<String>,
    /// Print one JSON object in place of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Python that has the peer (SALib); else `.peers/bin/python` (made by scripts/peers), then `python3`
    #[arg(long, env = "ONCEFLOW_PYTHON", value_name = "PROGRAM", conflicts_with = "no_peer")]
    pub(crate) python: Option<String>,
    /// Leave the peer out
    #[arg(long)]
    pub(crate) no_peer: bool,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchSubject {
    /// Samplers and analysers: speed, error against known indices, cover of the intervals
    Sensitivity,
    /// Levels of reuse: what each leaves of a screening study, in time and in cost; what scheduling itself takes
    Run,
}
