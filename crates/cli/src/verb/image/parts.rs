//! `onceflow image parts`: how an image is cut.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use onceflow_engine::{BLANK_COST, draw_parts, open_source, tissue_costs};
use onceflow_region::{
    Bounds, ImageInfo, Part, QuadLimit, Remainder, Source, drop_background, partition, partition_by_cost,
    partition_by_quad_tree,
};
use onceflow_study::{Diagnostic, counted, with_commas};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

use crate::args::{CutWord, PartsArgs};
use crate::diagnostics::from_region_error;
use crate::picture::{self, PictureForm};

/// Cuts the image and lists its parts.
pub(super) fn run(args: &PartsArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    check_picture(args)?;
    let source = open_source(&args.file, Path::new("")).map_err(engine_failure)?;
    let info = source.info();
    let (parts, costs) = cut(args, source.as_ref(), terminal)?;
    let listed = ListedParts { args, info, parts: &parts, costs: costs.as_deref() };
    if let Some(path) = &args.picture {
        draw(path, &source, &parts, terminal)?;
    }
    terminal.result(&if args.json { listed.to_json() } else { listed.to_text() })?;
    Ok(Exit::Ok)
}

/// Refuses a picture that could not be written, before the image is read.
fn check_picture(args: &PartsArgs) -> Result<(), Failure> {
    let Some(path) = args.picture.as_deref() else { return Ok(()) };
    picture::check(&[path], &[Path::new(&args.file)], (args.json, args.force))?;
    match PictureForm::of(path)? {
        PictureForm::Png if path != Path::new("-") => Ok(()),
        _ => {
            let message = Diagnostic::error("the picture of the parts must be a PNG file");
            let message = message.expected_found("a .png file", path.display().to_string());
            Err(message.with_hint("name it parts.png").into())
        }
    }
}

fn draw(path: &Path, source: &Arc<dyn Source>, parts: &[Part], terminal: &Terminal) -> Result<(), Failure> {
    let drawn = {
        let _progress = terminal.progress("drawing the parts");
        draw_parts(Arc::clone(source), parts).map_err(engine_failure)?
    };
    picture::write(path, &drawn.picture, terminal)?;
    if drawn.background > 0 {
        terminal.say(&format!("grey: {} without tissue in the picture", counted(drawn.background, "part")));
    }
    Ok(())
}

fn squares(info: &ImageInfo, size: u64, halo: u64) -> Result<Vec<Part>, Failure> {
    refuse_many(info, size)?;
    let whole = info.bounds().ok_or_else(|| Failure::internal("an image without a box"))?;
    let parts = partition(whole, size, halo, Remainder::Merge);
    Ok(parts.map_err(|error| from_region_error("cannot cut the image", &error))?)
}

/// Parts, and when they were cut by cost, the cost of each relative to the mean.
fn cut(
    args: &PartsArgs,
    source: &dyn Source,
    terminal: &Terminal,
) -> Result<(Vec<Part>, Option<Vec<f64>>), Failure> {
    let way = way(args)?;
    if way == CutWord::Grid && !args.skip_background {
        return Ok((squares(source.info(), args.size.unwrap_or(1), args.halo)?, None));
    }
    let _progress = terminal.progress("looking for tissue");
    let map = tissue_costs(source).map_err(engine_failure)?;
    let count = usize::try_from(args.count.unwrap_or(1)).unwrap_or(usize::MAX);
    let parts = match way {
        CutWord::Grid => Ok(squares(source.info(), args.size.unwrap_or(1), args.halo)?),
        CutWord::Kd => partition_by_cost(&map, count, args.halo),
        CutWord::Quad => partition_by_quad_tree(&map, QuadLimit::Parts(count), args.halo),
    };
    let mut parts = parts.map_err(|error| from_region_error("cannot cut the image", &error))?;
    if args.skip_background {
        parts = drop_background(&map, parts, BLANK_COST);
    }
    let costs: Vec<f64> = parts.iter().map(|part| map.cost(&part.core)).collect();
    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
    Ok((parts, Some(costs.iter().map(|cost| cost / mean).collect())))
}

/// How to cut: a grid needs a size, the other ways a number of parts.
fn way(args: &PartsArgs) -> Result<CutWord, Failure> {
    let natural = if args.count.is_some() { CutWord::Kd } else { CutWord::Grid };
    let way = args.by.unwrap_or(natural);
    if (way == CutWord::Grid) == (natural == CutWord::Grid) {
        return Ok(way);
    }
    let (way, needed, given) = match way {
        CutWord::Grid => ("grid", "--size", "--count"),
        CutWord::Kd => ("kd", "--count", "--size"),
        CutWord::Quad => ("quad", "--count", "--size"),
    };
    let message = Diagnostic::error(format!("--by {way} cannot be combined with {given}"));
    let message = message.expected_found(format!("{needed} with --by {way}"), given);
    Err(message.with_hint("a grid needs --size, kd and quad need --count").into())
}

/// Most parts that are listed.
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

/// Parts as they are shown.
struct ListedParts<'a> {
    args: &'a PartsArgs,
    info: &'a ImageInfo,
    parts: &'a [Part],
    /// When they were cut by cost, the cost of each relative to the mean.
    costs: Option<&'a [f64]>,
}

impl ListedParts<'_> {
    /// Written directly as text: a JSON tree of a million parts would take a hundred times the memory.
    fn to_json(&self) -> String {
        let bounds = |b: &Bounds| {
            format!(r#""x":{},"y":{},"width":{},"height":{}"#, b.x(), b.y(), b.width(), b.height())
        };
        let part = |p: &Part| {
            let cost = self.costs.map_or_else(String::new, |costs| format!(r#","cost":{}"#, costs[p.index]));
            format!(r#"{{"index":{},{},"read":{{{}}}{cost}}}"#, p.index, bounds(&p.core), bounds(&p.read))
        };
        let list = self.parts.iter().map(part).collect::<Vec<_>>().join(",");
        let (width, height, halo) = (self.info.width, self.info.height, self.args.halo);
        let size = self.args.size.map_or_else(|| "null".to_owned(), |size| size.to_string());
        format!(
            r#"{{"version":1,"width":{width},"height":{height},"size":{size},"halo":{halo},"parts":[{list}]}}"#
        ) + "\n"
    }

    fn to_text(&self) -> String {
        let (width, height) = (self.info.width, self.info.height);
        let mut text = format!("{} of {width} x {height} pixels\n", counted(self.parts.len(), "part"));
        let head = if self.costs.is_some() { "    cost   reads\n" } else { "   reads\n" };
        text.push_str("  part           x           y       width      height");
        text.push_str(head);
        for Part { index, core, read } in self.parts {
            let reads = format!("{} x {} from {}, {}", read.width(), read.height(), read.x(), read.y());
            let (x, y, width, height) = (core.x(), core.y(), core.width(), core.height());
            let cost = self.costs.map_or_else(String::new, |costs| format!("{:>8.3}", costs[*index]));
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{index:>6}{x:>12}{y:>12}{width:>12}{height:>12}{cost}   {reads}");
        }
        text
    }
}
