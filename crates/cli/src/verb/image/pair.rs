//! `onceflow image pair`: two synthetic volumes, of which one is deformed by a known field.

use onceflow_engine::{PAIR_FILES, write_pair};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::json;

use crate::args::PairArgs;
use crate::file::{make_folder, mark, refuse_foreign, remove_on_signal};

/// Makes and writes a pair.
pub(super) fn run(args: &PairArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let files: Vec<_> = PAIR_FILES.iter().flatten().map(|name| args.output.join(name)).collect();
    files.iter().try_for_each(|path| refuse_foreign(path, args.force))?;
    if !args.dry_run {
        remove_on_signal();
        make_folder(&args.output)?;
        write_pair([args.size; 3], args.spacing, args.seed, &args.output).map_err(engine_failure)?;
        files.iter().for_each(|path| mark(path));
    }
    if args.json {
        terminal.json(&json!({
            "version": 1, "dry_run": args.dry_run, "size": args.size, "spacing_mm": args.spacing,
            "seed": args.seed, "files": files,
        }))?;
        return Ok(Exit::Ok);
    }
    let done = if args.dry_run { "would write" } else { "wrote" };
    files.iter().for_each(|path| terminal.say(&format!("{done} {}", path.display())));
    Ok(Exit::Ok)
}
