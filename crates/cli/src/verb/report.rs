//! `onceflow report`: the answer of a run, printed again, or one of its rows to look at.

mod log;
mod row;

use std::path::Path;

use onceflow_study::Diagnostic;

use crate::args::ReportArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::{Limit, read_text};
use crate::terminal::Terminal;

/// Prints what the folder holds, or draws a row of it.
pub(crate) fn run(args: &ReportArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    if let (Some(row), true) = (args.row, args.log) {
        return log::run(args, row, terminal);
    }
    if let (Some(row), Some(into)) = (args.row, &args.o) {
        return row::run(args, row, into, terminal);
    }
    let name = if args.json { "run.json" } else { "answer.txt" };
    let path = args.folder.join(name);
    if !path.exists() {
        return Err(no_run(&args.folder));
    }
    terminal.result(&read_text(&path, Limit::Table)?.text)?;
    if !args.json {
        terminal.say(&format!("Report    {}", args.folder.join("report.html").display()));
    }
    Ok(Exit::Ok)
}

pub(super) fn no_run(folder: &Path) -> Failure {
    let found = if folder.exists() { "a folder without results" } else { "nothing of that name" };
    Failure::bad_input(
        Diagnostic::error(format!("{} is not the folder of a finished run", folder.display()))
            .expected_found("answer.txt and run.json, which onceflow run writes at its end", found)
            .with_hint("onceflow run STUDY -o DIR makes one"),
    )
}
