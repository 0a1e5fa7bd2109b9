//! `onceflow report DIR --row N`: computes one row again, with a picture of every region.

use std::path::{Path, PathBuf};

use onceflow_engine::{InstanceRequest, TextLimit, read_row};
use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal};

use super::no_run;
use crate::args::{MachineArgs, ReportArgs, SettingsArgs};
use crate::file::read_text;
use crate::instance::show;
use crate::settings::open;

/// Computes the row again and writes its pictures.
pub(super) fn run(args: &ReportArgs, row: u64, into: &Path, terminal: &Terminal) -> Result<Exit, Failure> {
    let rows = args.folder.join("rows.csv");
    if !rows.exists() {
        return Err(no_run(&args.folder));
    }
    let values =
        read_row(&read_text(&rows, TextLimit::Table)?.text, row).ok_or_else(|| no_row(&rows, row))?;
    let machine = MachineArgs::default();
    let settings =
        SettingsArgs { allow_commands: args.allow.allow_commands, ..SettingsArgs::new(&machine, None) };
    let study = open(&origin(&args.folder)?, &settings, terminal)?;
    if !study.has_results_in(&args.folder) {
        return Err(changed(&args.folder));
    }
    let memory = study.settings().memory;
    let (image, task) = (args.image.as_deref(), args.task.as_deref());
    let asked = InstanceRequest { values, image, part: args.part, memory, task, keep: Some(into) };
    show(&study, &asked, (into, args.force), terminal)
}

/// The path of the study of a run, to which the paths of its images are relative.
fn origin(folder: &Path) -> Result<PathBuf, Failure> {
    let path = folder.join("provenance.json");
    if !path.exists() {
        return Err(no_run(folder));
    }
    let text = read_text(&path, TextLimit::Description)?;
    let known: Option<serde_json::Value> = serde_json::from_str(&text.text).ok();
    let study = known.as_ref().and_then(|known| known["study"].as_str()).map(PathBuf::from);
    let study = study.ok_or_else(|| no_run(folder))?;
    if study.exists() {
        return Ok(study);
    }
    Err(Failure::bad_input(
        Diagnostic::error(format!("the study of {} has been moved or removed", folder.display()))
            .expected_found(study.display().to_string(), "no such file")
            .with_hint("put the study and its images back, or run it again"),
    ))
}

fn changed(folder: &Path) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("the study of {} has changed since it was run", folder.display()))
            .expected_found("the study, workflow and programs of the run", "changed ones")
            .with_hint("run the study as it is now, or undo the change"),
    )
}

fn no_row(rows: &Path, row: u64) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("no row {row}"))
            .expected_found(format!("a number of the first column of {}", rows.display()), row.to_string())
            .with_hint("the report and rows.csv list the numbers of rows"),
    )
}
