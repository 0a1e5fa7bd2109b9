//! `onceflow features`: what can be said.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onceflow_study::Size;

/// Arguments of `features`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow features tile.png -o nuclei.csv                        find the nuclei, then measure them
  onceflow features tile.png --mask mask.png -o nuclei.geojson    outlines and measurements for QuPath
  onceflow features tile.png --labels labels.png -o - | head -3
  onceflow features slide.tif -o nuclei.parquet --memory '1 GiB'  in tiles, if it does not fit
  onceflow features @slides.txt -o tables/ --format parquet       many images, and tables/summary.csv

Without --mask or --labels the nuclei are found as `onceflow segment` does. Colours are moved to the target's
before they are measured, unless --no-normalize is given. An image that does not fit in memory is worked on in
tiles, with up to 7 bytes for each pixel on the disk of the output meanwhile; the output is the same, byte for
byte. With several images -o (and --mask or --labels) is a folder with a file named after each, and what is wrong
with one image does not stop the others (exit code 1). docs/features.md says what each column is.")]
pub(crate) struct FeaturesArgs {
    /// An image or a slide, or synth:WIDTHxHEIGHT?seed=S; several, a 'pattern*' or a list @FILE
    #[arg(value_name = "IMAGE", required = true)]
    pub(crate) images: Vec<String>,
    /// Where to write: .csv and .parquet are tables, .geojson is for QuPath; - is .csv on standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// What is written of each of several images [default: csv]
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) format: Option<TableWord>,
    /// The nuclei: the connected pixels of a mask (corners connect)
    #[arg(long, value_name = "MASK.png", conflicts_with = "labels")]
    pub(crate) mask: Option<String>,
    /// The nuclei: the numbers of a label image
    #[arg(long, value_name = "LABELS.png")]
    pub(crate) labels: Option<String>,
    /// Take the colours as they are, for an image that is normalized already
    #[arg(long)]
    pub(crate) no_normalize: bool,
    /// Parameters of the segmentation as a JSON object: {"G1": 40, "T1": 5.5}
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["mask", "labels"])]
    pub(crate) params: Option<PathBuf>,
    /// One parameter of the segmentation; may be given more than once
    #[arg(short, long, value_name = "NAME=VALUE", conflicts_with_all = ["mask", "labels"])]
    pub(crate) parameter: Vec<String>,
    /// Threads that measure; they change nothing in the result [default: one per processor]
    #[arg(long, value_name = "N", env = "ONCEFLOW_WORKERS", hide_env_values = true, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) workers: Option<u64>,
    /// Bound of memory, such as '2 GiB' [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", env = "ONCEFLOW_MEMORY", hide_env_values = true, value_parser = Size::parse)]
    pub(crate) memory: Option<Size>,
    /// Work on tiles of so many pixels on a side, whatever fits [default: as the memory allows]
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tile: Option<u32>,
    /// Say what would be computed and written, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is written of each of several images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableWord {
    Csv,
    Parquet,
    Geojson,
}

impl FeaturesArgs {
    /// The image, when it is one.
    pub(crate) fn image(&self) -> &str {
        self.images.first().map_or("", String::as_str)
    }
}
