//! `onceflow report DIR --log --row N`: prints the logs of programs.

use onceflow_engine::{AskedLog, find_logs};
use onceflow_study::Diagnostic;

use crate::args::ReportArgs;
use crate::file::read_text;
use crate::run_folder::no_run;
use onceflow_engine::TextLimit;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure, unwritable};

/// Prints the logs of a row on an image.
pub(super) fn run(args: &ReportArgs, row: u64, terminal: &Terminal) -> Result<Exit, Failure> {
    if !args.folder.join("study.toml").exists() {
        return Err(no_run(&args.folder));
    }
    let image = match &args.image {
        Some(image) => image.clone(),
        None => first_image(args)?,
    };
    let part = (args.part > 0).then_some(args.part);
    let asked = AskedLog { row, image: &image, part, task: args.task.as_deref() };
    let found = find_logs(&args.folder, &asked).map_err(engine_failure)?;
    if found.is_empty() {
        return Err(nothing(args, row, &image));
    }
    let several = found.len() > 1;
    for log in &found {
        if several {
            terminal.say(&format!("{}, part {} ({})", log.task, log.part, log.path.display()));
        }
        let bytes = std::fs::read(&log.path).map_err(|error| unwritable(&log.path, &error))?;
        let text = String::from_utf8_lossy(&bytes);
        terminal.result(&if text.is_empty() || text.ends_with('\n') {
            text.into_owned()
        } else {
            format!("{text}\n")
        })?;
    }
    Ok(Exit::Ok)
}

/// The first image of the run's table.
fn first_image(args: &ReportArgs) -> Result<String, Failure> {
    let path = args.folder.join("metrics.csv");
    if !path.exists() {
        return Err(no_run(&args.folder));
    }
    let text = read_text(&path, TextLimit::Table)?;
    let second = text.text.lines().nth(1).and_then(|line| line.split(',').nth(1));
    let second = second.map(|name| name.trim_matches('"').to_owned());
    second.ok_or_else(|| no_run(&args.folder))
}

fn nothing(args: &ReportArgs, row: u64, image: &str) -> Failure {
    let of = args.task.as_ref().map(|task| format!(" of {task}")).unwrap_or_default();
    Failure::bad_input(
        Diagnostic::error(format!("no log{of} for row {row} on {image}"))
            .expected_found(
                format!("a log in {}", args.folder.join("logs").display()),
                "no log: the tasks are built in, printed nothing, or were not run",
            )
            .with_hint("leave out --task to see all logs of the row"),
    )
}
