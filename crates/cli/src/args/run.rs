//! Arguments of `onceflow run` and `onceflow plan`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use onceflow_engine::{AuditShare, PictureChoice, Policy};
use onceflow_store::staging::Staging;
use onceflow_study::{RunBound, Size};

use super::heading::{EXPERIMENTS, LENGTH, MACHINE, REUSE, ROW};
use super::merge::MergeArgs;
use super::simulated::ExecutorArgs;
use super::work::OnArgs;

/// Arguments of `run`. Headings appear in help in the order of the first argument under each.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow run study.toml -o runs/first
  onceflow run study.toml -o runs/first --workers 8 --memory '16 GiB'
  onceflow run study.toml -o runs/first --until decided --at-most 2h
  onceflow run study.toml -o runs/none --reuse none    the same results, without reuse
  onceflow run study.toml -o runs/first --on local:4   by four processes
  onceflow run study.toml -o runs/first --on slurm:64 --dry-run    the script of the jobs
  onceflow run study.toml --dry-run                    what it would compute
  onceflow run study.toml --row 17 -o look/            one row, with a picture of every region
  onceflow run study.toml --row reference -p G1=40 --task t4 -o look/
  onceflow run study.toml -o runs/first --events /dev/fd/3 3>events.jsonl
  onceflow run study.toml --executor simulated --machine cluster.toml --costs costs.jsonl

The folder gets rows.csv, metrics.csv, indices.json, best.json, report.html, trace.json,
costs.jsonl, provenance.json, ro-crate-metadata.json and a copy of the study.
Ctrl-C lets running tasks finish; a second Ctrl-C stops at once. After Ctrl-C or a crash, the same
command continues where the run ended.")]
pub(crate) struct RunArgs {
    /// The study
    pub(crate) study: PathBuf,
    /// Folder for the results; created if missing
    #[arg(short, value_name = "DIR", required_unless_present_any = ["dry_run", "machine_file"])]
    pub(crate) o: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) growth: GrowthArgs,
    /// Write events as JSON lines into a file or a pipe [env: ONCEFLOW_EVENTS]
    #[arg(long, value_name = "FILE", help_heading = REUSE)]
    pub(crate) events: Option<PathBuf>,
    /// Pictures in the report: auto (results at hand, others while they take at most a tenth of the time of the rows),
    /// all (rows are computed again where needed), or none [default: auto] [env: ONCEFLOW_PICTURES]
    #[arg(long, value_name = "WHICH", help_heading = REUSE, value_parser = pictures)]
    pub(crate) pictures: Option<PictureChoice>,
    /// Replace the results of another study in the folder, files in it that are not of a run, and the file of --events
    #[arg(long, help_heading = REUSE)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) one: RowArgs,
    #[command(flatten)]
    pub(crate) executor: ExecutorArgs,
    #[command(flatten)]
    pub(crate) on: OnArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    #[command(flatten)]
    pub(crate) merge: MergeArgs,
    /// Show what would be computed, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object; the readable answer goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whether and how far the last phase of a study grows.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct GrowthArgs {
    /// When the run ends: decided doubles the sample of the last phase until every verdict about the first metric is
    /// decided [default: after the rows of the phases] [env: ONCEFLOW_UNTIL]
    #[arg(long, value_enum, value_name = "WHEN", help_heading = LENGTH)]
    pub(crate) until: Option<UntilWord>,
    /// How far it may go until then, such as 2h, '90 min' or 5000rows [env: ONCEFLOW_AT_MOST]
    #[arg(long, value_name = "BOUND", value_parser = bound, help_heading = LENGTH)]
    pub(crate) at_most: Option<RunBound>,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UntilWord {
    /// When every verdict about the first metric is decided
    Decided,
}

fn bound(text: &str) -> Result<RunBound, String> {
    RunBound::parse(text).map_err(|error| error.to_string())
}

/// One row in place of a study.
#[derive(Debug, Args)]
pub(crate) struct RowArgs {
    /// Compute this row only, and draw a picture of every region; 0 or `reference` is the row of default values
    #[arg(long, value_name = "N", help_heading = ROW, value_parser = row, requires = "o", conflicts_with_all = ["dry_run", "json"])]
    pub(crate) row: Option<u64>,
    /// Image to compute the row on [default: the first]
    #[arg(long, value_name = "NAME", help_heading = ROW, requires = "row")]
    pub(crate) image: Option<String>,
    /// Part of the image, counted from 0
    #[arg(long, value_name = "K", help_heading = ROW, requires = "row", default_value_t = 0)]
    pub(crate) part: usize,
    /// Compute this task and its inputs only
    #[arg(long, value_name = "TASK", help_heading = ROW, requires = "row")]
    pub(crate) task: Option<String>,
    /// Value of a parameter in place of the row's, such as G1=40; may be given more than once
    #[arg(short = 'p', value_name = "NAME=VALUE", help_heading = ROW, requires = "row")]
    pub(crate) parameters: Vec<String>,
}

