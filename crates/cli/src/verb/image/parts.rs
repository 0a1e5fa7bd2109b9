//! `onceflow image parts`: how an image is cut.

use std::fmt::Write as _;
use std::path::Path;

use onceflow_engine::open_source;
use onceflow_region::{Bounds, ImageInfo, Part, Remainder, partition};
use onceflow_study::{Diagnostic, counted, with_commas};

use crate::args::PartsArgs;
use crate::diagnostics::from_region_error;
use crate::engine::engine_failure;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Cuts, lists.
pub(super) fn run(args: &PartsArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let source = open_source(&args.file, Path::new("")).map_err(engine_failure)?;
    let info = source.info();
    refuse_many(info, args.size)?;
    let whole = info.bounds().ok_or_else(|| Failure::internal("an image without a box"))?;
    let parts = partition(whole, args.size, args.halo, Remainder::Merge);
    let parts = parts.map_err(|error| from_region_error("cannot cut the image", &error))?;
    terminal.result(&if args.json { to_json(args, info, &parts) } else { to_text(info, &parts) })?;
    Ok(Exit::Ok)
}

/// A list that nobody reads.
const MOST: u64 = 1_000_000;

fn refuse_many(info: &ImageInfo, size: u64) -> Result<(), Failure> {
    let along = |side: u64| side.div_ceil(size.max(1));
    let parts = along(info.width).saturating_mul(along(info.height));
    if parts <= MOST {
        return Ok(());
    }
    let message = Diagnostic::error("the image would be cut into too many parts");
    let commas = |number: u64| with_commas(u128::from(number));
    let message =
        message.expected_found(format!("at most {}", commas(MOST)), format!("about {}", commas(parts)));
    Err(message.with_hint("raise --size").into())
}

/// Written as it is made: a tree of a million parts would take a hundred times the memory of the text.
fn to_json(args: &PartsArgs, info: &ImageInfo, parts: &[Part]) -> String {
    let bounds =
        |b: &Bounds| format!(r#""x":{},"y":{},"width":{},"height":{}"#, b.x(), b.y(), b.width(), b.height());
    let part =
        |p: &Part| format!(r#"{{"index":{},{},"read":{{{}}}}}"#, p.index, bounds(&p.core), bounds(&p.read));
    let list = parts.iter().map(part).collect::<Vec<_>>().join(",");
    let (width, height, size, halo) = (info.width, info.height, args.size, args.halo);
    format!(
        r#"{{"version":1,"width":{width},"height":{height},"size":{size},"halo":{halo},"parts":[{list}]}}"#
    ) + "\n"
}

fn to_text(info: &ImageInfo, parts: &[Part]) -> String {
    let mut text = format!("{} of {} x {} pixels\n", counted(parts.len(), "part"), info.width, info.height);
    text.push_str("  part           x           y       width      height   reads\n");
    for Part { index, core, read } in parts {
        let reads = format!("{} x {} from {}, {}", read.width(), read.height(), read.x(), read.y());
        let (x, y, width, height) = (core.x(), core.y(), core.width(), core.height());
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{index:>6}{x:>12}{y:>12}{width:>12}{height:>12}   {reads}");
    }
    text
}
