//! `onceflow segment`: finds the nuclei of images.

mod at_work;
mod many;
mod outcome;
pub(super) mod parameters;
pub(super) mod workspace;
mod written;

use std::path::Path;

use onceflow_engine::{
    EngineError, NucleiError, NucleiParameters, Segmented, Tiling, Workspace, agreement, bytes_to_compare,
    bytes_to_segment, check_truth, segment,
};
use onceflow_imageio::{MaskFolder, open_bytes, png_bytes};
use onceflow_kernels::compare::ComparisonCounts;
use onceflow_kernels::nuclei::SegmentationStatus;
use onceflow_region::{Dense, ImageInfo, Pixels, Source};
use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

use crate::args::SegmentArgs;
use crate::file::remove_on_signal;
use crate::many::{DrawnFolder, NamedImage, NamedImages, asked};
use crate::picture;
pub(super) use at_work::ImageAtWork;
use outcome::SegmentOutcome;
use workspace::WorkspacePlan;
use written::outputs;

/// Segments one image, or several.
pub(crate) fn run(args: &SegmentArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    if let NamedImages::Many(images) = asked(&args.images)? {
        return many::run(args, &images, terminal);
    }
    if let Some((outcome, parameters)) = found(args, terminal)? {
        tell(args, &outcome, &parameters, terminal)?;
    }
    Ok(Exit::Ok)
}

/// Opens, checks, segments, writes; a dry run shows what would be done, and segments nothing.
fn found(
    args: &SegmentArgs,
    terminal: &Terminal,
) -> Result<Option<(SegmentOutcome, NucleiParameters)>, Failure> {
    picture::check(&outputs(args), &inputs(args), (args.json, args.force))?;
    written::check_endings(args)?;
    let values = parameters::read(args.params.as_deref(), &args.parameter)?;
    let image = ImageAtWork::open(args.image(), args.um_per_pixel)?;
    let truth_name = truth_name(args)?;
    let truth = truth_name.as_deref().map(|name| image.drawn(name)).transpose()?;
    let info = image.source().info();
    let needed = bytes_to_segment(info).map_err(engine_failure)?;
    let workspace_plan = WorkspacePlan::new(args.memory, args.tile, &outputs(args)).fitting(needed)?;
    image.tell(args.um_per_pixel, values.um_per_pixel, "masks, labels and overlays have", terminal);
    if args.dry_run {
        plan(args, info, &workspace_plan, terminal)?;
        return Ok(None);
    }
    remove_on_signal();
    let truth = truth_name.as_deref().zip(truth.as_deref());
    let outcome = work(args, &image, truth, &workspace_plan, &values.parameters, terminal)?;
    Ok(Some((outcome, values.parameters)))
}

fn work(
    args: &SegmentArgs,
    image: &ImageAtWork<'_>,
    truth: Option<(&str, &dyn Source)>,
    workspace_plan: &WorkspacePlan,
    parameters: &NucleiParameters,
    terminal: &Terminal,
) -> Result<SegmentOutcome, Failure> {
    let source = image.source();
    let progress = terminal.progress(format!("segmenting {}", size(source.info())));
    let watch = |step| progress.step(step);
    let workspace = workspace_plan.workspace(1, &watch);
    truth.map_or(Ok(()), |truth| check_truth(truth, &workspace)).map_err(engine_failure)?;
    let kernel = parameters.to_kernel().map_err(engine_failure)?;
    let mut found = segment(source, &kernel, !args.no_normalize, &workspace).map_err(engine_failure)?;
    written::write(args, (image, truth), &mut found, (&workspace, terminal))?;
    let mut outcome = SegmentOutcome::new(&found, source.info(), workspace_plan.tiling.as_ref());
    outcome.agreement = match truth {
        Some(truth) if workspace_plan.has_room_for(bytes_to_compare(source.info())) => {
            Some(agreement_with(&mut found, truth, source.info(), &workspace)?)
        }
        Some(_) => {
            terminal.diagnostics(&[no_room_to_compare()]);
            None
        }
        None => None,
    };
    Ok(outcome)
}

