//! `onceflow demo`: what can be said.

use clap::{Args, ValueEnum};

/// Arguments of `demo`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow demo                       a score like that of an image workflow: discrete, rough
  onceflow demo --function ishigami   the textbook's function
  onceflow demo --json | jq '.phases[1].outputs[0].parameters'")]
pub(crate) struct DemoArgs {
    /// Which function to ask
    #[arg(long, value_enum, default_value = "rough-discrete")]
    pub(crate) function: DemoFunction,
    /// Seed of the designs and of the bootstrap
    #[arg(long, value_name = "S", default_value_t = 2026, env = "ONCEFLOW_SEED", hide_env_values = true)]
    pub(crate) seed: u64,
    /// Print one JSON object in place of the tables
    #[arg(long)]
    pub(crate) json: bool,
}

/// The built-in functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DemoFunction {
    /// Ishigami and Homma (1990): three inputs, one of which acts only through another
    Ishigami,
    /// Sobol' G: eight inputs of falling importance
    SobolG,
    /// Morris (1991): twenty inputs, ten of which do nothing much
    #[value(name = "morris-20")]
    Morris20,
    /// Six discrete parameters with a rough term, as a workflow's metric has
    RoughDiscrete,
}
