//! `onceflow run` and `onceflow plan`: what can be said.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onceflow_region::staging::Staging;
use onceflow_study::Size;

use super::merge::MergeArgs;
use super::simulated::ExecutorArgs;

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow run study.toml -o runs/first
  onceflow run study.toml -o runs/first --workers 8 --memory '16 GiB'
  onceflow run study.toml -o runs/none --reuse none    the same answer, without reuse
  onceflow run study.toml --dry-run                    what it would compute
  onceflow run study.toml -o runs/first --granularity auto    tasks split and fused where that saves time
  onceflow run study.toml --row 17 --image one -o look/               one row alone, every region as a picture
  onceflow run study.toml --row reference -p G1=40 --task t4 -o look/ one task and what it needs, with values of yours
  onceflow run study.toml -o runs/first --events /dev/fd/3 3>events.jsonl    for programs that watch
  onceflow run study.toml --executor simulated --machine cluster.toml --costs costs.jsonl

The folder gets rows.csv, metrics.csv, indices.json, best.json, report.html, trace.json, costs.jsonl, provenance.json,
ro-crate-metadata.json and a copy of the study. Ctrl-C lets running tasks end; a second one stops at once. The same command
goes on with what is not done, after Ctrl-C as after a crash.")]
pub(crate) struct RunArgs {
    /// The study
    pub(crate) study: PathBuf,
    /// Folder for the results; made when it is not there
    #[arg(short, value_name = "DIR", required_unless_present_any = ["dry_run", "machine_file"])]
    pub(crate) o: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    #[command(flatten)]
    pub(crate) merge: MergeArgs,
    /// Write what happens as lines of JSON into a file or a pipe
    #[arg(long, value_name = "FILE", env = "ONCEFLOW_EVENTS", hide_env_values = true)]
    pub(crate) events: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) executor: ExecutorArgs,
    /// Say what would be computed, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Replace the results of another study in the folder
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) one: OneArgs,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    /// Print one JSON object; the answer for people goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
}

/// One instance in place of a study.
#[derive(Debug, Args)]
pub(crate) struct OneArgs {
    /// Make only this row, and draw every region of it; 0 and `reference` are the row with the defaults
    #[arg(long, value_name = "N", value_parser = row, requires = "o", conflicts_with_all = ["dry_run", "json", "force"])]
    pub(crate) row: Option<u64>,
    /// The image to make it on [default: the first]
    #[arg(long, value_name = "NAME", requires = "row")]
    pub(crate) image: Option<String>,
    /// Which of the image's parts, counted from 0
    #[arg(long, value_name = "K", requires = "row", default_value_t = 0)]
    pub(crate) part: usize,
    /// Only this task and what it needs
    #[arg(long, value_name = "TASK", requires = "row")]
    pub(crate) task: Option<String>,
    /// A value of yours for a parameter, such as G1=40
    #[arg(short = 'p', value_name = "NAME=VALUE", requires = "row")]
    pub(crate) parameters: Vec<String>,
}

/// Whether programs of a study may be run.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct AllowArgs {
    /// Let the study run the commands of its workflow: whoever wrote them can then do whatever you can
    #[arg(long, env = "ONCEFLOW_ALLOW_COMMANDS", hide_env_values = true, value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) allow_commands: bool,
}

fn row(text: &str) -> Result<u64, String> {
    if text == "reference" {
        return Ok(0);
    }
    text.parse().map_err(|_| "expected the number of a row, or the word reference".to_owned())
}

/// Arguments of `plan`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow plan study.toml
  onceflow plan study.toml --reuse task --json | jq .cost
  onceflow plan study.toml --merge auto --workers 256         buckets for a cluster
  onceflow plan study.toml --compare --workers 16             every level and algorithm
  onceflow plan study.toml --graph plan.svg --graph-of workflow
  onceflow plan study.toml --granularity auto                 which tasks are better split or fused, and why
  onceflow plan study.toml --export plan.jsonl                one line for each task")]
