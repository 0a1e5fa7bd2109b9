//! `onceflow report`: what can be said.

use std::path::PathBuf;

use clap::Args;

use super::run::AllowArgs;

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow report runs/first                                 print the answer again
  onceflow report runs/first --json                          the account of the run for scripts
  onceflow report runs/first --row 17 -o look/               every region of row 17 as a picture
  onceflow report runs/first --row 17 --image one -o look/   the same on another image
  onceflow report runs/first --log --row 17 --task flood     what a program of yours printed")]
pub(crate) struct ReportArgs {
    /// The folder of a run
    pub(crate) folder: PathBuf,
    /// Print the run's JSON object in place of the text
    #[arg(long, conflicts_with = "row")]
    pub(crate) json: bool,
    /// Make this row again, alone, and draw every region of it; 0 is the reference row
    #[arg(long, value_name = "N", requires = "what")]
    pub(crate) row: Option<u64>,
    /// The image to make it on [default: the first]
    #[arg(long, value_name = "NAME", requires = "row")]
    pub(crate) image: Option<String>,
    /// Which of the image's parts, counted from 0
    #[arg(long, value_name = "K", requires = "row", default_value_t = 0)]
    pub(crate) part: usize,
    /// Folder for the pictures; made when it is not there
    #[arg(short, value_name = "FOLDER", requires = "row", group = "what")]
    pub(crate) o: Option<PathBuf>,
    /// Print what programs of the workflow printed for the row
    #[arg(long, requires = "row", group = "what")]
    pub(crate) log: bool,
    /// Only this task
    #[arg(long, value_name = "TASK", requires = "row")]
    pub(crate) task: Option<String>,
    #[command(flatten)]
    pub(crate) allow: AllowArgs,
}
