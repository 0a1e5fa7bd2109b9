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
  onceflow why study.toml --row 17 --run runs/study     with what a run found to be equal
  onceflow why study.toml --reuse task --merge rtma --bucket 3")]
#[command(group = clap::ArgGroup::new("question").required(true).args(["row", "bucket"]))]
pub(crate) struct WhyArgs {
    /// The study
    pub(crate) study: PathBuf,
    /// A row of the first phase; 0 is the reference row
    #[arg(long, value_name = "N")]
    pub(crate) row: Option<usize>,
    /// One task of the row
    #[arg(long, value_name = "TASK", requires = "row")]
    pub(crate) task: Option<String>,
    /// A bucket
    #[arg(long, value_name = "B")]
    pub(crate) bucket: Option<usize>,
    /// Folder of a run of the study: explains also which tasks it found to be equal
    #[arg(long, value_name = "DIR", requires = "row")]
    pub(crate) run: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    #[command(flatten)]
    pub(crate) merge: MergeArgs,
    /// Print one JSON object in place of the text
    #[arg(long)]
    pub(crate) json: bool,
}
