//! `onceflow warp`: takes another file through a transform.

use onceflow_engine::{WarpInto, WarpOptions, WarpRequest, available_memory, warp_into};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::json;

use super::register::threads;
use crate::args::WarpArgs;
use crate::file::{OutputTarget, mark, remove_on_signal};
use crate::picture::check_folder;

/// Warps a volume or landmarks.
pub(crate) fn run(args: &WarpArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let target = OutputTarget::new(Some(&args.output));
    target.refuse_inputs(&[&args.transform, &args.file])?;
    check_folder(&args.output)?;
    target.refuse_foreign(args.force)?;
    remove_on_signal();
    let request = WarpRequest {
        transform: args.transform.clone(),
        file: args.file.clone(),
        output: args.output.clone(),
        options: WarpOptions { labels: args.labels, fill: args.fill, time: args.time },
        threads: threads(args.workers),
        memory: args.memory.map_or_else(available_memory, |size| size.0),
        dry_run: args.dry_run,
    };
    let made = {
        let _progress = terminal.progress("warping");
        warp_into(&request).map_err(engine_failure)?
    };
    if !args.dry_run {
        mark(&args.output);
    }
    tell(args, &made, terminal)?;
    Ok(Exit::Ok)
}

fn tell(args: &WarpArgs, made: &WarpInto, terminal: &Terminal) -> Result<(), Failure> {
    let file = args.output.display().to_string();
    if args.json {
        let mut object = json!({ "version": 1, "dry_run": args.dry_run, "file": file });
        match made {
            WarpInto::Volume(size) => object["size"] = json!(size),
            WarpInto::Points { places, outside } => {
                object["places"] = json!(places);
                object["outside"] = json!(outside);
            }
        }
        return terminal.json(&object);
    }
    let done = if args.dry_run { "would write" } else { "wrote" };
    terminal.say(&match made {
        WarpInto::Volume([x, y, z]) => format!("{done} {file}: {x} x {y} x {z} voxels"),
        WarpInto::Points { places, outside: 0 } => format!("{done} {file}: {places} places"),
        WarpInto::Points { places, outside } => {
            format!("{done} {file}: {places} places, of which {outside} outside the fixed volume were moved by the affine part only")
        }
    });
    Ok(())
}