pub(crate) struct PlanArgs {
    /// The study
    pub(crate) study: PathBuf,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    #[command(flatten)]
    pub(crate) merge: MergeArgs,
    /// All levels and merging algorithms in one table
    #[arg(long, conflicts_with_all = ["merge", "buckets", "reuse"])]
    pub(crate) compare: bool,
    /// Draw the plan into a file that ends with .svg or .dot
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// What to draw: workflow, compact (how many of each task are left), or bucket:N (its reuse tree)
    #[arg(long, value_name = "WHAT", default_value = "compact", requires = "graph")]
    pub(crate) graph_of: String,
    /// Say how many of each task the levels leave
    #[arg(long, conflicts_with_all = ["rules", "compare"])]
    pub(crate) tasks: bool,
    /// Say which rules made the plan and what each left
    #[arg(long)]
    pub(crate) rules: bool,
    /// Write one JSON line for each task, for other engines
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Option<PathBuf>,
    /// Print one JSON object in place of the table
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a run may use.
#[derive(Debug, Args)]
pub(crate) struct MachineArgs {
    /// Which tasks count as one [default: object; dataflow with --merge or --buckets]
    #[arg(long, value_enum, value_name = "LEVEL", env = "ONCEFLOW_REUSE", hide_env_values = true)]
    pub(crate) reuse: Option<LevelWord>,
    /// Threads that run tasks [default: the study's, else what the machine allows]
    #[arg(long, value_name = "N", env = "ONCEFLOW_WORKERS", hide_env_values = true, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) workers: Option<u64>,
    /// Bound of memory, such as '2 GiB' [default: the study's, else three quarters of what is free]
    #[arg(long, value_name = "SIZE", env = "ONCEFLOW_MEMORY", hide_env_values = true, value_parser = size)]
    pub(crate) memory: Option<Size>,
    /// Keep each worker on a processor of its own (Linux): steadier times where nothing else runs
    #[arg(long)]
    pub(crate) pin: bool,
    /// Folder on a fast disk for results that memory has no room for; when it is full, and without one, the folder of the
    /// run takes them. They are gone when the run ends
    #[arg(long, value_name = "DIR", env = "ONCEFLOW_SCRATCH", hide_env_values = true)]
    pub(crate) scratch: Option<PathBuf>,
    /// Who writes them: co-located, the workers, each at once or in groups (co-located:group=2,batch=4), or separated, threads
    /// that do nothing else (separated:writers=2,group=1,batch=4); each perhaps with round-robin, random or random=SEED
    /// [default: the study's, else co-located]
    #[arg(long, value_name = "WORDS", env = "ONCEFLOW_STAGING", hide_env_values = true)]
    pub(crate) staging: Option<Staging>,
    /// File that remembers what tasks cost: runs add to it, plans predict by it; none switches it off [default:
    /// onceflow/costs.jsonl in the folder of the user's state]
    #[arg(long, value_name = "FILE", env = "ONCEFLOW_COSTS", hide_env_values = true)]
    pub(crate) costs: Option<PathBuf>,
    /// How fine tasks are; the answer is the same [default: the study's, else auto once costs of all tasks were measured, at
    /// dataflow and above, and written before that]
    #[arg(long, value_enum, value_name = "GRAIN", env = "ONCEFLOW_GRANULARITY", hide_env_values = true)]
    pub(crate) granularity: Option<GrainWord>,
}

/// How fine tasks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GrainWord {
    /// Tasks are split or fused where what they cost says that it saves time
    Auto,
    /// Tasks are those of the workflow
    Written,
    /// Every operation that is made of steps is split
    Split,
    /// All tasks that can be are fused
    Fused,
}

/// The levels of reuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelWord {
    /// Every row by itself
    None,
    /// Stages with equal parameters and inputs once
    Stage,
    /// Equal beginnings of a stage's chain once, as published
    Task,
    /// Tasks that read the same parameters and inputs once
    Dataflow,
    /// Tasks whose inputs turn out to hold the same once
    Convergent,
    /// Objects that turn out to be the same once, where a task works on each by itself
    Object,
}

pub(super) fn size(text: &str) -> Result<Size, String> {
    Size::parse(text).map_err(|error| error.to_string())
}
