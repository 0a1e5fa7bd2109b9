//! Arguments of `onceflow segment`.

use std::path::PathBuf;

use clap::Args;
use onceflow_study::Size;

/// Arguments of `segment`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow segment tile.png -o mask.png
  onceflow segment tile.png -o mask.png --overlay look.png -p G1=40 -p G2=18
  onceflow segment tile.png --params runs/first/best.json -o mask.png
  onceflow segment tile.png --polygons nuclei.geojson             outlines for QuPath
  onceflow segment synth:640x480?seed=7 --labels nuclei.png      synthetic tissue
  onceflow segment slide.tif -o mask.tif --labels nuclei.tif --memory '1 GiB'
  onceflow segment 'tiles/*.png' -o masks/ --polygons outlines/  many images, and masks/summary.csv
  onceflow segment tiles/ -o masks/ --truth truth/                with their agreement

The parameters are those of the shipped workflow `nuclei`; -p wins over --params, which wins over
the defaults. onceflow init writes a study with all of them. An image that does not fit in memory,
at 48 bytes for each pixel, is segmented in tiles, with 6 bytes of temporary disk space for each
pixel beside the outputs; every output is the same, byte for byte. With several images the outputs
(and --truth) are folders with a file named after each image, and a failed image does not stop the
others (exit code 1).")]
pub(crate) struct SegmentArgs {
    /// An image or a slide, or synth:WIDTHxHEIGHT?seed=S; several, a folder, a 'pattern*' or a list @FILE
    #[arg(value_name = "IMAGE", required = true)]
    pub(crate) images: Vec<String>,
    /// Output file for the mask, 255 in nuclei: .png or .tif; - is standard output
    #[arg(short, long, value_name = "MASK.png")]
    pub(crate) output: Option<PathBuf>,
    /// Output file for the nuclei, numbered from 1 on: .png has 16 bits, for up to 65,535; .tif has 32
    #[arg(long, value_name = "LABELS")]
    pub(crate) labels: Option<PathBuf>,
    /// Output file for the outlines of the nuclei as GeoJSON, which QuPath opens
    #[arg(long, value_name = "FILE.geojson")]
    pub(crate) polygons: Option<PathBuf>,
    /// Output file for the image with the outlines of the nuclei: .png or .tif
    #[arg(long, value_name = "OVERLAY.png")]
    pub(crate) overlay: Option<PathBuf>,
    /// Factor by which the overlay is smaller than the image
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024), requires = "overlay")]
    pub(crate) overlay_scale: u32,
    /// Truth to compare with: a mask, a label image, outlines, or a folder of them; --overlay shows the agreement
    #[arg(long, value_name = "FILE|FOLDER")]
    pub(crate) truth: Option<String>,
    /// Do not normalize colours, for an image that is normalized already
    #[arg(long)]
    pub(crate) no_normalize: bool,
    /// Resolution to work at, in micrometres per pixel: the image is resampled to it; one that says none is taken to have it
    #[arg(long, value_name = "X", value_parser = super::compare::micrometres)]
    pub(crate) um_per_pixel: Option<f64>,
    /// Parameters: best.json of a run, or a JSON object such as {"G1": 40, "T1": 5.5}
    #[arg(long, value_name = "FILE.json")]
    pub(crate) params: Option<PathBuf>,
    /// One parameter; may be given more than once
    #[arg(short, long, value_name = "NAME=VALUE")]
    pub(crate) parameter: Vec<String>,
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

impl SegmentArgs {
    /// The first image.
    pub(crate) fn image(&self) -> &str {
        self.images.first().map_or("", String::as_str)
    }
}
