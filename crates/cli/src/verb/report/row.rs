//! `onceflow report DIR --row N`: one row made again, every region of it as a picture.

use std::path::{Path, PathBuf};

use onceflow_engine::{Asked, available_memory, read_row};
use onceflow_study::Diagnostic;

use super::no_run;
use crate::args::ReportArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::{Limit, read_text};
use crate::instance::show;
use crate::study::{Holds, LoadedStudy, holds};
use crate::terminal::Terminal;

/// Makes the row again and writes its pictures.
pub(super) fn run(args: &ReportArgs, row: u64, into: &Path, terminal: &Terminal) -> Result<Exit, Failure> {
    let rows = args.folder.join("rows.csv");
    if !rows.exists() {
        return Err(no_run(&args.folder));
    }
    let values = read_row(&read_text(&rows, Limit::Table)?.text, row).ok_or_else(|| no_row(&rows, row))?;
    let loaded = LoadedStudy::open(&origin(&args.folder)?, terminal)?;
    let prepared = loaded.prepare()?.allow_commands(args.allow.allow_commands);
    if !matches!(holds(&args.folder, &loaded, &prepared), Holds::Complete(_) | Holds::Unfinished) {
        return Err(changed(&args.folder));
    }
    let memory = prepared.study().run.memory.unwrap_or_else(available_memory);
    let (image, task) = (args.image.as_deref(), args.task.as_deref());
    let asked = Asked { values, image, part: args.part, memory, task, keep: Some(into) };
    show(&prepared, &asked, into, terminal)
}

/// Where the study of a run lies: its images are found from there.
fn origin(folder: &Path) -> Result<PathBuf, Failure> {
    let path = folder.join("provenance.json");
    if !path.exists() {
        return Err(no_run(folder));
    }
    let text = read_text(&path, Limit::Description)?;
    let known: Option<serde_json::Value> = serde_json::from_str(&text.text).ok();
    let study = known.as_ref().and_then(|known| known["study"].as_str()).map(PathBuf::from);
    let study = study.ok_or_else(|| no_run(folder))?;
    if study.exists() {
        return Ok(study);
    }
    Err(Failure::bad_input(
        Diagnostic::error(format!("the study of {} is not where it was", folder.display()))
            .expected_found(study.display().to_string(), "nothing of that name")
            .with_hint("put the study and its images back, or run it again"),
    ))
}

fn changed(folder: &Path) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("the study of {} has changed since it was run", folder.display()))
            .expected_found("the texts and programs that the folder names", "others")
            .with_hint("run the study as it is now, or undo the change"),
    )
}

fn no_row(rows: &Path, row: u64) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("there is no row {row}"))
            .expected_found(format!("a number of the first column of {}", rows.display()), row.to_string())
            .with_hint("the report and rows.csv say the numbers of rows"),
    )
}
