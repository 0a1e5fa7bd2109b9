//! Arguments of `onceflow status`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `status`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow status runs/first                 progress and remaining time
  onceflow status runs/first --watch         again every second, until the run ends
  onceflow status runs/first --json | jq .instances

It reads files in the folder of the run, so that it works from another terminal, from another
machine with the same disk, and after the run. Exit codes: 0 running or complete, 1 stopped or
interrupted before its end.")]
pub(crate) struct StatusArgs {
    /// The folder of a run
    pub(crate) folder: PathBuf,
    /// Repeat every second, until the run ends
    #[arg(long)]
    pub(crate) watch: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
