//! Arguments of `onceflow image convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use onceflow_region::Bounds;
use onceflow_study::Size;

/// Arguments of `image convert`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow image convert slide.svs slide.ome.zarr
  onceflow image convert slide.svs slide.tif --compression jpeg --quality 85   small
  onceflow image convert slide.svs part.png --box 12000,8000,2048,2048
  onceflow image convert slide.svs coarse.tif --um-per-pixel 1
  onceflow image convert synth:20000x20000?seed=7 tissue.tif --dry-run

The image is read once, in pieces: the memory needed does not depend on its height. Tiled TIFF
files open in QuPath, OpenSlide and tifffile, OME-Zarr in napari and ome-zarr-py. Smaller scales
are means of 2 x 2 pixels; integers of 32 or 64 bits are labels, which are never averaged (unless
--halving mean is given). OUT appears when it is complete; an existing file or folder is replaced
with --force only.")]
pub(crate) struct ConvertArgs {
    /// An image or a slide, or synth:WIDTHxHEIGHT?seed=S
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// Where to write: .tif is a pyramid of tiles, .zarr is OME-Zarr, .png is one image
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Convert this box only, in pixels of the whole image
    #[arg(long = "box", value_name = "X,Y,W,H", value_parser = bounds)]
    pub(crate) bounds: Option<Bounds>,
    /// Scale of the input to convert, counted from 0 as in image info
    #[arg(long, value_name = "N", conflicts_with = "um_per_pixel")]
    pub(crate) scale: Option<usize>,
    /// Resample the image to this many micrometres per pixel
    #[arg(long, value_name = "U", value_parser = micrometres)]
    pub(crate) um_per_pixel: Option<f64>,
    /// Side of the tiles of a TIFF in pixels, a multiple of 16 [default: 512]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(16..=4096))]
    pub(crate) tile: Option<u64>,
    /// Compression of pixels [default: deflate in a TIFF, zstd in OME-Zarr]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) compression: Option<CompressionWord>,
    /// Quality of JPEG, from 1 to 100; implies --compression jpeg [default: 90]
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) quality: Option<u8>,
    /// How pixels of smaller scales are computed [default: by the type of the pixels]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) halving: Option<HalvingWord>,
    /// Write the whole image without smaller scales
    #[arg(long)]
    pub(crate) no_pyramid: bool,
    /// Number of threads; the result does not depend on it [default: one per processor]
    #[arg(long, alias = "workers", value_name = "N", env = "ONCEFLOW_WORKERS", hide_env_values = true, value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub(crate) threads: Option<u64>,
    /// Memory bound, such as '500 MB' [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", env = "ONCEFLOW_MEMORY", hide_env_values = true, value_parser = Size::parse)]
    pub(crate) memory: Option<Size>,
    /// Replace an existing file or folder
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be written, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Compression of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompressionWord {
    /// No compression
    None,
    /// Deflate, without loss (TIFF)
    Deflate,
    /// JPEG: small, but pixels change (TIFF)
    Jpeg,
    /// Zstandard, without loss (OME-Zarr)
    Zstd,
}

/// How pixels of smaller scales are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HalvingWord {
    /// The mean of four pixels, for images
    Mean,
    /// The upper left of four pixels, for labels
    First,
}

/// A box as four numbers.
pub(crate) fn bounds(text: &str) -> Result<Bounds, String> {
    let numbers: Vec<u64> = text.split(',').map_while(|number| number.trim().parse().ok()).collect();
    let [x, y, width, height] = numbers[..] else {
        return Err("expected X,Y,W,H: four whole numbers, such as 1024,0,512,512".into());
    };
    let place = |number: u64| i64::try_from(number).map_err(|_| "expected a box within the image".to_owned());
    match Bounds::plane(place(x)?, place(y)?, width, height) {
        Some(bounds) if text.split(',').count() == 4 && !bounds.is_empty() => Ok(bounds),
        _ => Err("expected X,Y,W,H with at least one column and row".into()),
    }
}

fn micrometres(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "expected a number above 0, such as 0.5".into())
}
