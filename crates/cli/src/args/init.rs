//! Arguments of `onceflow init`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments of `init`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow init -o study.toml                    a commented study of the shipped nuclei workflow
  onceflow init 'slides/*.svs' --truth truth/    study.toml and images.csv for these slides
  onceflow init data/                            images with their truth beside them
  onceflow init --workflow own.json -o study.toml   all parameters of a workflow of yours
  onceflow init --program -o mine/study.toml     a workflow with a program of your own
  onceflow init --model -o study.toml            a study of your own model, in any language
  onceflow init --from params.txt -o study.toml  a SALib parameter file as a study
  onceflow init --from moat.in -o study.toml     a Dakota input as a study
  onceflow init --from study.toml --to salib -o problem.json

An existing file is replaced with --force only.")]
pub(crate) struct InitArgs {
    /// Images to study: files, folders, patterns in quotes, a QuPath project; or the study to write, FILE.toml
    #[arg(value_name = "IMAGES|FILE")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Folder of truth files with the names of the images (.geojson, .json, .xml, .png, .tif), for one image also a file
    /// [default: what is beside the images]
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["from", "model"])]
    pub(crate) truth: Option<PathBuf>,
    /// Convert this study, SALib problem or Dakota input
    #[arg(long, value_name = "PROBLEM")]
    pub(crate) from: Option<PathBuf>,
    /// Workflow whose parameters are written: a file, or the name of a shipped workflow
    #[arg(long, value_name = "WORKFLOW", default_value = "nuclei", conflicts_with = "from")]
    pub(crate) workflow: String,
    /// Write a study of your own model, which needs no workflow
    #[arg(long, conflicts_with_all = ["from", "workflow"])]
    pub(crate) model: bool,
    /// Write a workflow with one program of your own, its script, and a study of them
    #[arg(long, conflicts_with_all = ["from", "workflow", "model", "truth"])]
    pub(crate) program: bool,
    /// Format to write
    #[arg(long, value_enum, default_value = "study")]
    pub(crate) to: ProblemFormat,
    /// Output file; - is standard output, which is the default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print a summary as one JSON object (needs -o or --dry-run)
    #[arg(long)]
    pub(crate) json: bool,
}

/// Formats of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProblemFormat {
    /// A study file (TOML)
    Study,
    /// A SALib problem (JSON)
    Salib,
    /// A Dakota input
    Dakota,
}
