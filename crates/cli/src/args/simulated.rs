//! Arguments of the executor: threads or a simulation, and the scheduling policy.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onceflow_engine::Policy;

use super::heading::{EXPERIMENTS, SIMULATION};

/// The executor of a run.
#[derive(Debug, Args)]
pub(crate) struct ExecutorArgs {
    /// What executes tasks [default: threads]
    #[arg(long, value_enum, value_name = "EXECUTOR", help_heading = SIMULATION, requires_if("simulated", "machine_file"))]
    pub(crate) executor: Option<ExecutorWord>,
    /// Machine to simulate, a TOML file; no pixel is computed, and -o gets the trace only
    #[arg(long = "machine", value_name = "FILE", help_heading = SIMULATION, requires = "executor")]
    pub(crate) machine_file: Option<PathBuf>,
    /// Scheduling policy, which chooses the next task: reservation, fcfs or rmsr:K; in simulations also pats, and
    /// +locality and +prefetch after each [default: reservation] [env: ONCEFLOW_POLICY]
    #[arg(long, value_name = "POLICY", help_heading = EXPERIMENTS, value_parser = policy)]
    pub(crate) policy: Option<Policy>,
    /// Folder of an earlier run of the study, whose convergent tasks and objects the simulation reuses too
    #[arg(long, value_name = "RUN", help_heading = SIMULATION, requires = "machine_file")]
    pub(crate) replay: Option<PathBuf>,
    /// Simulated tasks take up to this share more or less time than their cost
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.0,
        help_heading = SIMULATION,
        requires = "machine_file",
        hide_short_help = true
    )]
    pub(crate) noise: f64,
    /// Rate at which each simulated node fails, per hour
    #[arg(
        long,
        value_name = "RATE",
        default_value_t = 0.0,
        help_heading = SIMULATION,
        requires = "machine_file",
        hide_short_help = true
    )]
    pub(crate) node_losses: f64,
    /// Share of attempts of simulated tasks that fail and are repeated
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.0,
        help_heading = SIMULATION,
        requires = "machine_file",
        hide_short_help = true
    )]
    pub(crate) task_failures: f64,
}

/// What executes tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExecutorWord {
    /// Threads on this machine
    Threads,
    /// A simulation in virtual time of the machine of --machine, from measured costs
    Simulated,
}

fn policy(text: &str) -> Result<Policy, String> {
    Policy::parse(text).map_err(|error| error.to_string())
}
