//! Arguments of `onceflow demo`.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::MachineArgs;

/// Sides that the tissue may have: large enough for a nucleus, small enough to be one part.
pub(crate) const SIDES: RangeInclusive<u64> = 64..=4096;

/// Arguments of `demo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow demo                       which of 15 parameters matter for the nuclei we find?
  onceflow demo --seed 7 -o tissue-7  other tissue, another folder
  onceflow demo --function ishigami   the textbook function, with its exact indices

The folder gets tissue.png, truth.png, study.toml and the files of onceflow run. The folder of an
earlier demo is replaced; any other folder that is not empty is refused.")]
pub(crate) struct DemoArgs {
    /// Folder for the tissue, the study and the results
    #[arg(short, long, value_name = "DIR", default_value = "onceflow-demo", conflicts_with = "function")]
    pub(crate) output: PathBuf,
    /// Side of the tissue in pixels
    #[arg(long, value_name = "PX", default_value_t = 512, conflicts_with = "function", value_parser = clap::value_parser!(u64).range(SIDES))]
    pub(crate) size: u64,
    /// Seed of the tissue, the designs and the bootstrap
    #[arg(long, value_name = "S", default_value_t = 2026, env = "ONCEFLOW_SEED", hide_env_values = true, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(crate) seed: u64,
    /// Analyse a built-in function in place of tissue; writes no files
    #[arg(long, value_enum)]
    pub(crate) function: Option<DemoFunction>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Print one JSON object, as onceflow run does; the answer for people goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
}

/// The built-in functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DemoFunction {
    /// Ishigami and Homma (1990): three inputs, one of which acts only by interaction
    Ishigami,
    /// Sobol' G: eight inputs of falling importance
    SobolG,
    /// Morris (1991): twenty inputs, ten of which have little effect
    #[value(name = "morris-20")]
    Morris20,
    /// Six discrete parameters with a rough term, like the metric of a workflow
    RoughDiscrete,
}
