//! `onceflow image synth`: synthetic tissue with known nuclei.

use std::path::Path;

use onceflow_engine::{Painted, bytes_to_paint, paint, tissue};
use onceflow_study::with_commas;
use onceflow_terminal::{Exit, Failure, Terminal, check_memory, engine_failure};
use serde_json::json;

use crate::args::SynthArgs;
use crate::picture;

/// Paints and writes synthetic tissue.
pub(super) fn run(args: &SynthArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    picture::check(&outputs(args), &[], (args.json, args.force))?;
    let tissue = tissue(args.width, args.height, args.seed).map_err(engine_failure)?;
    check_memory("paint the tissue at once", bytes_to_paint(&tissue), args.memory)?;
    let painted = if args.dry_run {
        None
    } else {
        let pixels = with_commas(u128::from(args.width) * u128::from(args.height));
        let _progress = terminal.progress(format!("painting {pixels} pixels"));
        Some(paint(&tissue, args.truth.is_some()).map_err(engine_failure)?)
    };
    match &painted {
        None => {
            outputs(args).iter().for_each(|path| terminal.say(&format!("would write {}", path.display())))
        }
        Some(painted) => write(args, painted, terminal)?,
    }
    if args.json {
        terminal.json(&to_json(args, painted.as_ref().and_then(|painted| painted.nuclei)))?;
    }
    Ok(Exit::Ok)
}

fn outputs(args: &SynthArgs) -> Vec<&Path> {
    [Some(args.output.as_path()), args.truth.as_deref()].into_iter().flatten().collect()
}

fn write(args: &SynthArgs, painted: &Painted, terminal: &Terminal) -> Result<(), Failure> {
    picture::write(&args.output, &painted.image, terminal)?;
    if let (Some(path), Some(truth)) = (&args.truth, &painted.truth) {
        picture::write(path, truth, terminal)?;
    }
    if let Some(nuclei) = painted.nuclei {
        terminal.say(&format!("nuclei      {}", with_commas(u128::from(nuclei))));
    }
    Ok(())
}

fn to_json(args: &SynthArgs, nuclei: Option<u64>) -> serde_json::Value {
    json!({
        "version": 1,
        "file": args.output,
        "truth": args.truth,
        "dry_run": args.dry_run,
        "width": args.width,
        "height": args.height,
        "seed": args.seed,
        "nuclei": nuclei,
    })
}
