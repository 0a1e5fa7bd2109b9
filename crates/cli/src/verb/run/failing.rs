//! What to do about tasks that failed: where it happened first, the last words, and commands that lead on.

use std::path::Path;

use onceflow_engine::{AskedLog, Failing, OpenStudy, Run, failing, find_logs};
use onceflow_study::{counted, with_commas};
use onceflow_terminal::Terminal;

use crate::words::quoted;

/// Tasks that are told of.
const SHOWN: usize = 3;

/// Says it.
pub(super) fn say(run: &Run, study: &OpenStudy, folder: &Path, terminal: &Terminal) {
    let rows = run.answer.table.rows.len();
    for failing in failing(&run.answer).iter().take(SHOWN) {
        terminal.say("");
        terminal.say(&block(failing, rows, study, folder));
    }
}

/// Whether the rows of its phase follow from the study alone.
fn is_first(failing: &Failing, study: &OpenStudy) -> bool {
    study.row(failing.row).is_ok()
}

fn block(failing: &Failing, rows: usize, study: &OpenStudy, folder: &Path) -> String {
    let (first, allowed) = (is_first(failing, study), study.settings().allow_commands);
    let study = study.path();
    let Failing { task, row, image, message, .. } = failing;
    let asked = AskedLog { row: *row, image, part: None, task: Some(task) };
    // Without its logs a failure is told all the same.
    let log = find_logs(folder, &asked).ok().and_then(|found| found.into_iter().next());
    let part = log
        .as_ref()
        .filter(|log| log.part > 0)
        .map(|log| format!(" --part {}", log.part))
        .unwrap_or_default();
    let place = format!("--row {row} --image {}{part} --task {}", quoted(image), quoted(task));
    let [study, folder] = [study, folder].map(|path| quoted(&path.display().to_string()));
    let (failed, all) = (with_commas(failing.rows.into()), counted(rows, "row"));
    let share = 100.0 * failing.rows as f64 / rows.max(1) as f64;
    let left_out = match failing.rows as usize == rows {
        true => "",
        false => ", which are left out; intervals are wider for it",
    };
    let mut lines = vec![
        format!("{task} failed in {failed} of {all} ({share:.1} %){left_out}"),
        format!("  first      row {row}, {image}: {message}"),
    ];
    lines.extend(failing.last_line.iter().map(|line| format!("  its log    {line}")));
    if log.is_some() {
        lines.push(format!("  all of it  onceflow report {folder} --log {place}"));
    }
    // What follows is a comment in a shell, so that the line works as it is printed.
    let again = if first { format!("onceflow run {study}") } else { format!("onceflow report {folder}") };
    let allow = if allowed { " --allow-commands" } else { "" };
    lines.push(format!(
        "  to do      {again} {place} -o look/{allow}   # repeats it alone, in a folder you can enter"
    ));
    lines.join("\n")
}
