//! Arguments of `onceflow products`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use onceflow_engine::PixelBox;
use onceflow_study::{Size, parse_duration};

use super::deferred::Deferred;
use super::run::size;

/// Arguments of `products`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow products stats                       how much is kept, and what it saved
  onceflow products ls --json | jq '.products[].run'
  onceflow products ls --region nuclei          regions of this name, with their image, row and box
  onceflow products verify                      read everything again; damage is set aside
  onceflow products gc --dry-run --older-than '30 d'
  onceflow products gc --size '2 GiB'
  onceflow products pin 3f2a                    never remove results whose keys begin with 3f2a
  onceflow products why 3f2a                    where a result comes from, and whether its bytes are sound
  onceflow products export 3f2a --box 0,0,256x256 -o piece.png

Runs take results from the store, and add to it, by themselves. A store is a folder, by default
onceflow/products in the user's cache folder. It may be removed at any time: what is missing is
computed again.")]
pub(crate) struct ProductsArgs {
    #[command(subcommand)]
    pub(crate) verb: ProductsVerb,
}

/// Verbs of `products`.
#[derive(Debug, Subcommand)]
pub(crate) enum ProductsVerb {
    /// List results, the oldest first
    #[command(
        after_help = "Examples:\n  onceflow products ls\n  onceflow products ls --json | jq '.products[].run'\n  onceflow products ls --image tile --region nuclei --box 0,0,256x256"
    )]
    Ls(Deferred<ListArgs>),
    /// Show sizes, hits and misses, and the time that was saved
    #[command(
        after_help = "Examples:\n  onceflow products stats\n  onceflow products stats --store /data/results --json"
    )]
    Stats(Deferred<StoreArgs>),
    /// Read every result again and set damaged ones aside
    #[command(
        after_help = "Examples:\n  onceflow products verify\n  onceflow products verify --json | jq '.damaged[]'"
    )]
    Verify(Deferred<StoreArgs>),
    /// Remove results: those of least value, or those that were not used for some time
    #[command(
        after_help = "Examples:\n  onceflow products gc --dry-run\n  onceflow products gc --size '2 GiB'\n  onceflow products gc --older-than '30 d'"
    )]
    Gc(Deferred<GcArgs>),
    /// Keep results for good
    #[command(after_help = "Examples:\n  onceflow products pin 3f2a")]
    Pin(Deferred<PinArgs>),
    /// Let pinned results be removed again
    #[command(after_help = "Examples:\n  onceflow products unpin 3f2a")]
    Unpin(Deferred<PinArgs>),
    /// Explain results: who made them, when, in which run, what they took, how often they were used, whether they are sound
    #[command(
        after_help = "Examples:\n  onceflow products why 3f2a\n  onceflow products why 3f2a --json | jq '.products[].run'"
    )]
    Why(Deferred<PinArgs>),
    /// Write a kept region as a PNG image: whole, or only a box of it, for which little is read
    #[command(
        after_help = "Examples:\n  onceflow why study.toml --row 17              names the keys of the regions of row 17\n  onceflow products export 3f2a -o mask.png\n  onceflow products export 3f2a --box 1000,2000,256x256 -o piece.png --json"
    )]
    Export(Deferred<ExportArgs>),
}

/// Which store.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    /// Folder of the store [default: onceflow/products in the user's cache folder] [env: ONCEFLOW_STORE]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// What it may take on the disk [default: a tenth of the free disk, at most 50 GiB] [env: ONCEFLOW_STORE_SIZE]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) store_size: Option<Size>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `ls`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// Only regions of this image, by its name in the study
    #[arg(long, value_name = "NAME")]
    pub(crate) image: Option<String>,
    /// Only regions of this name: an output of the workflow, a task, or `counts`
    #[arg(long, value_name = "NAME")]
    pub(crate) region: Option<String>,
    /// Only regions with pixels in this box of the image: X,Y,WIDTHxHEIGHT
    #[arg(long = "box", value_name = "BOX", value_parser = pixel_box)]
    pub(crate) within: Option<PixelBox>,
}

/// Arguments of `gc`.
#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// Remove results of least value until the rest has this size [default: the limit of the store]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) size: Option<Size>,
    /// Remove results that were not used for this time, such as '30 d'
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) older_than: Option<Duration>,
    /// Show what would be removed, and stop
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Arguments of `pin`, `unpin` and `why`.
#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// The first digits of keys, as `ls` prints them
    #[arg(value_parser = digits)]
    pub(crate) key: String,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// The first digits of the key of a region, as `why` and `ls` print them
    #[arg(value_parser = digits)]
    pub(crate) key: String,
    /// Only this box of the region, in pixels: X,Y,WIDTHxHEIGHT [default: all of it]
    #[arg(long = "box", value_name = "BOX", value_parser = pixel_box)]
    pub(crate) within: Option<PixelBox>,
    /// The image file to write
    #[arg(short, long, value_name = "FILE.png")]
    pub(crate) output: PathBuf,
    /// Replace a file that Onceflow did not write
    #[arg(long)]
    pub(crate) force: bool,
}

impl ProductsArgs {
    /// Whether failures are printed as JSON too.
    pub(crate) fn wants_json(&self) -> bool {
        match &self.verb {
            ProductsVerb::Ls(args) => args.store.json,
            ProductsVerb::Stats(args) | ProductsVerb::Verify(args) => args.json,
            ProductsVerb::Gc(args) => args.store.json,
            ProductsVerb::Export(args) => args.store.json,
            ProductsVerb::Pin(args) | ProductsVerb::Unpin(args) | ProductsVerb::Why(args) => args.store.json,
        }
    }
}

fn time(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

fn digits(text: &str) -> Result<String, String> {
    let proper = !text.is_empty() && text.len() <= 64 && text.bytes().all(|c| c.is_ascii_hexdigit());
    if proper { Ok(text.to_lowercase()) } else { Err("expected up to 64 hexadecimal digits".into()) }
}

/// A box as a user writes it: `X,Y,WIDTHxHEIGHT`.
fn pixel_box(text: &str) -> Result<PixelBox, String> {
    let parsed = || {
        let mut fields = text.split(',').map(str::trim);
        let (x, y, size) = (fields.next()?, fields.next()?, fields.next()?);
        let (width, height) = size.split_once('x')?;
        let number = |text: &str| text.parse::<usize>().ok();
        let found = PixelBox { x: number(x)?, y: number(y)?, width: number(width)?, height: number(height)? };
        (fields.next().is_none() && found.width > 0 && found.height > 0).then_some(found)
    };
    parsed().ok_or_else(|| "expected X,Y,WIDTHxHEIGHT in pixels, such as 100,200,64x64".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_read_and_others_refused() {
        assert_eq!(pixel_box("1,2,3x4"), Ok(PixelBox { x: 1, y: 2, width: 3, height: 4 }));
        for wrong in ["", "1,2", "1,2,3", "1,2,0x4", "-1,2,3x4", "1,2,3x4,5", "a,2,3x4"] {
            assert!(pixel_box(wrong).is_err(), "{wrong}");
        }
    }
}
