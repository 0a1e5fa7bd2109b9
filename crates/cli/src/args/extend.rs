//! Arguments of `onceflow extend`.

use std::path::PathBuf;

use clap::Args;

use super::SampleFormatWord;

/// Arguments of `extend`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow extend --problem study.toml -X X.csv --n 40 -o X2.csv
  onceflow extend --problem study.toml -X X.csv --n 40 --new-only -o more.csv

The larger sample begins with the smaller one, bit for bit, so no row is run twice: run the rows
of --new-only, append their results to Y, and analyse with X2.csv.")]
pub(crate) struct ExtendArgs {
    /// The study or problem of the sample
    #[arg(long, value_name = "FILE")]
    pub(crate) problem: PathBuf,
    /// The sample, with its design beside it
    #[arg(short = 'X', long = "sample", value_name = "X")]
    pub(crate) sample: PathBuf,
    /// The new size: trajectories, base rows or rows in all
    #[arg(long, value_name = "N")]
    pub(crate) n: u64,
    /// Write the new rows only
    #[arg(long)]
    pub(crate) new_only: bool,
    /// Format of the table [default: json for a file name with .json, else csv]
    #[arg(long, value_enum)]
    pub(crate) format: Option<SampleFormatWord>,
    /// Output file; - is standard output, which is the default
    #[arg(short, long, value_name = "X2")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file that onceflow did not write, or that was changed since
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print a summary of the sample as one JSON object (needs -o or --dry-run)
    #[arg(long)]
    pub(crate) json: bool,
}
