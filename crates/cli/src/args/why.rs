//! Arguments of `onceflow why`.

use std::path::PathBuf;

use clap::Args;

use super::merge::MergeArgs;
use super::run::MachineArgs;

/// Arguments of `why`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow why study.toml --row 17                every task of row 17, and the rows that share it
  onceflow why study.toml --row 17 --task t4      one of them
  onceflow why runs/first --row 2478              a row of a run, of any phase, with what the run found to be equal
  onceflow why study.toml --row 17 --run runs/study     the same for a study that was moved
  onceflow why study.toml --reuse task --merge rtma --bucket 3")]
#[command(group = clap::ArgGroup::new("question").required(true).args(["row", "bucket"]))]
pub(crate) struct WhyArgs {
    /// The study, or the folder of a run of it
    #[arg(value_name = "STUDY|RUN")]
    pub(crate) study: PathBuf,
    /// A row by its number in rows.csv; 0 is the reference row
    #[arg(long, value_name = "N")]
    pub(crate) row: Option<usize>,
    /// One task of the row
    #[arg(long, value_name = "TASK", requires = "row")]
    pub(crate) task: Option<String>,
    /// A bucket
    #[arg(long, value_name = "B")]
    pub(crate) bucket: Option<usize>,
    /// The stage whose bucket it is [default: the one with most buckets]
    #[arg(long, value_name = "STAGE", requires = "bucket")]
    pub(crate) stage: Option<String>,
    /// The phase whose bucket it is [default: the first]
    #[arg(long, value_name = "PHASE", requires = "bucket")]
    pub(crate) phase: Option<String>,
    /// Folder of a run of the study: explains also which tasks it found to be equal
    #[arg(long, value_name = "DIR")]
    pub(crate) run: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    #[command(flatten)]
    pub(crate) merge: MergeArgs,
    /// Print one JSON object in place of the text
    #[arg(long)]
    pub(crate) json: bool,
}
