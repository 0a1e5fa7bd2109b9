//! Who carries out a run, and how it chooses: what can be said of it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onceflow_engine::Policy;

/// The executor of a run.
#[derive(Debug, Args)]
pub(crate) struct ExecutorArgs {
    /// Who carries out the tasks [default: threads]
    #[arg(long, value_enum, value_name = "WHO", requires_if("simulated", "machine_file"))]
    pub(crate) executor: Option<ExecutorWord>,
    /// The machine to simulate, a TOML file; no pixel is computed, -o gets the trace alone
    #[arg(long = "machine", value_name = "FILE", requires = "executor")]
    pub(crate) machine_file: Option<PathBuf>,
    /// How the next task is chosen: reservation, fcfs or rmsr:K; simulated also pats, each with +locality and +prefetch
    /// [default: reservation]
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    pub(crate) policy: Option<Policy>,
    /// The folder of an earlier run of the study: what it found to be equal, and the objects that it knew, are not computed
    /// in the simulation either
    #[arg(long, value_name = "RUN", requires = "machine_file")]
    pub(crate) replay: Option<PathBuf>,
    /// Simulated tasks take up to this share more or less than they cost
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.0,
        requires = "machine_file",
        hide_short_help = true
    )]
    pub(crate) noise: f64,
    /// How often a simulated node is lost, per hour
    #[arg(
        long,
        value_name = "RATE",
        default_value_t = 0.0,
        requires = "machine_file",
        hide_short_help = true
    )]
    pub(crate) node_losses: f64,
    /// The share of tries of simulated tasks that fail for a reason that passes
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.0,
        requires = "machine_file",
        hide_short_help = true
    )]
    pub(crate) task_failures: f64,
}

/// Who carries out tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExecutorWord {
    /// Threads of this machine
    Threads,
    /// Nobody: virtual time on the machine of --machine, from costs
    Simulated,
}

fn policy(text: &str) -> Result<Policy, String> {
    Policy::parse(text).map_err(|error| error.to_string())
}
