//! Arguments of `onceflow mold`.

mod habits;
mod submit;
mod workflow;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use onceflow_study::parse_duration;

use super::deferred::Deferred;
use habits::HabitArgs;
pub(crate) use submit::{FollowArgs, SubmitArgs, SystemWord};
pub(crate) use workflow::WorkflowArgs;

/// Arguments of `mold`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow mold estimate runs.csv --task ST --size 1073741824      how long on how many nodes?
  onceflow mold simulate jobs.json --policy easy                   when does each job start?
  onceflow mold optimize workflow.json --alpha 0.5 --html plan.html
  onceflow mold submit workflow.json --on slurm -o runs/first --allow-commands
  onceflow mold follow runs/first                                  what became of it

Tasks that can run on several numbers of nodes are called moldable. These commands predict what a
batch cluster does with them, choose the numbers, and run them there.")]
pub(crate) struct MoldArgs {
    #[command(subcommand)]
    pub(crate) verb: MoldVerb,
}

/// Verbs of `mold`.
#[derive(Debug, Subcommand)]
pub(crate) enum MoldVerb {
    /// Estimate durations from measured ones
    Estimate(Deferred<EstimateArgs>),
    /// Simulate jobs on a batch cluster
    Simulate(Deferred<SimulateArgs>),
    /// Choose the numbers of nodes of a workflow's tasks
    Optimize(Deferred<OptimizeArgs>),
    /// Write a workflow: one of the paper's, or a trace of WfCommons
    Workflow(Deferred<WorkflowArgs>),
    /// Give a planned workflow to a batch system
    Submit(Deferred<SubmitArgs>),
    /// Follow a submitted workflow to its end
    Follow(Deferred<FollowArgs>),
}

/// Arguments of `mold estimate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow mold estimate runs.csv --task ST --size 1073741824 --nodes 1-32
  onceflow mold estimate runs.csv --task ST --size 531441000 --slab-cores 36     a size that was not measured
  onceflow mold estimate questions.json --json

A table of measurements has the columns task, size, nodes, seconds, and perhaps machine, device,
memory, when and run. The method is the one that estimates the measured points best from each
other; limits hold for --quantile of the tasks, with --margin on top.")]
pub(crate) struct EstimateArgs {
    /// A table of measurements (.csv, or .json with `records`), or a JSON file of questions
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The task's type [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub(crate) task: Option<String>,
    /// The size of its input [default: the only one]
    #[arg(long, value_name = "N")]
    pub(crate) size: Option<f64>,
    /// Numbers of nodes, such as 1,2,4-8 [default: from the least to the most measured]
    #[arg(long, value_name = "LIST", value_parser = counts)]
    pub(crate) nodes: Option<Counts>,
    /// What limits have above estimates, as a share
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    pub(crate) margin: f64,
    #[command(flatten)]
    pub(crate) performance: PerformanceArgs,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is known of tasks beside their measurements.
#[derive(Debug, Args)]
pub(crate) struct PerformanceArgs {
    /// The machine [default: the only one of the measurements]
    #[arg(long, value_name = "NAME")]
    pub(crate) machine: Option<String>,
    /// The device
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    pub(crate) device: String,
    /// Estimates for numbers of nodes outside the measured ones
    #[arg(long, value_enum, value_name = "HOW", default_value = "refuse")]
    pub(crate) outside: OutsideWord,
    /// How the work grows with the size
    #[arg(long, value_enum, value_name = "HOW", default_value = "n-log-n")]
    pub(crate) complexity: ComplexityWord,
    /// Cores of a node, for tasks that cut a cube of SIZE points into slabs: durations fall where the slabs fit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) slab_cores: Option<u64>,
    /// More nodes never take longer
    #[arg(long)]
    pub(crate) monotone: bool,
    /// The share of tasks that end within the limit, before the margin
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, value_parser = share)]
    pub(crate) quantile: f64,
}

/// Estimates outside the measured numbers of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutsideWord {
    /// An error that says what to measure
    Refuse,
    /// On the line through the two nearest
    Extrapolate,
    /// The same as the largest; the work of the smallest shared among fewer nodes
    Hold,
}

/// How the work of a task grows with its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComplexityWord {
    /// In proportion
    N,
    /// As that of Fourier transforms
    NLogN,
}

/// Arguments of `mold simulate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow mold simulate jobs.json --policy easy
  onceflow mold simulate cluster.swf --nodes 64 --jobs 250 --policy conservative --gantt jobs.svg
  onceflow mold simulate jobs.json --load cluster.swf --at 86400     behind what ran there a day in

