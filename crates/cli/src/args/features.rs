//! Arguments of `onceflow features`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onceflow_study::Size;

/// Arguments of `features`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow features tile.png -o nuclei.csv                        find nuclei and measure them
  onceflow features tile.png --mask mask.png -o nuclei.geojson    outlines and features for QuPath
  onceflow features tile.png --labels labels.png -o - | head -3
  onceflow features slide.tif -o nuclei.parquet --memory '1 GiB'  in tiles, if necessary
  onceflow features @slides.txt -o tables/ --format parquet       many, and tables/summary.csv

Without --mask or --labels the nuclei are found as `onceflow segment` does. Colours are normalized
before they are measured, unless --no-normalize is given. An image that does not fit in memory is
measured in tiles, with up to 7 bytes of temporary disk space for each pixel beside the output;
the output is the same, byte for byte. With several images -o (and --mask or --labels) is a folder
with a file named after each image, and a failed image does not stop the others (exit code 1).
docs/reference/features.md explains each column.")]
pub(crate) struct FeaturesArgs {
    /// An image or a slide, or synth:WIDTHxHEIGHT?seed=S; several, a folder, a 'pattern*' or a list @FILE
    #[arg(value_name = "IMAGE", required = true)]
    pub(crate) images: Vec<String>,
    /// Output file: .csv or .parquet for a table, .geojson for QuPath; - is CSV on standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Format of the file of each of several images [default: csv]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<FeatureFormatWord>,
    /// The nuclei: the connected pixels of a mask (corners connect)
    #[arg(long, value_name = "MASK.png", conflicts_with = "labels")]
    pub(crate) mask: Option<String>,
    /// The nuclei: the numbers of a label image
    #[arg(long, value_name = "LABELS.png")]
    pub(crate) labels: Option<String>,
    /// Do not normalize colours, for an image that is normalized already
    #[arg(long)]
    pub(crate) no_normalize: bool,
    /// Resolution to work at, in micrometres per pixel: the image is resampled to it; one that says none is taken to have it
    #[arg(long, value_name = "X", value_parser = super::compare::micrometres)]
    pub(crate) um_per_pixel: Option<f64>,
    /// Parameters of the segmentation: best.json of a run, or a JSON object such as {"G1": 40, "T1": 5.5}
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["mask", "labels"])]
    pub(crate) params: Option<PathBuf>,
    /// One parameter of the segmentation; may be given more than once
    #[arg(short, long, value_name = "NAME=VALUE", conflicts_with_all = ["mask", "labels"])]
    pub(crate) parameter: Vec<String>,
    /// Number of threads; the result does not depend on it [default: one per processor]
    #[arg(long, value_name = "N", env = "ONCEFLOW_WORKERS", hide_env_values = true, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) workers: Option<u64>,
    /// Memory bound, such as '2 GiB' [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", env = "ONCEFLOW_MEMORY", hide_env_values = true, value_parser = Size::parse)]
    pub(crate) memory: Option<Size>,
    /// Work in tiles with this side, even if the image fits in memory [default: as large as the memory allows]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tile: Option<u32>,
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

/// Format of the file of each of several images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FeatureFormatWord {
    Csv,
    Parquet,
    Geojson,
}

impl FeaturesArgs {
    /// The first image.
    pub(crate) fn image(&self) -> &str {
        self.images.first().map_or("", String::as_str)
    }
}
