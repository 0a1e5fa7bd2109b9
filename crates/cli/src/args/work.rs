//! Arguments of `onceflow work`, and of runs that are computed by such workers.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onceflow_engine::WorkEngine;

use super::heading::MANY;
use super::run::{AllowArgs, MachineArgs};

/// Arguments of `work`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow run study.toml -o runs/first --on folder      hands out buckets and waits for workers
  onceflow work runs/first                               on each machine that shares the folder
  onceflow work runs/first --workers 8 --memory '16 GiB'
  onceflow work runs/first --bucket 17                   one bucket, such as a job of another engine

A worker takes buckets until none is left and the run is over. Start as many as you like, at any time; a bucket whose
worker is gone is computed again by another. Ctrl-C gives the bucket back with the rows that are done.")]
pub(crate) struct WorkArgs {
    /// The folder of a run that was started with --on
    pub(crate) folder: PathBuf,
    /// Compute this bucket of the phase that is being computed, and end
    #[arg(long, value_name = "K")]
    pub(crate) bucket: Option<usize>,
    /// Name of this worker, which no other has [default: made of host and process]
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<String>,
    /// The token of the run: a folder with another is refused
    #[arg(long, hide = true)]
    pub(crate) token: Option<String>,
    /// End when standard input is closed
    #[arg(long, hide = true)]
    pub(crate) until_closed: bool,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Print one JSON object at the end
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who computes the buckets of a run.
#[derive(Clone, Debug, Args)]
pub(crate) struct OnArgs {
    /// Other processes compute the rows: local:N (N of this machine), slurm:N or pbs:N (N tasks of array jobs; the table
    /// `site` of the profile says what they need), or folder (onceflow work DIR on machines that share the folder)
    /// [default: threads of this process]
    #[arg(long, value_name = "WHERE", help_heading = MANY, value_parser = engine)]
    pub(crate) on: Option<WorkEngine>,
    /// Seconds without a sign of a worker after which its bucket is computed by another
    #[arg(long, value_name = "SECONDS", help_heading = MANY, default_value_t = 30, value_parser = clap::value_parser!(u64).range(2..=86400), requires = "on")]
    pub(crate) lease: u64,
    /// Seconds that a bucket should take at most, where its parts are small enough: many short buckets are spread better over
    /// workers, few long ones cost less to hand out
    #[arg(long, value_name = "SECONDS", help_heading = MANY, default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86400), requires = "on")]
    pub(crate) bucket_time: u64,
    /// What Ctrl-C does with jobs of slurm and pbs: cancel, or leave them, so that the same command finds their results
    #[arg(long, value_enum, value_name = "WHAT", help_heading = MANY, default_value = "cancel", requires = "on")]
    pub(crate) on_interrupt: InterruptWord,
}

/// What happens to jobs when their run is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InterruptWord {
    /// They are cancelled
    Cancel,
    /// They stay
    Leave,
}

pub(super) fn engine(text: &str) -> Result<WorkEngine, String> {
    WorkEngine::parse(text)
}

/// Names become names of files.
fn name(text: &str) -> Result<String, String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if !text.is_empty() && text.len() <= 100 && text.bytes().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err("expected 1 to 100 letters, digits, - and _".to_owned())
    }
}
