//! Arguments of `onceflow check`.

use std::path::PathBuf;

use clap::Args;

/// Arguments of `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow check study.toml            a study, with its workflow and its table of images
  onceflow check workflow.json         a workflow descriptor
  onceflow check params.txt            a SALib problem; also Dakota, stage files, t2flow
  onceflow check study.toml --json     for scripts
  onceflow check study.toml --without-images     a study whose images are on another machine

Nothing is run. What onceflow run would refuse is an error here, with the same exit code; the exit code is 0 when there are
only warnings.")]
pub(crate) struct CheckArgs {
    /// The file to check; its kind is recognised by its contents
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Do not open images and truth, for a study whose files are on another machine
    #[arg(long)]
    pub(crate) without_images: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
