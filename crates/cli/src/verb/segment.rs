//! `onceflow segment`: the nuclei of images.

mod many;
mod outcome;
pub(super) mod parameters;
pub(super) mod place;
mod written;

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::{
    NucleiParameters, Tiling, as_eight_bits, bytes_to_segment, check_sizes, check_truth, open_deep_image,
    open_labels, segment,
};
use onceflow_kernels::nuclei::Status;
use onceflow_region::{ImageInfo, Source};
use onceflow_study::Diagnostic;

use crate::args::SegmentArgs;
use crate::engine::engine_failure;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::remove_on_signal;
use crate::many::{Asked, asked};
use crate::picture;
use crate::terminal::Terminal;
use outcome::Outcome;
use place::Place;
use written::outputs;

/// Segments one image, or several.
pub(crate) fn run(args: &SegmentArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    if let Asked::Many(images) = asked(&args.images)? {
        return many::run(args, &images, terminal);
    }
    if let Some((outcome, parameters)) = found(args, terminal)? {
        tell(args, &outcome, &parameters, terminal)?;
    }
    Ok(Exit::Ok)
}

/// Opens, checks, segments, writes; a dry run says what would be done, and finds nothing.
fn found(args: &SegmentArgs, terminal: &Terminal) -> Result<Option<(Outcome, NucleiParameters)>, Failure> {
    picture::check(&outputs(args), &inputs(args), args.json)?;
    written::check_endings(args)?;
    let parameters = parameters::read(args.params.as_deref(), &args.parameter)?;
    let source = open_deep_image(args.image(), Path::new("")).map_err(engine_failure)?;
    let truth = open_truth(args, &*source)?;
    let place =
        Place::new(args.memory, args.tile, &outputs(args)).fitting(bytes_to_segment(source.info()))?;
    if args.dry_run {
        plan(args, source.info(), &place, terminal)?;
        return Ok(None);
    }
    tell_depth(args.image(), &*source, terminal);
    remove_on_signal();
    let outcome = work(args, &*source, truth.as_deref(), &place, &parameters, terminal)?;
    Ok(Some((outcome, parameters)))
}

fn work(
    args: &SegmentArgs,
    source: &dyn Source,
    truth: Option<&dyn Source>,
    place: &Place,
    parameters: &NucleiParameters,
    terminal: &Terminal,
) -> Result<Outcome, Failure> {
    let progress = terminal.progress(format!("segmenting {}", size(source.info())));
    let watch = |step| progress.step(step);
    let desk = place.desk(1, &watch);
    let truth = args.truth.as_deref().zip(truth);
    truth.map_or(Ok(()), |truth| check_truth(truth, &desk)).map_err(engine_failure)?;
    let kernel = parameters.to_kernel().map_err(engine_failure)?;
    let mut found = segment(source, &kernel, !args.no_normalize, &desk).map_err(engine_failure)?;
    written::write(args, (source, truth), &mut found, (&desk, terminal))?;
    Ok(Outcome::new(&found, source.info(), place.tiling.as_ref()))
}

fn inputs(args: &SegmentArgs) -> Vec<&Path> {
    let named = [Some(Path::new(args.image())), args.truth.as_ref().map(Path::new), args.params.as_deref()];
    named.into_iter().flatten().collect()
}

/// Opens the truth, which must be of the image's size.
fn open_truth(args: &SegmentArgs, image: &dyn Source) -> Result<Option<Arc<dyn Source>>, Failure> {
    let Some(name) = &args.truth else { return Ok(None) };
    let truth = open_labels(name, Path::new("")).map_err(engine_failure)?;
    check_sizes((args.image(), image), (name, &*truth)).map_err(engine_failure)?;
    Ok(Some(truth))
}

/// Says how pixels become colours of 8 bits, where they are none.
pub(super) fn tell_depth(name: &str, source: &dyn Source, terminal: &Terminal) {
    if let Some(words) = as_eight_bits(source) {
        terminal.diagnostics(&[Diagnostic::note(format!("{name} {words}"))]);
    }
}

fn plan(args: &SegmentArgs, info: &ImageInfo, place: &Place, terminal: &Terminal) -> Result<(), Failure> {
    let tiling = place.tiling.as_ref();
    let needed = tiling.map_or(bytes_to_segment(info), Tiling::memory);
    let disk = Tiling::disk_bytes(info);
    if args.json {
        terminal.json(&place.plan_json(info, needed, disk))?;
    }
    let words = place.plan_words(needed, disk);
    terminal.say(&format!("would segment {} in at most {words}", size(info)));
    for path in outputs(args) {
        terminal.say(&format!("would write {}", path.display()));
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
