//! `onceflow report`: prints the answer of a run again, or draws one of its rows.

mod log;
mod row;

use std::path::Path;

use onceflow_study::Diagnostic;

use crate::args::ReportArgs;
use crate::file::read_text;
use crate::narrow::fitted;
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
    let text = if args.json { file.text.clone() } else { fitted(&file.text) };
    terminal.result(&text)?;
    if !args.json {
        if !args.folder.join("run.json").exists() {
            terminal.say("stopped: the same onceflow run goes on with it");
        }
        terminal.say(&format!("Report    {}", args.folder.join("report.html").display()));
    }
    Ok(Exit::Ok)
}

pub(super) fn no_run(folder: &Path) -> Failure {
    let found = if folder.exists() { "a folder without results" } else { "no such folder" };
    Failure::bad_input(
        Diagnostic::error(format!("{} is not the folder of a finished run", folder.display()))
            .expected_found("answer.txt and run.json, which onceflow run writes at its end", found)
            .with_hint("onceflow run STUDY -o DIR makes one"),
    )
}
