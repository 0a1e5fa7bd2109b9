//! `onceflow status`: what can be said.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `status`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow status runs/first                 how far is it?
  onceflow status runs/first --watch         the same, until it is over
  onceflow status runs/first --json | jq .instances

It reads what the run leaves in its folder, so that it works from another terminal, another machine with the same disk, and
after the run. Exit codes: 0 running or complete, 1 stopped or interrupted before its end.")]
pub(crate) struct StatusArgs {
    /// The folder of a run
    pub(crate) folder: PathBuf,
    /// Say it again every second, until the run is over
    #[arg(long)]
    pub(crate) watch: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
