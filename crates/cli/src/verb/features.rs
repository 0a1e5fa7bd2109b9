//! `onceflow features`: what the nuclei of images are like.

mod form;
mod many;

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use onceflow_engine::{
    Desk, FeatureFile, FeatureForm, Nuclei, NucleiFeatures, Tiling, available_workers, bytes_to_measure,
    check_sizes, disk_bytes_to_measure, features, open_deep_image, open_labels,
};
use onceflow_kernels::features::names;
use onceflow_region::Source;
use onceflow_study::{Diagnostic, with_commas};
use serde_json::json;

use crate::args::FeaturesArgs;
use crate::engine::engine_failure;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::{Target, remove_on_signal};
use crate::many::{Asked, asked};
use crate::picture::{self, Stream, write_stream};
use crate::terminal::Terminal;
use crate::verb::segment::place::Place;
use crate::verb::segment::{note, parameters, tell_depth};

/// Measures one image, or several.
pub(crate) fn run(args: &FeaturesArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    if let Asked::Many(images) = asked(&args.images)? {
        return many::run(args, &images, terminal);
    }
    if args.format.is_some() {
        let message = Diagnostic::error("--format is for several images");
        let message = message.expected_found("the ending of -o to say the form", "--format");
        return Err(message.with_hint("leave --format out").into());
    }
    form::of(&args.output)?;
    check_target(args)?;
    match measured(args, terminal)? {
        Some(found) => tell(args, &found, terminal),
        None => Ok(Exit::Ok),
    }
}

/// Opens, checks, measures, writes; a dry run says what would be done, and measures nothing.
fn measured(args: &FeaturesArgs, terminal: &Terminal) -> Result<Option<NucleiFeatures>, Failure> {
    let form = form::of(&args.output)?;
    let parameters = parameters::read(args.params.as_deref(), &args.parameter)?;
    let kernel = parameters.to_kernel().map_err(engine_failure)?;
    let source = open_deep_image(args.image(), Path::new("")).map_err(engine_failure)?;
    let drawn = open_drawn(args, &*source)?;
    let nuclei = match (drawn.as_deref(), &args.mask, &args.labels) {
        (Some(drawn), Some(name), _) => Nuclei::Mask(name, drawn),
        (Some(drawn), _, Some(name)) => Nuclei::Labels(name, drawn),
        _ => Nuclei::Found(&kernel),
    };
    let needed = bytes_to_measure(source.info(), nuclei);
    let place = Place::new(args.memory, args.tile, &[&args.output]).fitting(needed)?;
    if args.dry_run {
        plan(args, (&*source, nuclei), &place, terminal)?;
        return Ok(None);
    }
    tell_depth(args.image(), &*source, terminal);
    remove_on_signal();
    work(args, (&*source, nuclei), &place, (form, terminal)).map(Some)
}

/// Refuses what could not be written, before the work.
fn check_target(args: &FeaturesArgs) -> Result<(), Failure> {
    let target = Target::new(Some(&args.output));
    target.refuse_inputs(&inputs(args))?;
    match target.path() {
        Some(path) => picture::check_folder(path),
        None if args.json => {
            let message = Diagnostic::error("standard output cannot hold both a table and JSON");
            let message = message.expected_found("a file with --json", "-").with_hint("name a file");
            Err(Failure::bad_input(message))
        }
        None => Ok(()),
    }
}

fn inputs(args: &FeaturesArgs) -> Vec<&Path> {
    let drawn = args.mask.as_ref().or(args.labels.as_ref()).map(Path::new);
    [Some(Path::new(args.image())), drawn, args.params.as_deref()].into_iter().flatten().collect()
}

/// Opens the mask or the labels, which must be of the image's size.
fn open_drawn(args: &FeaturesArgs, image: &dyn Source) -> Result<Option<Arc<dyn Source>>, Failure> {
    let Some(name) = args.mask.as_ref().or(args.labels.as_ref()) else { return Ok(None) };
    let drawn = open_labels(name, Path::new("")).map_err(engine_failure)?;
    check_sizes((name, &*drawn), (args.image(), image)).map_err(engine_failure)?;
    Ok(Some(drawn))
}

fn plan(
    args: &FeaturesArgs,
    (source, nuclei): (&dyn Source, Nuclei<'_>),
    place: &Place,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let info = source.info();
    let needed = place.tiling.as_ref().map_or(bytes_to_measure(info, nuclei), Tiling::memory);
    let disk = disk_bytes_to_measure(info, nuclei);
    if args.json {
        terminal.json(&place.plan_json(info, needed, disk))?;
    }
    let words = place.plan_words(needed, disk);
    terminal.say(&format!("would measure {} x {} pixels in at most {words}", info.width, info.height));
    terminal.say(&format!("would write {}", args.output.display()));
    Ok(())
}

fn work(
    args: &FeaturesArgs,
    (source, nuclei): (&dyn Source, Nuclei<'_>),
    place: &Place,
    (form, terminal): (FeatureForm, &Terminal),
) -> Result<NucleiFeatures, Failure> {
    let info = source.info();
    let progress = terminal.progress(format!("measuring {} x {} pixels", info.width, info.height));
    let watch = |step| progress.step(step);
    let threads = args.workers.map_or_else(available_workers, |workers| workers as usize);
    let desk = place.desk(threads, &watch);
    let mut found = features(source, nuclei, !args.no_normalize, &desk).map_err(engine_failure)?;
    write_stream(&args.output, terminal, |to| match to {
        Stream::File(file) => write(&mut found, form, &desk, file),
        Stream::Standard(out) => write(&mut found, form, &desk, out),
    })?;
    Ok(found)
}

fn write(
    found: &mut NucleiFeatures,
    form: FeatureForm,
    desk: &Desk<'_>,
    to: impl Write + Send,
) -> io::Result<()> {
    let mut file = FeatureFile::new(form, BufWriter::new(to))?;
    found.measure(desk, |object| file.add(object))?;
    file.finish()
}

fn tell(args: &FeaturesArgs, found: &NucleiFeatures, terminal: &Terminal) -> Result<Exit, Failure> {
    if let Some(note) = note(found.status) {
        terminal.diagnostics(&[note]);
    }
    let (objects, columns) = (found.objects(), names());
    if args.json {
        let status = found.status_word();
        let object = json!({ "version": 1, "status": status, "objects": objects, "normalized": !args.no_normalize, "features": columns });
        terminal.json(&object)?;
        return Ok(Exit::Ok);
    }
    let text = format!("nuclei    {}\nfeatures  {} of each\n", with_commas(objects as u128), columns.len());
    if args.output == Path::new("-") {
        terminal.say(text.trim_end());
    } else {
        terminal.result(&text)?;
    }
    Ok(Exit::Ok)
}
