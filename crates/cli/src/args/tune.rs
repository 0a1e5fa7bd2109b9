//! Arguments of `onceflow tune`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use onceflow_engine::PictureChoice;
use onceflow_study::{TuneBound, TuneMethod};

use super::heading::REUSE;
use super::run::{AllowArgs, MachineArgs, pictures};

/// Heading of the arguments of a search whose rows the user runs.
const OWN: &str = "Rows for a model of your own";

/// The arguments that make such a search.
const ASKED: &str = "asked_rows";

/// Arguments of a search whose rows the user runs.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new(ASKED).multiple(true))]
pub(crate) struct AskedArgs {
    /// Propose N rows and print them; STUDY may be a problem of SALib or Dakota, and no image is needed
    #[arg(long, value_name = "N", help_heading = OWN, group = ASKED, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) ask: Option<u64>,
    /// A table of what rows gave, by their numbers
    #[arg(long, value_name = "FILE", help_heading = OWN, group = ASKED)]
    pub(crate) tell: Option<PathBuf>,
    /// Learn from the trials in a journal of Optuna
    #[arg(long, value_name = "FILE", help_heading = OWN, group = ASKED)]
    pub(crate) trials: Option<PathBuf>,
    /// Columns of which more is better; the first of all is the objective, several give a front
    #[arg(long, value_name = "NAME", help_heading = OWN, requires = ASKED)]
    pub(crate) maximize: Vec<String>,
    /// Columns of which less is better
    #[arg(long, value_name = "NAME", help_heading = OWN, requires = ASKED)]
    pub(crate) minimize: Vec<String>,
    /// How rows are proposed, as in a study file [default: auto]
    #[arg(long, value_name = "WORD", help_heading = OWN, requires = ASKED, value_parser = tuner)]
    pub(crate) tuner: Option<TuneMethod>,
}

impl AskedArgs {
    /// Whether rows are asked for or told.
    pub(crate) fn is_asked(&self) -> bool {
        self.ask.is_some() || self.tell.is_some() || self.trials.is_some()
    }
}

fn tuner(text: &str) -> Result<TuneMethod, String> {
    let words = || TuneMethod::WORDS.map(|(word, _)| word).join(", ");
    TuneMethod::from_word(text).ok_or_else(|| format!("expected one of {}", words()))
}

fn bound(text: &str) -> Result<TuneBound, String> {
    TuneBound::parse(text).map_err(|error| error.to_string())
}

/// Arguments of `tune`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow tune study.toml -o runs/tune
  onceflow tune study.toml -o runs/tune --evaluations 200
  onceflow tune study.toml -o runs/tune --at-most 2h --at-most '8 core-h'
  onceflow tune study.toml -o runs/tune --leave-one-out --yardstick 50
  onceflow tune study.toml -o runs/tune --json | jq .held_out
  onceflow tune problem.json -o runs/own --ask 8 --maximize score > X.csv
  onceflow tune problem.json -o runs/own --tell Y.csv
  onceflow segment slide.svs --params runs/tune/best.json -o nuclei.png

A study without a phase that tunes (method = \"tune\") gets one in place of its phases. Rows are run on some of
the slides; the gain is measured on the others, which took no part. Columns slide and patient of the
sheet of images say which images belong together; without them every file is a slide of its own.
After Ctrl-C or a crash, the same command continues where the run ended.")]
pub(crate) struct TuneArgs {
    /// The study
    pub(crate) study: PathBuf,
    /// Folder for the results; created if missing
    #[arg(short, value_name = "DIR", required_unless_present = "dry_run")]
    pub(crate) o: Option<PathBuf>,
    /// Rows to run, that of the defaults included [default: the study's, else 100]
    #[arg(long, value_name = "N", conflicts_with = ASKED, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    pub(crate) evaluations: Option<u64>,
    /// Begin no more rows after a time such as 2h, a cost of tasks such as '4 core-h', or so many rows; may be repeated
    #[arg(long, value_name = "BOUND", conflicts_with = ASKED, value_parser = bound)]
    pub(crate) at_most: Vec<TuneBound>,
    /// Tune also without each slide in turn, and measure on it: so many times the rows
    #[arg(long, conflicts_with = ASKED)]
    pub(crate) leave_one_out: bool,
    /// Run so many independent random rows beside: the yardstick in the report
    #[arg(long, value_name = "N", conflicts_with = ASKED, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) yardstick: Option<u64>,
    /// Seed of the proposals, and of which slides are held out [default: the study's]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Write events as JSON lines into a file or a pipe [env: ONCEFLOW_EVENTS]
    #[arg(long, value_name = "FILE", help_heading = REUSE)]
    pub(crate) events: Option<PathBuf>,
    /// Pictures in the report: auto, all or none [default: auto] [env: ONCEFLOW_PICTURES]
    #[arg(long, value_name = "WHICH", help_heading = REUSE, value_parser = pictures)]
    pub(crate) pictures: Option<PictureChoice>,
    /// Replace the results of another study in the folder
    #[arg(long, help_heading = REUSE)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Show what would be computed, with random rows in place of proposals, and stop
    #[arg(long, conflicts_with = ASKED)]
    pub(crate) dry_run: bool,
    /// Print one JSON object; the readable answer goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) asked: AskedArgs,
}
