//! Arguments of `onceflow report`.

use std::path::PathBuf;

use clap::Args;

use super::run::AllowArgs;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow report runs/first                                 print the answer again
  onceflow report runs/first --json                          the figures of the run as JSON
  onceflow report runs/first --row 17 -o look/               a picture of every region of row 17
  onceflow report runs/first --row 17 --image one -o look/   the same on another image
  onceflow report runs/first --log --row 17 --task flood     what your program printed")]
pub(crate) struct ReportArgs {
    /// The folder of a run
    pub(crate) folder: PathBuf,
    /// Print the run's JSON object in place of the text
    #[arg(long, conflicts_with = "row")]
    pub(crate) json: bool,
    /// Compute this row again, and draw a picture of every region; 0 is the reference row
    #[arg(long, value_name = "N", requires = "what")]
    pub(crate) row: Option<u64>,
    /// Image to compute the row on [default: the first]
    #[arg(long, value_name = "NAME", requires = "row")]
    pub(crate) image: Option<String>,
    /// Part of the image, counted from 0
    #[arg(long, value_name = "K", requires = "row", default_value_t = 0)]
    pub(crate) part: usize,
    /// Folder for the pictures; created if missing
    #[arg(short, value_name = "FOLDER", requires = "row", group = "what")]
    pub(crate) o: Option<PathBuf>,
    /// Print the output of the workflow's programs for the row
    #[arg(long, requires = "row", group = "what")]
    pub(crate) log: bool,
    /// Only this task
    #[arg(long, value_name = "TASK", requires = "row")]
    pub(crate) task: Option<String>,
    /// Replace pictures that onceflow did not write, or that were changed since
    #[arg(long, requires = "row")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
}
