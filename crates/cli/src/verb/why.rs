//! `onceflow why`: with whom a task is shared, and what makes it different from its nearest relative.

use onceflow_engine::Question;

use crate::args::WhyArgs;
use crate::costs::with_costs;
use crate::engine::{engine_failure, options};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::study::LoadedStudy;
use crate::terminal::Terminal;

/// Plans and explains.
pub(crate) fn run(args: &WhyArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let loaded = LoadedStudy::open(&args.study, terminal)?;
    let prepared = with_costs(loaded.prepare()?, &args.machine, terminal);
    let options = options(&args.machine, &args.merge, prepared.study())?;
    let question = match (args.row, args.bucket) {
        (Some(row), _) => Question::Row { row, task: args.task.clone() },
        (None, bucket) => Question::Bucket(bucket.unwrap_or_default()),
    };
    let found = prepared.why(options.level, &options.merge, &question).map_err(engine_failure)?;
    if args.json {
        terminal.json(&found.json)?;
    } else {
        terminal.result(&found.text)?;
    }
    Ok(Exit::Ok)
}