A file of jobs is {\"nodes\": 10, \"jobs\": [{\"id\": \"a\", \"nodes\": 6, \"run\": 8, \"limit\": 10,
\"after\": [], \"submit\": 0}]}, perhaps with \"overhead\", \"depth\" and \"load\". A log ends in .swf.")]
pub(crate) struct SimulateArgs {
    /// Jobs as JSON, or a log in the Standard Workload Format (.swf)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The rule by which jobs start
    #[arg(long, value_enum, value_name = "RULE", default_value = "easy")]
    pub(crate) policy: PolicyWord,
    /// Nodes of the cluster [default: those of the file; a log needs them]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Only the first jobs of a log
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// A log whose running and waiting jobs are there first
    #[arg(long, value_name = "LOG", requires = "at")]
    pub(crate) load: Option<PathBuf>,
    /// The instant of that log, in seconds after its first submission
    #[arg(long, value_name = "SECONDS", requires = "load")]
    pub(crate) at: Option<u64>,
    /// What each start takes of its nodes, in seconds [default: the file's]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) overhead: Option<u64>,
    /// Round limits up to multiples of this: Slurm's are whole minutes, 60
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) round_limits: Option<u64>,
    /// Run times vary by up to this share
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) noise: Option<f64>,
    /// Seed of the noise
    #[arg(long, value_name = "S", default_value_t = 0, env = "ONCEFLOW_SEED", hide_env_values = true)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) habits: HabitArgs,
    /// Write the Gantt chart as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) gantt: Option<PathBuf>,
    /// Write a page with the chart
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Replace existing files that onceflow did not write
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Rules by which jobs start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyWord {
    /// In the order of submission; a job that is not ready blocks all behind it
    Strict,
    /// The same, with backfilling within the window of the first that waits
    Paper,
    /// Ready jobs in order: Slurm and PBS without backfilling
    Fcfs,
    /// A ready job may pass if it does not delay the first that waits
    Easy,
    /// A ready job may pass if it delays none of those before it
    Conservative,
    /// The same, with places given anew each time: Slurm's backfilling
    Replan,
    /// A real Slurm: limits in whole minutes, and moments between what happens and what it does
    Slurm,
}

/// Arguments of `mold optimize`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow mold optimize workflow.json --alpha 0.7          mostly the makespan, somewhat the cost
  onceflow mold optimize workflow.json --gosa               a static allocation: the makespan alone
  onceflow mold optimize workflow.json --front --json       all plans that no other beats in both
  onceflow mold optimize workflow.json --performance runs.csv --html plans.html

A workflow is {\"nodes\": 54, \"policy\": \"easy\", \"margin\": 0.1, \"tasks\": [{\"id\": \"a\", \"after\": [],
\"seconds\": {\"1\": 400, \"2\": 210}}]}. A task without \"seconds\" has \"type\", \"size\" and perhaps
\"counts\", and its durations are estimated from --performance. The page has a slider from cost to
makespan and works without a network.")]
pub(crate) struct OptimizeArgs {
    /// The workflow
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Weight of the makespan beside the cost, from 0 to 1 [default: 0.5]
    #[arg(long, value_name = "A", value_parser = alpha, conflicts_with_all = ["gosa", "front"])]
    pub(crate) alpha: Option<f64>,
    /// A static allocation, paid as a whole: the makespan alone
    #[arg(long, conflicts_with = "front")]
    pub(crate) gosa: bool,
    /// All plans that no other beats in both makespan and cost
    #[arg(long)]
    pub(crate) front: bool,
    /// The rule of the scheduler [default: the file's, else easy]
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
    /// Write the Gantt chart of the plan as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) gantt: Option<PathBuf>,
    /// Write a page with the front, a slider and the charts
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Replace existing files that onceflow did not write
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl MoldArgs {
    /// Whether failures are printed as JSON too.
    pub(crate) fn wants_json(&self) -> bool {
        match &self.verb {
            MoldVerb::Estimate(args) => args.json,
            MoldVerb::Simulate(args) => args.json,
            MoldVerb::Optimize(args) => args.json,
            MoldVerb::Workflow(_) => false,
            MoldVerb::Submit(args) => args.json,
            MoldVerb::Follow(args) => args.json,
        }
    }
}

/// Numbers of nodes.
#[derive(Clone, Debug)]
pub(crate) struct Counts(pub(crate) Vec<u64>);

/// More numbers than a table has lines that someone reads.
const MOST_COUNTS: usize = 10_000;

fn counts(text: &str) -> Result<Counts, String> {
    let wrong = || "expected numbers and ranges such as 1,2,4-8".to_owned();
    let mut found = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u64>().ok().filter(|n| *n > 0).ok_or_else(wrong);
        let (from, to) = (number(from)?, number(to)?);
        if to.saturating_sub(from) as usize + found.len() > MOST_COUNTS || to < from {
            return Err(wrong());
        }
        found.extend(from..=to);
    }
    Ok(Counts(found))
}

fn share(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=10.0).contains(number));
    number.ok_or_else(|| "expected a share, such as 0.1".into())
}

fn alpha(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 (cost) to 1 (makespan)".into())
}
