//! Arguments of `onceflow register`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onceflow_study::Size;

/// Arguments of `register`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow register fixed.nii.gz moving.nii.gz -o aligned
  onceflow register fixed.nii.gz moving.nii.gz -o aligned --labels fixed-labels.nii.gz moving-labels.nii.gz
  onceflow register fixed.mha moving.mha -o aligned --landmarks fixed.txt moving.txt -p initial=centres
  onceflow register fixed.nii moving.nii -o stiff -p bending=0.2 -p iterations_5=40
  onceflow register fixed.nii moving.nii -o coarse --stop-after 3

The moving volume is pulled onto the voxels of the fixed one. The folder gets warped, labels,
displacement and jacobian as volumes, transform.json with transform.raw, transform.txt for ITK,
landmarks.txt, trace.csv, report.html and, last, register.json. Files that come in pairs are
given as FIXED MOVING; - stands for none. -p wins over --params, which wins over the defaults.
A registration that is interrupted goes on where it was when it is started again.")]
pub(crate) struct RegisterArgs {
    /// The volume whose voxels all results have: .nii, .nii.gz, .mha or .mhd
    #[arg(value_name = "FIXED")]
    pub(crate) fixed: PathBuf,
    /// The volume that is pulled onto it
    #[arg(value_name = "MOVING")]
    pub(crate) moving: PathBuf,
    /// Output folder
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Label maps, to measure how well they overlap; the moving one is pulled onto the fixed volume too
    #[arg(long, num_args = 2, value_names = ["FIXED", "MOVING"])]
    pub(crate) labels: Option<Vec<PathBuf>>,
    /// Point files as elastix writes them, with the same places in both
    #[arg(long, num_args = 2, value_names = ["FIXED", "MOVING"])]
    pub(crate) landmarks: Option<Vec<PathBuf>>,
    /// Masks, 0 where voxels do not count
    #[arg(long, num_args = 2, value_names = ["FIXED", "MOVING"])]
    pub(crate) masks: Option<Vec<PathBuf>>,
    /// Which time of a series, from 0 on
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) time: u64,
    /// The values that count as darkest and brightest, in place of the least and the greatest of each volume
    #[arg(long, num_args = 2, value_names = ["LOW", "HIGH"], allow_negative_numbers = true)]
    pub(crate) window: Option<Vec<f64>>,
    /// Parameters: a JSON object such as {"bending": 0.2, "iterations_5": 40}
    #[arg(long, value_name = "FILE.json")]
    pub(crate) params: Option<PathBuf>,
    /// One parameter; may be given more than once
    #[arg(short, long, value_name = "NAME=VALUE")]
    pub(crate) parameter: Vec<String>,
    /// Last level that is run
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) stop_after: Option<u32>,
    /// Form of the volumes that are written [default: that of FIXED]
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) form: Option<VolumeFormWord>,
    /// Value of the warped volume where the moving one does not reach [default: its least value]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    pub(crate) fill: Option<f64>,
    /// Number of threads; the result does not depend on it [default: one per processor]
    #[arg(long, value_name = "N", env = "ONCEFLOW_WORKERS", hide_env_values = true, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) workers: Option<u64>,
    /// Memory bound, such as '2 GiB' [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", env = "ONCEFLOW_MEMORY", hide_env_values = true, value_parser = Size::parse)]
    pub(crate) memory: Option<Size>,
    /// Replace the files of an earlier registration
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be computed and written, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// The form of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VolumeFormWord {
    #[value(name = "nii")]
    Nifti,
    #[value(name = "nii.gz")]
    NiftiGz,
    #[value(name = "mha")]
    Mha,
}
