//! `onceflow image`: what can be said.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use onceflow_study::Size;

use super::ConvertArgs;

/// Arguments of `image`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct ImageArgs {
    #[command(subcommand)]
    pub(crate) verb: ImageVerb,
}

/// What to do with images.
#[derive(Debug, Subcommand)]
pub(crate) enum ImageVerb {
    /// Say what an image file holds; its pixels are not read
    Info(InfoArgs),
    /// Say how an image is cut into parts
    Parts(PartsArgs),
    /// Write an image as a pyramid of tiles, as OME-Zarr or as PNG
    Convert(ConvertArgs),
    /// Make synthetic tissue with known nuclei
    Synth(SynthArgs),
}

impl ImageArgs {
    /// Whether a script reads the result.
    pub(crate) fn wants_json(&self) -> bool {
        match &self.verb {
            ImageVerb::Info(args) => args.json,
            ImageVerb::Parts(args) => args.json,
            ImageVerb::Convert(args) => args.json,
            ImageVerb::Synth(args) => args.json,
        }
    }
}

/// Arguments of `image info`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow image info slide.svs
  onceflow image info slide.svs --json | jq .um_per_pixel
  onceflow image info brain.nii.gz")]
pub(crate) struct InfoArgs {
    /// An image, a slide or a volume, or synth:WIDTHxHEIGHT?seed=S
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `image parts`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow image parts slide.tif --size 4096
  onceflow image parts slide.tif --size 4096 --halo 64 --json | jq '.parts | length'
  onceflow image parts slide.svs --count 24          24 parts of about the same cost, by their tissue
  onceflow image parts slide.svs --size 4096 --halo 64 --picture parts.png

Parts go row by row from the upper left. A rest of less than half a part joins its neighbour, as in
a study.")]
pub(crate) struct PartsArgs {
    /// An image or a slide, or synth:WIDTHxHEIGHT?seed=S
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Side of a part in pixels
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), required_unless_present = "count")]
    pub(crate) size: Option<u64>,
    /// So many parts of about the same cost instead: the image is read, and where tissue is parts are smaller
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000), conflicts_with = "size")]
    pub(crate) count: Option<u64>,
    /// Pixels that a part reads around itself
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) halo: u64,
    /// Where to draw the parts over a small copy of the image: borders, halos, parts without tissue in grey
    #[arg(long, value_name = "FILE.png")]
    pub(crate) picture: Option<PathBuf>,
    /// Print one JSON object in place of the table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `image synth`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow image synth --width 1000 --height 1000 --seed 7 -o tissue.png --truth nuclei.png
  onceflow segment tissue.png -o mask.png && onceflow compare mask.png nuclei.png

The same size and seed give the same tissue on every machine, at 0.25 um per pixel. Wherever an
image is named, synth:1000x1000?seed=7 stands for the same tissue without a file.")]
pub(crate) struct SynthArgs {
    /// Columns
    #[arg(long, value_name = "W")]
    pub(crate) width: u64,
    /// Rows
    #[arg(long, value_name = "H")]
    pub(crate) height: u64,
    /// Which tissue
    #[arg(long, value_name = "S", default_value_t = 0, env = "ONCEFLOW_SEED", hide_env_values = true)]
    pub(crate) seed: u64,
    /// Where to write the image; - is standard output
    #[arg(short, long, value_name = "OUT.png")]
    pub(crate) output: PathBuf,
    /// Where to write its nuclei numbered from 1 on, in 16 bits
    #[arg(long, value_name = "LABELS.png")]
    pub(crate) truth: Option<PathBuf>,
    /// Bound of memory, such as '2 GiB' [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", env = "ONCEFLOW_MEMORY", hide_env_values = true, value_parser = Size::parse)]
    pub(crate) memory: Option<Size>,
    /// Say what would be made, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
