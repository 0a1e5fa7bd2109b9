//! `onceflow report DIR --row N`: computes one row again, with a picture of every region.

use std::path::Path;

use onceflow_engine::{InstanceRequest, TextLimit, read_row};
use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal};

use crate::args::{MachineArgs, ReportArgs, SettingsArgs};
use crate::file::read_text;
use crate::instance::show;
use crate::run_folder::{no_run, origin};
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
