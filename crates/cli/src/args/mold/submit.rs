//! Arguments of `onceflow mold submit` and `onceflow mold follow`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use onceflow_engine::RemoteSite;
use onceflow_study::parse_duration;

use super::{PerformanceArgs, PolicyWord, alpha};
use crate::args::heading::MACHINE;
use crate::args::run::AllowArgs;

/// Arguments of `mold submit`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow mold submit workflow.json --on slurm -o runs/first --dry-run      the scripts
  onceflow mold submit workflow.json --on slurm -o runs/first --allow-commands
  onceflow mold submit workflow.json --on pbs -o runs/first --plan plan.json --allow-commands
  onceflow mold submit workflow.json --on slurm -o runs/first --ssh login.site:/scratch/me/first --allow-commands

Each task is one job, with its nodes as a whole, and waits for those before it. The workflow names what tasks run:
\"commands\": {\"ST\": \"st --input $ONCEFLOW_TASK\"} by type, or \"command\" of a task; ONCEFLOW_NODES is its number of nodes.
\"programs\": {\"st\": {\"file\": \"bin/st\", \"blake3\": \"...\"}} registers files that commands call by name. The table [site]
of the profile says what the site wants of jobs. Then: onceflow mold follow DIR.")]
pub(crate) struct SubmitArgs {
    /// The workflow
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The folder of the submission, new or empty; nodes must see it
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// The batch system
    #[arg(long, value_enum, value_name = "SYSTEM")]
    pub(crate) on: SystemWord,
    /// The plan, as mold optimize --json printed it [default: the best one, searched now]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["alpha", "gosa"])]
    pub(crate) plan: Option<PathBuf>,
    /// Weight of the makespan beside the cost, from 0 to 1 [default: 0.5]
    #[arg(long, value_name = "A", value_parser = alpha, conflicts_with = "gosa")]
    pub(crate) alpha: Option<f64>,
    /// A static allocation, paid as a whole: the makespan alone
    #[arg(long)]
    pub(crate) gosa: bool,
    /// The rule by which the plan is simulated [default: the file's, else easy]
    #[arg(long, value_enum, value_name = "RULE")]
    pub(crate) policy: Option<PolicyWord>,
    /// Measurements for tasks without durations
    #[arg(long, value_name = "FILE")]
    pub(crate) performance: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) known: PerformanceArgs,
    /// Seed of the search
    #[arg(long, value_name = "S", default_value_t = 0, env = "ONCEFLOW_SEED", hide_env_values = true)]
    pub(crate) seed: u64,
    /// End the search then at the latest, such as '10 s'
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) at_most: Option<Duration>,
    /// The machine that has the commands of the batch system, and a folder there; files travel by rsync
    #[arg(long, value_name = "HOST:FOLDER", value_parser = RemoteSite::parse)]
    pub(crate) ssh: Option<RemoteSite>,
    /// Plan without the jobs that are on the cluster now
    #[arg(long)]
    pub(crate) no_load: bool,
    /// Settings for all studies, with the table site: a TOML file, or the name of one in the folder onceflow of the
    /// user's configuration [default: profile.toml in that folder, if it exists]
    #[arg(long, value_name = "PROFILE", env = "ONCEFLOW_PROFILE", hide_env_values = true, help_heading = MACHINE)]
    pub(crate) profile: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    /// Print the scripts, and submit nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Batch systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SystemWord {
    /// Slurm: sbatch, squeue, sacct, scancel
    Slurm,
    /// PBS: qsub, qstat, qselect, qdel
    Pbs,
}

/// Arguments of `mold follow`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow mold follow runs/first
  onceflow mold follow runs/first --collect runs.csv      adds the measured durations to a table
  onceflow mold follow runs/first --cancel

Ctrl-C, or the end of this process, changes nothing for the jobs: the same command goes on. A job that reaches its limit is
submitted once more with twice the limit. At the end predictions stand beside what was measured, also in DIR/result.json;
DIR/performance.csv has the durations. Exit code 1: some tasks failed.")]
pub(crate) struct FollowArgs {
    /// The folder of a submission
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Between two questions to the batch system
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10 s")]
    pub(crate) poll: Duration,
    /// Cancel its jobs
    #[arg(long)]
    pub(crate) cancel: bool,
    /// Add the measured durations to this table of measurements (.csv or .json), which is made where there is none
    #[arg(long, value_name = "FILE")]
    pub(crate) collect: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
