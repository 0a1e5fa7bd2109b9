//! Arguments of `onceflow tune`.

use std::path::PathBuf;

use clap::Args;
use onceflow_engine::PictureChoice;

use super::heading::REUSE;
use super::run::{AllowArgs, MachineArgs, pictures};

/// Arguments of `tune`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow tune study.toml -o runs/tune
  onceflow tune study.toml -o runs/tune --evaluations 200
  onceflow tune study.toml -o runs/tune --json | jq .held_out
  onceflow segment slide.svs --params runs/tune/best.json -o nuclei.png

A study without a phase that tunes (method = \"tune\") gets one in place of its phases. Rows are run on some of
the slides; the gain is measured on the others, which took no part. Columns slide and patient of the
sheet of images say which images belong together; without them every file is a slide of its own.
After Ctrl-C or a crash, the same command continues where the run ended.")]
pub(crate) struct TuneArgs {
    /// The study
    pub(crate) study: PathBuf,
    /// Folder for the results; created if missing
    #[arg(short, value_name = "DIR", required_unless_present = "dry_run")]
    pub(crate) o: Option<PathBuf>,
    /// Rows to run, that of the defaults included [default: the study's, else 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    pub(crate) evaluations: Option<u64>,
    /// Seed of the proposals, and of which slides are held out [default: the study's]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Write events as JSON lines into a file or a pipe [env: ONCEFLOW_EVENTS]
    #[arg(long, value_name = "FILE", help_heading = REUSE)]
    pub(crate) events: Option<PathBuf>,
    /// Pictures in the report: auto, all or none [default: auto] [env: ONCEFLOW_PICTURES]
    #[arg(long, value_name = "WHICH", help_heading = REUSE, value_parser = pictures)]
    pub(crate) pictures: Option<PictureChoice>,
    /// Replace the results of another study in the folder
    #[arg(long, help_heading = REUSE)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Show what would be computed, with random rows in place of proposals, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object; the readable answer goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
}
