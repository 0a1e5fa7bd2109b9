//! Arguments of `onceflow image`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use onceflow_study::Size;

use super::ConvertArgs;
use super::deferred::Deferred;

/// Arguments of `image`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct ImageArgs {
    #[command(subcommand)]
    pub(crate) verb: ImageVerb,
}

/// Verbs of `image`.
#[derive(Debug, Subcommand)]
pub(crate) enum ImageVerb {
    /// Show size, scales and resolution of an image file, without reading its pixels
    Info(Deferred<InfoArgs>),
    /// Show how an image is cut into parts
    Parts(Deferred<PartsArgs>),
    /// Write an image as a pyramid of tiles, as OME-Zarr or as PNG
    Convert(Deferred<ConvertArgs>),
    /// Make synthetic tissue with known nuclei
    Synth(Deferred<SynthArgs>),
}

impl ImageArgs {
    /// Whether the result is printed as JSON.
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
  onceflow image parts slide.svs --count 24          24 parts of about equal cost, by their tissue
  onceflow image parts slide.svs --count 64 --by quad --skip-background
  onceflow image parts slide.svs --size 4096 --halo 64 --picture parts.png

Parts are listed row by row from the upper left. A remainder smaller than half a part joins its
neighbour, as in a study.")]
pub(crate) struct PartsArgs {
    /// An image or a slide, or synth:WIDTHxHEIGHT?seed=S
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Side of a part in pixels
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), required_unless_present = "count")]
    pub(crate) size: Option<u64>,
    /// Number of parts of about equal cost: the image is read, and parts with tissue are smaller
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000), conflicts_with = "size")]
    pub(crate) count: Option<u64>,
    /// How to cut: grid (squares of --size), kd (halves of equal cost, the default with --count) or quad (quarters of the
    /// dearest part)
    #[arg(long, value_name = "WAY")]
    pub(crate) by: Option<CutWord>,
    /// Leave out parts without tissue; the image is read
    #[arg(long)]
    pub(crate) skip_background: bool,
    /// Width of the halo: pixels that a part reads around itself
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) halo: u64,
    /// Output file for a small copy of the image with the parts: borders, halos, parts without tissue in grey
    #[arg(long, value_name = "FILE.png")]
    pub(crate) picture: Option<PathBuf>,
    /// Replace an existing file that onceflow did not write, or that was changed since
    #[arg(long)]
    pub(crate) force: bool,
    /// Print one JSON object in place of the table
    #[arg(long)]
    pub(crate) json: bool,
}

/// Ways to cut an image: squares, halves of equal cost (a k-d tree), quarters of the dearest part (a quad tree).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CutWord {
    Grid,
    Kd,
    Quad,
}

/// Arguments of `image synth`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow image synth --width 1000 --height 1000 --seed 7 -o tissue.png --truth nuclei.png
  onceflow segment tissue.png -o mask.png && onceflow compare mask.png nuclei.png

The same size and seed give the same tissue on every machine, at 0.25 um per pixel. Every
command that takes an image also takes synth:1000x1000?seed=7, the same tissue without a file.")]
pub(crate) struct SynthArgs {
    /// Width in pixels
    #[arg(long, value_name = "W")]
    pub(crate) width: u64,
    /// Height in pixels
    #[arg(long, value_name = "H")]
    pub(crate) height: u64,
    /// Seed of the tissue
    #[arg(long, value_name = "S", default_value_t = 0, env = "ONCEFLOW_SEED", hide_env_values = true)]
    pub(crate) seed: u64,
    /// Output file for the image; - is standard output
    #[arg(short, long, value_name = "OUT.png")]
    pub(crate) output: PathBuf,
    /// Output file for its nuclei, numbered from 1 on, in 16 bits
    #[arg(long, value_name = "LABELS.png")]
    pub(crate) truth: Option<PathBuf>,
    /// Memory bound, such as '2 GiB' [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", env = "ONCEFLOW_MEMORY", hide_env_values = true, value_parser = Size::parse)]
    pub(crate) memory: Option<Size>,
    /// Replace an existing file that onceflow did not write, or that was changed since
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be made, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
