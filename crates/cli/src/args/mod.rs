//! The command line: what can be said, with its help. What is then done stands under `verb`.

mod analyze;
mod bench;
mod check;
mod compare;
mod completions;
mod convert;
mod demo;
mod extend;
mod features;
mod image;
mod init;
mod merge;
mod report;
mod run;
mod sample;
mod segment;
mod simulated;
mod status;
mod why;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use analyze::{AnalyzeArgs, EstimatorWord, FailuresWord, IndicesFormat, TechniqueWord};
pub(crate) use bench::{BenchArgs, BenchSubject};
pub(crate) use check::CheckArgs;
pub(crate) use compare::CompareArgs;
pub(crate) use completions::CompletionsArgs;
pub(crate) use convert::{CompressionWord, ConvertArgs, HalvingWord};
pub(crate) use demo::{DemoArgs, DemoFunction, SIDES};
pub(crate) use extend::ExtendArgs;
pub(crate) use features::{FeaturesArgs, TableWord};
pub(crate) use image::{CutWord, ImageArgs, ImageVerb, InfoArgs, PartsArgs, SynthArgs};
pub(crate) use init::{InitArgs, ProblemFormat};
pub(crate) use merge::{MergeArgs, MergeWord, PruningWord, SmallWord};
pub(crate) use report::ReportArgs;
pub(crate) use run::{GrainWord, LevelWord, MachineArgs, PlanArgs, RunArgs};
pub(crate) use sample::{KindWord, MethodWord, SampleArgs, SampleFormatWord};
pub(crate) use segment::SegmentArgs;
pub(crate) use simulated::ExecutorWord;
pub(crate) use status::StatusArgs;
pub(crate) use why::WhyArgs;

/// Which parameters of my workflow matter, and what are the best values?
#[derive(Debug, Parser)]
#[command(name = "onceflow", version, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Command {
    /// When to say what is going on
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
  onceflow check study.toml                                        is it what I mean?
  onceflow sample  --problem study.toml --method morris --n 20 -o X.csv
  onceflow analyze --problem study.toml --method morris -X X.csv -Y Y.csv

Results go to standard output, words for people to standard error. NO_COLOR is honoured.
Exit codes: 0 ok, 1 rows failed, 2 bad command line or file, 3 environment, 4 memory bound too small,
5 internal error, 130 interrupted.";

/// Whether work longer than a second is spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    Auto,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// See an answer: which parameters matter for finding nuclei in synthetic tissue
    Demo(DemoArgs),
    /// Write a study to start from, or convert a SALib or Dakota problem
    Init(InitArgs),
    /// Check a study, a workflow or a problem, and say what it asks
    Check(CheckArgs),
    /// Choose the rows to run: samples and designs for sensitivity analysis
    Sample(SampleArgs),
    /// Make a sample larger without changing a row of it
    Extend(ExtendArgs),
    /// Say which parameters matter, from the rows and their results
    #[command(visible_alias = "analyse")]
    Analyze(AnalyzeArgs),
    /// Say what a run of a study would compute, and why not more
    Plan(PlanArgs),
    /// Say why a task of a study is computed, and with whom it is shared
    Why(WhyArgs),
    /// Run a study: from its file to its answer
    Run(RunArgs),
    /// Say how far a run is, from another terminal
    Status(StatusArgs),
    /// Print the answer of a run again
    Report(ReportArgs),
    /// Find the nuclei of images
    Segment(SegmentArgs),
    /// Measure the nuclei of images: shape, colours, stains, texture, outlines
    Features(FeaturesArgs),
    /// Say how far two masks or label images agree
    Compare(CompareArgs),
    /// Look into images, and make synthetic ones
    Image(ImageArgs),
    /// Measure how fast and how exact onceflow is on this machine
    Bench(BenchArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
}

impl Verb {
    /// Whether a failure is told as JSON too.
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
            Self::Status(args) => args.json,
            Self::Report(args) => args.json,
            Self::Segment(args) => args.json,
            Self::Features(args) => args.json,
            Self::Compare(args) => args.json,
            Self::Image(args) => args.wants_json(),
            Self::Bench(args) => args.json,
        }
    }
}
