//! `onceflow features`: measures the nuclei of images.

mod form;
mod many;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use onceflow_engine::{
    FeatureFile, FeatureForm, NucleiFeatures, NucleiSource, Tiling, Workspace, available_workers,
    bytes_to_measure, disk_bytes_to_measure, features,
};
use onceflow_kernels::features::names;
use onceflow_region::Source;
use onceflow_study::{Diagnostic, with_commas};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::json;

use crate::args::FeaturesArgs;
use crate::file::{OutputTarget, remove_on_signal};
use crate::many::{NamedImages, asked};
use crate::picture::{self, OutputStream, write_stream};
use crate::verb::segment::workspace::WorkspacePlan;
use crate::verb::segment::{ImageAtWork, note, parameters};

/// Measures one image, or several.
pub(crate) fn run(args: &FeaturesArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    if let NamedImages::Many(images) = asked(&args.images)? {
        return many::run(args, &images, terminal);
    }
    if args.format.is_some() {
        let message = Diagnostic::error("--format is for several images only");
        let message = message.expected_found("the format in the file extension of -o", "--format");
        return Err(message.with_hint("leave --format out").into());
    }
    form::of(&args.output)?;
    check_target(args)?;
    match measured(args, terminal)? {
        Some(found) => tell(args, &found, terminal),
        None => Ok(Exit::Ok),
    }
}

/// Opens, checks, measures, writes; a dry run shows what would be done, and measures nothing.
fn measured(args: &FeaturesArgs, terminal: &Terminal) -> Result<Option<NucleiFeatures>, Failure> {
    let form = form::of(&args.output)?;
    let values = parameters::read(args.params.as_deref(), &args.parameter)?;
    let kernel = values.parameters.to_kernel().map_err(engine_failure)?;
    let image = ImageAtWork::open(args.image(), args.um_per_pixel)?;
    let drawn = args.mask.as_deref().or(args.labels.as_deref()).map(|name| image.drawn(name)).transpose()?;
    let nuclei = match (drawn.as_deref(), &args.mask, &args.labels) {
        (Some(drawn), Some(name), _) => NucleiSource::Mask(name, drawn),
        (Some(drawn), _, Some(name)) => NucleiSource::Labels(name, drawn),
        _ => NucleiSource::Found(&kernel),
    };
    let needed = bytes_to_measure(image.source().info(), nuclei).map_err(engine_failure)?;
    let workspace_plan = WorkspacePlan::new(args.memory, args.tile, &[&args.output]).fitting(needed)?;
    image.tell(args.um_per_pixel, values.um_per_pixel, "tables are in", terminal);
    if args.dry_run {
        plan(args, (image.source(), nuclei), &workspace_plan, terminal)?;
        return Ok(None);
    }
    remove_on_signal();
    work(args, (&image, nuclei), &workspace_plan, (form, terminal)).map(Some)
}

/// Refuses an output that cannot be written, before the work.
fn check_target(args: &FeaturesArgs) -> Result<(), Failure> {
    let target = OutputTarget::new(Some(&args.output));
    target.refuse_inputs(&inputs(args))?;
    target.refuse_foreign(args.force)?;
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

fn plan(
    args: &FeaturesArgs,
    (source, nuclei): (&dyn Source, NucleiSource<'_>),
    workspace_plan: &WorkspacePlan,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let info = source.info();
    let in_memory = bytes_to_measure(info, nuclei).map_err(engine_failure)?;
    let needed = workspace_plan.tiling.as_ref().map_or(in_memory, Tiling::memory);
    let disk = disk_bytes_to_measure(info, nuclei);
    if args.json {
        terminal.json(&workspace_plan.plan_json(info, needed, disk))?;
    }
    let words = workspace_plan.plan_words(needed, disk);
    terminal.say(&format!("would measure {} x {} pixels in at most {words}", info.width, info.height));
    terminal.say(&format!("would write {}", args.output.display()));
    Ok(())
}

fn work(
    args: &FeaturesArgs,
    (image, nuclei): (&ImageAtWork<'_>, NucleiSource<'_>),
    workspace_plan: &WorkspacePlan,
    (form, terminal): (FeatureForm, &Terminal),
) -> Result<NucleiFeatures, Failure> {
    let (source, ratio) = (image.source(), image.ratio());
    let info = source.info();
    let progress = terminal.progress(format!("measuring {} x {} pixels", info.width, info.height));
    let watch = |step| progress.step(step);
    let threads = args.workers.map_or_else(available_workers, |workers| workers as usize);
    let workspace = workspace_plan.workspace(threads, &watch);
    let mut found = features(source, nuclei, !args.no_normalize, &workspace).map_err(engine_failure)?;
    write_stream(&args.output, terminal, |to| match to {
        OutputStream::File(file) => write(&mut found, (form, ratio), &workspace, file),
        OutputStream::Standard(out) => write(&mut found, (form, ratio), &workspace, out),
    })?;
    Ok(found)
}

fn write(
    found: &mut NucleiFeatures,
    (form, ratio): (FeatureForm, f64),
    workspace: &Workspace<'_>,
    to: impl Write + Send,
) -> io::Result<()> {
    let mut file = FeatureFile::new(form, BufWriter::new(to))?.scaled(ratio);
    found.measure(workspace, |object| file.add(object))?;
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
