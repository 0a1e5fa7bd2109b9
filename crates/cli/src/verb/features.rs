//! `onceflow features`: what the nuclei of one image are like.

mod form;

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::{
    Nuclei, NucleiFeatures, available_memory, available_workers, bytes_to_measure, check_sizes, features,
    open_image, open_labels,
};
use onceflow_region::Source;
use onceflow_study::{Diagnostic, Size, with_commas};
use serde_json::json;

use crate::args::FeaturesArgs;
use crate::engine::engine_failure;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::Target;
use crate::terminal::Terminal;
use crate::verb::segment;
use crate::{memory, picture};
use form::Form;

/// Opens, checks, measures, writes, says.
pub(crate) fn run(args: &FeaturesArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let form = Form::of(&args.output)?;
    check_target(args)?;
    let parameters = segment::parameters::read(args.params.as_deref(), &args.parameter)?;
    let kernel = parameters.to_kernel().map_err(engine_failure)?;
    let source = open_image(&args.image, Path::new("")).map_err(engine_failure)?;
    let drawn = open_drawn(args, &*source)?;
    let nuclei = match (drawn.as_deref(), &args.mask, &args.labels) {
        (Some(drawn), Some(name), _) => Nuclei::Mask(name, drawn),
        (Some(drawn), _, Some(name)) => Nuclei::Labels(name, drawn),
        _ => Nuclei::Found(&kernel),
    };
    let needed = bytes_to_measure(source.info(), nuclei);
    memory::check("measure the image at once", needed, args.memory)?;
    if args.dry_run {
        return plan(args, &*source, needed, terminal);
    }
    let found = measure(args, &*source, nuclei, terminal)?;
    let text = form.write(&found.features);
    Target::new(Some(&args.output)).write_bytes(text.as_bytes(), terminal)?;
    tell(args, &found, terminal)
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
    [Some(Path::new(&args.image)), drawn, args.params.as_deref()].into_iter().flatten().collect()
}

/// Opens the mask or the labels, which must be of the image's size.
fn open_drawn(args: &FeaturesArgs, image: &dyn Source) -> Result<Option<Arc<dyn Source>>, Failure> {
    let Some(name) = args.mask.as_ref().or(args.labels.as_ref()) else { return Ok(None) };
    let drawn = open_labels(name, Path::new("")).map_err(engine_failure)?;
    check_sizes((name, &*drawn), (&args.image, image)).map_err(engine_failure)?;
    Ok(Some(drawn))
}

fn plan(args: &FeaturesArgs, source: &dyn Source, needed: u64, terminal: &Terminal) -> Result<Exit, Failure> {
    let (width, height) = (source.info().width, source.info().height);
    if args.json {
        let object = json!({ "version": 1, "dry_run": true, "width": width, "height": height, "memory_bytes": needed });
        terminal.json(&object)?;
    }
    let memory = Size(needed.div_ceil(1 << 20) << 20);
    terminal
        .say(&format!("would measure {width} x {height} pixels in {memory} of memory and 8 KiB per nucleus"));
    terminal.say(&format!("would write {}", args.output.display()));
    Ok(Exit::Ok)
}

fn measure(
    args: &FeaturesArgs,
    source: &dyn Source,
    nuclei: Nuclei<'_>,
    terminal: &Terminal,
) -> Result<NucleiFeatures, Failure> {
    let info = source.info();
    let _progress = terminal.progress(format!("measuring {} x {} pixels", info.width, info.height));
    let threads = args.workers.map_or_else(available_workers, |workers| workers as usize);
    let memory = args.memory.map_or_else(available_memory, |size| size.0);
    features(source, nuclei, !args.no_normalize, (threads, memory)).map_err(engine_failure)
}

fn tell(args: &FeaturesArgs, found: &NucleiFeatures, terminal: &Terminal) -> Result<Exit, Failure> {
    if let Some(note) = segment::note(found.status) {
        terminal.diagnostics(&[note]);
    }
    let (objects, columns) = (found.features.objects.len(), &found.features.names);
    let written = args.output != Path::new("-");
    if written {
        terminal.say(&format!("wrote {}", args.output.display()));
    }
    if args.json {
        let status = found.status_word();
        let object = json!({ "version": 1, "status": status, "objects": objects, "normalized": !args.no_normalize, "features": columns });
        terminal.json(&object)?;
        return Ok(Exit::Ok);
    }
    let text = format!("nuclei    {}\nfeatures  {} of each\n", with_commas(objects as u128), columns.len());
    if written {
        terminal.result(&text)?;
    } else {
        terminal.say(text.trim_end());
    }
    Ok(Exit::Ok)
}
