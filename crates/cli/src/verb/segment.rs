//! `onceflow segment`: the nuclei of one image.

mod outcome;
pub(super) mod parameters;
mod tiles;

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::{
    NucleiParameters, Segmented, Tiling, bytes_to_segment, check_sizes, open_image, open_labels, overlay,
    read_objects, segment,
};
use onceflow_kernels::nuclei::Status;
use onceflow_region::{Dense, ImageInfo, Source};
use onceflow_study::{Diagnostic, Size};
use serde_json::json;

use crate::args::SegmentArgs;
use crate::engine::engine_failure;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;
use crate::{memory, picture};
use outcome::Outcome;

/// Opens, checks, segments, writes, says.
pub(crate) fn run(args: &SegmentArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    picture::check(&outputs(args), &inputs(args), args.json)?;
    let parameters = parameters::read(args.params.as_deref(), &args.parameter)?;
    let source = open_image(&args.image, Path::new("")).map_err(engine_failure)?;
    let truth = open_truth(args, &*source)?;
    let needed = needed(source.info(), truth.is_some());
    let tiling = tiles::choose(args, needed)?;
    if tiling.is_none() {
        memory::check("segment the image at once", needed, args.memory)?;
    }
    if args.dry_run {
        return plan(args, source.info(), needed, tiling.as_ref(), terminal);
    }
    let truth = truth.map(|truth| read_truth(args, &*truth)).transpose()?;
    let outcome = {
        let _progress = terminal.progress(format!("segmenting {}", size(source.info())));
        let kernel = parameters.to_kernel().map_err(engine_failure)?;
        match &tiling {
            Some(tiling) => {
                let found = tiles::run(args, &*source, &kernel, tiling, terminal)?;
                Outcome::of_tiles(&found, source.info(), tiling)
            }
            None => {
                let found = segment(&*source, &kernel, !args.no_normalize).map_err(engine_failure)?;
                write(args, &found, truth.as_ref(), terminal)?;
                Outcome::of_whole(&found, source.info())
            }
        }
    };
    tell(args, &outcome, &parameters, terminal)?;
    Ok(Exit::Ok)
}

fn outputs(args: &SegmentArgs) -> Vec<&Path> {
    [&args.output, &args.labels, &args.overlay].into_iter().filter_map(Option::as_deref).collect()
}

fn inputs(args: &SegmentArgs) -> Vec<&Path> {
    let named = [Some(args.image.as_ref()), args.truth.as_ref().map(Path::new), args.params.as_deref()];
    named.into_iter().flatten().collect()
}

/// Opens the truth, which must be of the image's size.
fn open_truth(args: &SegmentArgs, image: &dyn Source) -> Result<Option<Arc<dyn Source>>, Failure> {
    let Some(name) = &args.truth else { return Ok(None) };
    let truth = open_labels(name, Path::new("")).map_err(engine_failure)?;
    check_sizes((&args.image, image), (name, &*truth)).map_err(engine_failure)?;
    Ok(Some(truth))
}

/// Reads it before the work: a truth that is none is said at once.
fn read_truth(args: &SegmentArgs, truth: &dyn Source) -> Result<Dense, Failure> {
    read_objects(args.truth.as_deref().unwrap_or_default(), truth).map_err(engine_failure)
}

/// Memory of the work; a truth is held meanwhile, four bytes for each pixel.
fn needed(info: &ImageInfo, with_truth: bool) -> u64 {
    let truth = if with_truth { info.width.saturating_mul(info.height).saturating_mul(4) } else { 0 };
    bytes_to_segment(info).saturating_add(truth)
}

fn plan(
    args: &SegmentArgs,
    info: &ImageInfo,
    needed: u64,
    tiling: Option<&Tiling>,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let needed = tiling.map_or(needed, Tiling::memory);
    if args.json {
        let (width, height) = (info.width, info.height);
        let mut object = json!({ "version": 1, "dry_run": true, "width": width, "height": height, "memory_bytes": needed });
        if let Some(tiling) = tiling {
            object["tile"] = json!(tiling.tile());
            object["disk_bytes"] = json!(Tiling::disk_bytes(info));
        }
        terminal.json(&object)?;
    }
    let mebibytes = |bytes: u64| Size(bytes.div_ceil(1 << 20) << 20);
    let tiles = tiling.map_or_else(String::new, |tiling| {
        format!(", in tiles of {} pixels with {} on disk", tiling.tile(), mebibytes(Tiling::disk_bytes(info)))
    });
    terminal.say(&format!("would segment {} in at most {} of memory{tiles}", size(info), mebibytes(needed)));
    for path in outputs(args) {
        terminal.say(&format!("would write {}", path.display()));
    }
    Ok(Exit::Ok)
}

fn write(
    args: &SegmentArgs,
    found: &Segmented,
    truth: Option<&Dense>,
    terminal: &Terminal,
) -> Result<(), Failure> {
    for (path, picture) in [(&args.output, &found.mask), (&args.labels, &found.labels)] {
        if let Some(path) = path {
            picture::write(path, picture, terminal)?;
        }
    }
    if let Some(path) = &args.overlay {
        let drawn = overlay(&found.image, &found.labels, truth).map_err(engine_failure)?;
        picture::write(path, &drawn, terminal)?;
    }
    Ok(())
}

fn tell(
    args: &SegmentArgs,
    outcome: &Outcome,
    parameters: &NucleiParameters,
    terminal: &Terminal,
) -> Result<(), Failure> {
    if let Some(note) = note(outcome.status) {
        terminal.diagnostics(&[note]);
    }
    if args.json {
        return terminal.json(&outcome.to_json(!args.no_normalize, parameters));
    }
    let text = outcome.to_text();
    if outputs(args).contains(&Path::new("-")) {
        terminal.say(text.trim_end());
        return Ok(());
    }
    terminal.result(&text)
}

/// Why nothing was found, and what could be changed.
pub(super) fn note(status: Status) -> Option<Diagnostic> {
    let (message, hint) = match status {
        Status::Ok => return None,
        Status::Background | Status::BackgroundLikely => (
            "nearly every pixel is brighter than `red`, `green` and `blue`, so nothing was looked for",
            "if the image shows tissue, raise these three, for instance -p red=240 -p green=240 -p blue=240",
        ),
        Status::NoCandidates => (
            "nothing is dark enough and of the right size",
            "lower G1 and minSize, or raise maxSize; --overlay shows the image that was looked at",
        ),
    };
    Some(Diagnostic::note(message).with_hint(hint))
}

fn size(info: &ImageInfo) -> String {
    format!("{} x {} pixels", info.width, info.height)
}
