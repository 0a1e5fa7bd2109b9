//! `onceflow report`: what can be said.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow report runs/first            print the answer again
  onceflow report runs/first --json     the account of the run for scripts")]
pub(crate) struct ReportArgs {
    /// The folder of a run
    pub(crate) folder: PathBuf,
    /// Print the run's JSON object in place of the text
    #[arg(long)]
    pub(crate) json: bool,
}
