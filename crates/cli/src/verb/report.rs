//! `onceflow report`: prints the answer of a run again, or draws one of its rows.

mod log;
mod row;

use crate::args::ReportArgs;
use crate::file::read_text;
use crate::run_folder::no_run;
use onceflow_engine::TextLimit;
use onceflow_terminal::{Exit, Failure, Terminal};

/// Prints the answer of a run, or draws a row of it.
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
    let file = read_text(&path, TextLimit::Table)?;
    if args.json {
        terminal.result(&file.text)?;
    } else {
        terminal.text(&file.text)?;
        if !args.folder.join("run.json").exists() {
            terminal.say("stopped: the same onceflow run goes on with it");
        }
        terminal.say(&format!("Report    {}", args.folder.join("report.html").display()));
    }
    Ok(Exit::Ok)
}