/// The truth of a single image: a file, or that of its name in a folder; a folder of masks may also be its truth itself.
fn truth_name(args: &SegmentArgs) -> Result<Option<String>, Failure> {
    let Some(name) = &args.truth else { return Ok(None) };
    let image = NamedImage::of(args.image());
    let found =
        if Path::new(name).is_dir() { DrawnFolder::of(name)?.named_after(&image) } else { Ok(name.clone()) };
    match found {
        Err(_) if MaskFolder::is_one(Path::new(name)) => Ok(Some(name.clone())),
        found => found.map(Some),
    }
}

/// Counts of the mask against the truth, as `compare` counts those of its file.
fn agreement_with(
    found: &mut Segmented,
    truth: (&str, &dyn Source),
    info: &ImageInfo,
    workspace: &Workspace<'_>,
) -> Result<ComparisonCounts, Failure> {
    let mut pixels = Vec::new();
    let taken = found.give_mask(workspace, &mut |rows| {
        if let Pixels::U8(rows) = rows {
            pixels.extend_from_slice(rows);
        }
        Ok(())
    });
    taken.map_err(|error| engine_failure(EngineError::from_writing(Path::new("the mask"), error)))?;
    let mask = Dense::new(info.width as usize, info.height as usize, 1, Pixels::U8(pixels));
    let bytes = mask.and_then(|mask| png_bytes(&mask));
    let bytes = bytes.map_err(|error| engine_failure(EngineError::Internal(error.to_string())))?;
    let mask = open_bytes("the mask", bytes).map_err(|error| engine_failure(NucleiError::from(error)))?;
    agreement(("the mask", &*mask), truth).map_err(engine_failure)
}

fn no_room_to_compare() -> Diagnostic {
    let note = Diagnostic::note("the memory bound has no room for the comparison with the truth");
    note.with_hint("write the mask and the truth, and compare parts of them")
}

fn inputs(args: &SegmentArgs) -> Vec<&Path> {
    let named = [Some(Path::new(args.image())), args.truth.as_ref().map(Path::new), args.params.as_deref()];
    named.into_iter().flatten().collect()
}

fn plan(
    args: &SegmentArgs,
    info: &ImageInfo,
    workspace_plan: &WorkspacePlan,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let tiling = workspace_plan.tiling.as_ref();
    let in_memory = bytes_to_segment(info).map_err(engine_failure)?;
    let needed = tiling.map_or(in_memory, Tiling::memory);
    let disk = Tiling::disk_bytes(info);
    if args.json {
        terminal.json(&workspace_plan.plan_json(info, needed, disk))?;
    }
    let words = workspace_plan.plan_words(needed, disk);
    terminal.say(&format!("would segment {} in at most {words}", size(info)));
    for path in outputs(args) {
        terminal.say(&format!("would write {}", path.display()));
    }
    Ok(())
}

fn tell(
    args: &SegmentArgs,
    outcome: &SegmentOutcome,
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

/// Why there are no nuclei, and what to change.
pub(super) fn note(status: SegmentationStatus) -> Option<Diagnostic> {
    let (message, hint) = match status {
        SegmentationStatus::Ok => return None,
        SegmentationStatus::Background | SegmentationStatus::BackgroundLikely => (
            "nearly every pixel is brighter than `red`, `green` and `blue`, so the image was not searched",
            "if the image shows tissue, raise these three, for instance -p red=240 -p green=240 -p blue=240",
        ),
        SegmentationStatus::NoCandidates => (
            "no object is dark enough and of the right size",
            "lower G1 and minSize, or raise maxSize; --overlay shows the image",
        ),
    };
    Some(Diagnostic::note(message).with_hint(hint))
}

fn size(info: &ImageInfo) -> String {
    format!("{} x {} pixels", info.width, info.height)
}