/// Whether programs of a study may be run.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct AllowArgs {
    /// Allow the workflow to run its commands, which then have all your permissions [env: ONCEFLOW_ALLOW_COMMANDS]
    #[arg(long, help_heading = MACHINE, display_order = 800)]
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
  onceflow plan study.toml --compare --workers 16             all levels and algorithms
  onceflow plan study.toml --graph plan.svg --graph-of workflow
  onceflow plan study.toml --granularity auto                 which tasks to split or fuse, and why
  onceflow plan study.toml --export plan.jsonl                one JSON line for each task of every phase
  onceflow plan study.toml --attributes                       the fewest bytes that identify the result of each task
  onceflow plan graph.toml --attributes                       the same for blocks of a program that a flow graph describes
  onceflow plan runs/first                                    later phases with the parameters that a run kept")]
pub(crate) struct PlanArgs {
    /// The study, or the folder of a run of it; with --attributes also a file that describes a flow graph
    #[arg(value_name = "STUDY|RUN")]
    pub(crate) study: PathBuf,
    /// The phase that --graph draws or --export writes [default: the first for --graph, all for --export]
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<String>,
    /// The stage whose bucket --graph draws [default: the one with most buckets]
    #[arg(long, value_name = "STAGE", requires = "graph")]
    pub(crate) stage: Option<String>,
    #[command(flatten)]
    pub(crate) growth: GrowthArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    #[command(flatten)]
    pub(crate) merge: MergeArgs,
    /// Say into how many buckets workers would take the first phase, and what cutting it costs, as for run: local:N, slurm:N,
    /// pbs:N or folder
    #[arg(long, value_name = "WHERE", help_heading = super::heading::MANY, value_parser = super::work::engine)]
    pub(crate) on: Option<onceflow_engine::WorkEngine>,
    /// Compare all levels and merging algorithms in one table
    #[arg(long, conflicts_with_all = ["merge", "buckets", "reuse"])]
    pub(crate) compare: bool,
    /// Draw the plan into a .svg or .dot file
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// What to draw: workflow, compact (the number of each task after reuse), or bucket:N (its reuse tree)
    #[arg(long, value_name = "WHAT", default_value = "compact", requires = "graph")]
    pub(crate) graph_of: String,
    /// Show the number of each task after each level of reuse
    #[arg(long, conflicts_with_all = ["rules", "compare"])]
    pub(crate) tasks: bool,
    /// Show what identifies the result of each task, or of the target of a described flow graph, with the fewest bytes
    #[arg(long, conflicts_with_all = ["tasks", "rules", "compare", "graph", "export"])]
    pub(crate) attributes: bool,
    /// Show which rules made the plan, and the number of tasks after each
    #[arg(long)]
    pub(crate) rules: bool,
    /// Write one JSON line for each task, for other engines
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Option<PathBuf>,
    /// Replace an existing file that onceflow did not write, or that was changed since
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object in place of the table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Resources and settings of a run.
#[derive(Debug, Default, Args)]
pub(crate) struct MachineArgs {
    /// Level of reuse: which equal work is computed once [default: object; dataflow with --merge or --buckets] [env: ONCEFLOW_REUSE]
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = REUSE, display_order = 0)]
    pub(crate) reuse: Option<LevelWord>,
    /// Number of threads that run tasks [default: the study's, else what the machine allows] [env: ONCEFLOW_WORKERS]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) workers: Option<u64>,
    /// Memory bound, such as '2 GiB' [default: the study's, else three quarters of the free memory] [env: ONCEFLOW_MEMORY]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<Size>,
    /// Keep each worker on its own processor (Linux), for steadier times on an idle machine [env: ONCEFLOW_PIN]
    #[arg(long, help_heading = MACHINE)]
    pub(crate) pin: bool,
    /// Folder on a fast disk for results that do not fit in memory (spill files), which are removed when the run ends;
    /// the folder of the run takes what this one cannot [default: the folder of the run] [env: ONCEFLOW_SCRATCH]
    #[arg(long, value_name = "DIR", help_heading = MACHINE)]
    pub(crate) scratch: Option<PathBuf>,
    /// Threads that write spill files: co-located (the workers, also in groups: co-located:group=2,batch=4) or separated
    /// (writer threads: separated:writers=2,group=1,batch=4), with round-robin, random or random=SEED to distribute files
    /// [default: the study's, else co-located] [env: ONCEFLOW_STAGING]
    #[arg(long, value_name = "STAGING", help_heading = EXPERIMENTS)]
    pub(crate) staging: Option<Staging>,
    /// File of measured task costs: runs add to it, plans use it for predictions; none switches it off [default:
    /// onceflow/costs.jsonl in the user's state folder] [env: ONCEFLOW_COSTS]
    #[arg(long, value_name = "FILE", help_heading = MACHINE)]
    pub(crate) costs: Option<PathBuf>,
    /// Folder of results of earlier runs: rows that they computed are taken, new ones are added; none switches it off
    /// [default: onceflow/products in the user's cache folder; none with --reuse none] [env: ONCEFLOW_STORE]
    #[arg(long, value_name = "DIR", help_heading = REUSE)]
    pub(crate) store: Option<PathBuf>,
    /// What these results may take on the disk, such as '20 GiB'; when they are larger, those of least value go [default: a
    /// tenth of the free disk, at most 50 GiB] [env: ONCEFLOW_STORE_SIZE]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = REUSE)]
    pub(crate) store_size: Option<Size>,
    /// Folder of the results themselves, when the store is to have only the index: it may be on a network file system [default: the
    /// folder of the store] [env: ONCEFLOW_BLOBS]
    #[arg(long, value_name = "DIR", help_heading = REUSE)]
    pub(crate) blobs: Option<PathBuf>,
    /// Compute this share of the results in the store again and compare them, such as 1% [default: 0%] [env: ONCEFLOW_AUDIT]
    #[arg(long, value_name = "SHARE", help_heading = REUSE)]
    pub(crate) audit: Option<AuditShare>,
    /// Task granularity [default: the study's, else auto once the costs of all tasks are measured (level dataflow and
    /// above), written until then] [env: ONCEFLOW_GRANULARITY]
    #[arg(long, value_enum, value_name = "GRANULARITY", help_heading = EXPERIMENTS)]
    pub(crate) granularity: Option<GranularityWord>,
    /// Settings for all studies: a TOML file, or the name of one in the folder onceflow of the user's configuration
    /// [default: profile.toml in that folder, if it exists]
    #[arg(long, value_name = "PROFILE", env = "ONCEFLOW_PROFILE", hide_env_values = true, help_heading = MACHINE)]
    pub(crate) profile: Option<PathBuf>,
}

