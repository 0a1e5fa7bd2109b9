//! Arguments of `onceflow compare`.

use clap::Args;
use onceflow_study::Size;

/// Arguments of `compare`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  onceflow compare mask.png truth.png
  onceflow compare mask.png truth.labels.png --um-per-pixel 0.25 --json | jq .dice
  onceflow compare masks/ truth/                 files of the same name, and all together

A mask's objects are its connected pixels (corners connect); a label image has one number for each
object, so that objects may touch. Two objects match when their intersection is at least half of
their union.")]
pub(crate) struct CompareArgs {
    /// The result: a mask, a label image or outlines, or a folder of them
    #[arg(value_name = "A")]
    pub(crate) result: String,
    /// The reference it is compared with, or a folder with one for each
    #[arg(value_name = "B")]
    pub(crate) reference: String,
    /// Micrometres per pixel, for densities [default: that of the files]
    #[arg(long, value_name = "X", value_parser = micrometres)]
    pub(crate) um_per_pixel: Option<f64>,
    /// Memory bound, such as '2 GiB' [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", env = "ONCEFLOW_MEMORY", hide_env_values = true, value_parser = Size::parse)]
    pub(crate) memory: Option<Size>,
    /// Print one JSON object in place of the table
    #[arg(long)]
    pub(crate) json: bool,
}

/// A size of pixels.
pub(super) fn micrometres(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "expected a number above 0, such as 0.25".into())
}
