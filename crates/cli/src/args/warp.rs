//! Arguments of `onceflow warp`.

use std::path::PathBuf;

use clap::Args;
use onceflow_study::Size;

/// Arguments of `warp`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow warp aligned/transform.json t2.nii.gz -o t2-aligned.nii.gz
  onceflow warp aligned/transform.json regions.nii.gz --labels -o regions-aligned.nii.gz
  onceflow warp aligned/transform.json places.txt -o places-moving.txt

A volume of the moving world is pulled onto the voxels of the fixed volume. Places go the other
way, as points always do: those of a point file lie in the fixed world, and become places of the
moving world. Places outside the fixed volume are moved by the affine part only, and counted.")]
pub(crate) struct WarpArgs {
    /// transform.json of a registration
    #[arg(value_name = "TRANSFORM")]
    pub(crate) transform: PathBuf,
    /// A volume (.nii, .nii.gz, .mha, .mhd), or a point file (.txt, .pts)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Output file: .nii, .nii.gz or .mha for a volume
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// The volume holds labels: each voxel takes that of the nearest one, and 0 outside
    #[arg(long, conflicts_with = "fill")]
    pub(crate) labels: bool,
    /// Value where the moving volume does not reach [default: its least value]
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    pub(crate) fill: Option<f64>,
    /// Which time of a series, from 0 on
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) time: u64,
    /// Number of threads; the result does not depend on it [default: one per processor]
    #[arg(long, value_name = "N", env = "ONCEFLOW_WORKERS", hide_env_values = true, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) workers: Option<u64>,
    /// Memory bound, such as '2 GiB' [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", env = "ONCEFLOW_MEMORY", hide_env_values = true, value_parser = Size::parse)]
    pub(crate) memory: Option<Size>,
    /// Replace an existing file that onceflow did not write, or that was changed since
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be computed and written, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
