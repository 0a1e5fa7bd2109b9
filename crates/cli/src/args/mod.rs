//! The command line: verbs, arguments and their help. Module `verb` carries them out.

mod analyze;
mod bench;
mod check;
mod compare;
mod completions;
mod config;
mod convert;
mod deferred;
mod demo;
mod extend;
mod features;
mod heading;
mod image;
mod init;
mod memo;
mod merge;
mod mold;
mod products;
mod report;
mod run;
mod sample;
mod segment;
mod simulated;
mod status;
mod tune;
mod why;
mod work;

use clap::{Parser, Subcommand};
use onceflow_terminal::ProgressMode;

use deferred::Deferred;

pub(crate) use analyze::{AnalyzeArgs, EstimatorWord, FailuresWord, IndicesFormat, TechniqueWord};
pub(crate) use bench::BenchProgramArgs;
pub(crate) use check::CheckArgs;
pub(crate) use compare::CompareArgs;
pub(crate) use completions::CompletionsArgs;
pub(crate) use config::{ConfigArgs, ConfigShowArgs, ConfigVerb};
pub(crate) use convert::{CompressionWord, ConvertArgs, HalvingWord};
pub(crate) use demo::{DemoArgs, DemoFunction, SIDES};
pub(crate) use extend::ExtendArgs;
pub(crate) use features::{FeatureFormatWord, FeaturesArgs};
pub(crate) use image::{CutWord, ImageArgs, ImageVerb, InfoArgs, PartsArgs, SynthArgs};
pub(crate) use init::{InitArgs, ProblemFormat};
pub(crate) use memo::MemoArgs;
pub(crate) use merge::{MergeArgs, MergeWord, PruningWord, SmallBucketWord};
pub(crate) use mold::{
    ComplexityWord, EstimateArgs, FollowArgs, MoldArgs, MoldVerb, OptimizeArgs, OutsideWord, PerformanceArgs,
    PolicyWord, SimulateArgs, SubmitArgs, SystemWord, WorkflowArgs,
};
pub(crate) use products::{ExportArgs, GcArgs, ListArgs, PinArgs, ProductsArgs, ProductsVerb, StoreArgs};
pub(crate) use report::ReportArgs;
pub(crate) use run::{GranularityWord, LevelWord, MachineArgs, PlanArgs, RunArgs, SettingsArgs, UntilWord};
pub(crate) use sample::{DesignKindWord, MethodWord, SampleArgs, SampleFormatWord};
pub(crate) use segment::SegmentArgs;
pub(crate) use simulated::ExecutorWord;
pub(crate) use status::StatusArgs;
pub(crate) use tune::{AskedArgs, TuneArgs};
pub(crate) use why::WhyArgs;
pub(crate) use work::{InterruptWord, WorkArgs};

/// Which parameters of my workflow matter, and what are the best values?
#[derive(Debug, Parser)]
#[command(name = "onceflow", version, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct CommandLine {
    /// When to show progress
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        env = "ONCEFLOW_PROGRESS",
        hide_env_values = true,
        display_order = 900
    )]
    pub(crate) progress: ProgressMode,

    #[command(subcommand)]
    pub(crate) verb: Verb,
}

const EXAMPLES: &str = "\
Start here:
  onceflow demo                                                    see an answer, in half a minute
  onceflow init -o study.toml                                      write a study to start from
  onceflow check study.toml                                        check it, and see what it asks
  onceflow sample  --problem study.toml --method morris --n 20 -o X.csv
  onceflow analyze --problem study.toml --method morris -X X.csv -Y Y.csv

Results go to standard output, messages and progress to standard error. NO_COLOR is honoured.
Exit codes: 0 ok, 1 rows failed, 2 bad command line or file, 3 environment, 4 memory bound too small,
5 internal error, 130 interrupted.";

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// See an answer: which parameters matter for finding nuclei in synthetic tissue
    Demo(Deferred<DemoArgs>),
    /// Write a study to start from, or convert a SALib or Dakota problem
    Init(Deferred<InitArgs>),
    /// Check a study, a workflow or a problem, and summarise it
    Check(Deferred<CheckArgs>),
    /// Choose the rows to run: samples and designs for sensitivity analysis
    Sample(Deferred<SampleArgs>),
    /// Make a sample larger without changing its rows
    Extend(Deferred<ExtendArgs>),
    /// Compute which parameters matter, from rows and their results
    #[command(visible_alias = "analyse")]
    Analyze(Deferred<AnalyzeArgs>),
    /// Show what a run of a study would compute, and what it reuses
    Plan(Deferred<PlanArgs>),
    /// Explain why a task is computed, and which rows share it
    Why(Deferred<WhyArgs>),
    /// Run a study: from its file to its answer
    Run(Deferred<RunArgs>),
    /// Find the best values, and measure them on slides that took no part
    Tune(Deferred<TuneArgs>),
    /// Compute buckets of a run that was started with --on, on this machine
    Work(Deferred<WorkArgs>),
    /// Show the progress of a run, from another terminal
    Status(Deferred<StatusArgs>),
    /// Print the answer of a run again
    Report(Deferred<ReportArgs>),
    /// Find the nuclei of images
    Segment(Deferred<SegmentArgs>),
    /// Measure the nuclei of images: shape, colours, stains, texture, outlines
    Features(Deferred<FeaturesArgs>),
    /// Measure the agreement of two masks or label images
    Compare(Deferred<CompareArgs>),
    /// Inspect, cut and convert images, and make synthetic ones
    Image(ImageArgs),
    /// Plan workflows of parallel tasks on a batch cluster: estimate, simulate, optimise
    Mold(MoldArgs),
    /// List, check and collect results of earlier runs
    Products(ProductsArgs),
    /// Run any command line once, and keep what it gave
    Memo(Deferred<MemoArgs>),
    /// Show the settings in force, and where each comes from
    Config(ConfigArgs),
    /// Measure how fast and how exact onceflow is on this machine
    Bench(Deferred<BenchProgramArgs>),
    /// Print the completion script of a shell
    Completions(Deferred<CompletionsArgs>),
}

impl Verb {
    /// Whether failures are printed as JSON too.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Demo(args) => args.json,
            Self::Init(args) => args.json,
            Self::Completions(_) => false,
            Self::Check(args) => args.json,
            Self::Sample(args) => args.json,
            Self::Extend(args) => args.json,
            Self::Analyze(args) => args.wants_json(),
            Self::Plan(args) => args.json,
            Self::Why(args) => args.json,
            Self::Run(args) => args.json,
            Self::Tune(args) => args.json,
            Self::Work(args) => args.json,
            Self::Status(args) => args.json,
            Self::Report(args) => args.json,
            Self::Segment(args) => args.json,
            Self::Features(args) => args.json,
            Self::Compare(args) => args.json,
            Self::Image(args) => args.wants_json(),
            Self::Mold(args) => args.wants_json(),
            Self::Products(args) => args.wants_json(),
            Self::Config(args) => {
                let ConfigVerb::Show(args) = &args.verb;
                args.json
            }
            Self::Memo(args) => args.json,
            Self::Bench(args) => args.wants_json(),
        }
    }
}
