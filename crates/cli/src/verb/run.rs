//! `onceflow run`: from a study file to its answer.

mod events;
mod failing;
mod interrupt;
mod on;
mod one;
pub(in crate::verb) mod progress;
mod simulated;

use std::path::Path;
use std::time::Instant;

use onceflow_engine::{
    OpenStudy, RowStatus, Run, RunEnding, RunFolder, RunResult, RunSettings, TextLimit, answer_text,
    run_json, run_study, tune_json,
};
use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

use crate::args::{ExecutorWord, RunArgs, SettingsArgs};
use crate::file::read_text;
use crate::run_folder::kept;
use crate::settings::{command, open, with_granularity_of};
use crate::verb::plan;
use events::EventsFile;
pub(in crate::verb) use interrupt::watch;
use progress::RunProgress;

/// Runs a study and prints its answer.
pub(crate) fn run(args: &RunArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let began = Instant::now();
    let study = open(&args.study, &settings_args(args), terminal)?;
    if let (Some(ExecutorWord::Simulated), Some(file)) = (args.executor.executor, &args.executor.machine_file)
    {
        let study = match &args.executor.replay {
            Some(run) => with_granularity_of(study, run)?.with_kept(kept(run)?),
            None => study,
        };
        return simulated::run(args, file, &study, terminal);
    }
    let on = on::workers(args, &study)?;
    if let (true, Some(folder), Some(on)) = (args.dry_run, &args.o, &on)
        && let Some(script) = on.batch_script(&RunFolder::new(folder))
    {
        terminal.text(&script)?;
        return Ok(Exit::Ok);
    }
    let (Some(path), false) = (&args.o, args.dry_run) else {
        let workers = on.map(|on| on.workers());
        return plan::print(&study, args.o.as_deref(), workers, args.json, began, terminal);
    };
    if let Some(row) = args.one.row {
        return one::run(args, &study, row, path, terminal);
    }
    let settings = RunSettings { force: args.force, began: Some(began), on, ..study.settings().clone() };
    run_into(&study, settings, path, args.json, terminal)
}

fn settings_args(args: &RunArgs) -> SettingsArgs<'_> {
    SettingsArgs {
        machine: &args.machine,
        merge: Some(&args.merge),
        policy: args.executor.policy,
        events: args.events.as_deref(),
        pictures: args.pictures,
        allow_commands: args.allow.allow_commands,
        growth: Some(&args.growth),
        registration: Some(&args.registration),
    }
}

/// Runs an open study into a folder, and prints its answer.
pub(crate) fn run_into(
    study: &OpenStudy,
    settings: RunSettings,
    path: &Path,
    json: bool,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    run_as(study, settings, path, json.then_some(PrintedJson::Account), terminal)
}

/// Which object is printed for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PrintedJson {
    /// The account of the work.
    Account,
    /// What tuning found.
    Tuning,
}

/// The same with one of the objects for programs.
pub(crate) fn run_as(
    study: &OpenStudy,
    settings: RunSettings,
    path: &Path,
    json: Option<PrintedJson>,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let settings = RunSettings { command: command(), ..settings };
    let events = EventsFile::of(&settings, study.path())?;
    let _guard = interrupt::watch(&settings.stop);
    let mut progress = RunProgress::new(terminal);
    let result = run_study(study, &settings, &RunFolder::new(path), &mut progress);
    progress.clear();
    drop(events);
    match result.map_err(engine_failure)? {
        RunResult::AlreadyComplete(summary) => already_complete(&summary, path, json, terminal),
        RunResult::Ran(run) => {
            let exit = report(&run, path, json, terminal);
            failing::say(&run, study, path, terminal);
            exit
        }
    }
}

fn already_complete(
    summary: &str,
    path: &Path,
    json: Option<PrintedJson>,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let report = path.join("report.html");
    terminal.say(&format!("complete: nothing to compute. Report: {}", report.display()));
    match json {
        Some(PrintedJson::Account) => terminal.result(summary)?,
        Some(PrintedJson::Tuning) => terminal.json(&tuning_of(path)?)?,
        None => {}
    }
    Ok(Exit::Ok)
}

/// What an earlier command found, as its folder holds it.
fn tuning_of(path: &Path) -> Result<serde_json::Value, Failure> {
    let source = read_text(&path.join("tuning.json"), TextLimit::Description)?;
    serde_json::from_str(&source.text).map_err(|error| {
        let error = Diagnostic::error(format!("cannot read {}: {error}", path.join("tuning.json").display()));
        Failure::bad_input(error.with_hint("add --force to run the study again"))
    })
}

/// Prints the answer and says how it ended.
fn report(run: &Run, path: &Path, json: Option<PrintedJson>, terminal: &Terminal) -> Result<Exit, Failure> {
    let text = answer_text(&run.answer);
    if let Some(json) = json {
        terminal.say(text.trim_end());
        terminal.json(&match json {
            PrintedJson::Account => run_json(&run.answer),
            PrintedJson::Tuning => tune_json(&run.answer),
        })?;
    } else {
        terminal.text(&text)?;
    }
    if run.ending != RunEnding::TooManyFailures {
        terminal.say(&format!("Report    {}", path.join("report.html").display()));
    }
    ending(run, path, terminal)
}

/// Whether a row failed, on all images or on some.
fn has_failures(run: &Run) -> bool {
    let failed = |status: &RowStatus| matches!(status, RowStatus::Failed { .. });
    run.answer.table.rows.iter().any(|row| row.images.iter().any(|image| failed(&image.status)))
        || run.answer.phases.iter().any(|phase| phase.failed > 0)
}

fn ending(run: &Run, path: &Path, terminal: &Terminal) -> Result<Exit, Failure> {
    let rows = path.join("rows.csv");
    match run.ending {
        RunEnding::Complete if has_failures(run) => Ok(Exit::RowsFailed),
        RunEnding::Complete => Ok(Exit::Ok),
        RunEnding::Stopped => {
            terminal.say(&format!("stopped: the rows that were done are in {}", rows.display()));
            Ok(Exit::Interrupted)
        }
        RunEnding::TooManyFailures => Err(Failure::rows_failed(
            Diagnostic::error("too many rows failed, so the run was stopped")
                .with_why(run.first_failure().unwrap_or_default())
                .with_hint(format!(
                    "{} has every failure; stop_above in the study says how many are too many",
                    rows.display()
                )),
        )),
    }
}
