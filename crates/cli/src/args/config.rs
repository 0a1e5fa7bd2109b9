//! Arguments of `onceflow config`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::deferred::Deferred;
use super::merge::MergeArgs;
use super::run::{GrowthArgs, MachineArgs};

/// Arguments of `config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) verb: ConfigVerb,
}

/// Verbs of `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// Print each setting with its value and where the value comes from
    Show(Deferred<ConfigShowArgs>),
}

/// Arguments of `config show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow config show                          the settings of a study that sets none
  onceflow config show study.toml               with the settings of a study
  onceflow config show study.toml --workers 8   and of the command line
  onceflow config show --profile lab --json

A value comes from the command line, else from the environment (ONCEFLOW_WORKERS), else from [run]
of the study, else from the profile, else from the machine.")]
pub(crate) struct ConfigShowArgs {
    /// The study
    pub(crate) study: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) growth: GrowthArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    #[command(flatten)]
    pub(crate) merge: MergeArgs,
    /// Print one JSON object in place of the table
    #[arg(long)]
    pub(crate) json: bool,
}