/// The arguments of a verb that settings are made of.
pub(crate) struct SettingsArgs<'a> {
    /// Resources and settings of a run.
    pub(crate) machine: &'a MachineArgs,
    /// Buckets.
    pub(crate) merge: Option<&'a MergeArgs>,
    /// How the next task is chosen.
    pub(crate) policy: Option<Policy>,
    /// File of events.
    pub(crate) events: Option<&'a Path>,
    /// Which pictures the report has.
    pub(crate) pictures: Option<PictureChoice>,
    /// Whether commands of the workflow may be run.
    pub(crate) allow_commands: bool,
    /// Whether and how far the last phase grows.
    pub(crate) growth: Option<&'a GrowthArgs>,
}

impl<'a> SettingsArgs<'a> {
    /// Of a verb that takes no other arguments of settings.
    pub(crate) fn new(machine: &'a MachineArgs, merge: Option<&'a MergeArgs>) -> Self {
        Self {
            machine,
            merge,
            policy: None,
            events: None,
            pictures: None,
            allow_commands: false,
            growth: None,
        }
    }
}

/// Task granularity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GranularityWord {
    /// Tasks are split or fused where measured costs show that it saves time
    Auto,
    /// Tasks as written in the workflow
    Written,
    /// Every operation with several steps is split
    Split,
    /// All tasks that can be fused are fused
    Fused,
}

/// The levels of reuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelWord {
    /// No reuse: each row is computed by itself
    None,
    /// Stages with equal parameters and inputs
    Stage,
    /// Tasks of a stage up to the first different parameter, as published
    Task,
    /// Tasks with equal parameters and inputs
    Dataflow,
    /// Also tasks whose inputs turn out to have equal contents during the run
    Convergent,
    /// Also equal objects, in tasks that work object by object
    Object,
}

pub(super) fn pictures(text: &str) -> Result<PictureChoice, String> {
    PictureChoice::from_word(text).ok_or_else(|| "expected auto, all or none".to_owned())
}

pub(super) fn size(text: &str) -> Result<Size, String> {
    Size::parse(text).map_err(|error| error.to_string())
}
