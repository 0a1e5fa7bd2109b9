//! `onceflow run`: from a study file to its answer.

mod failing;
mod interrupt;
mod one;
mod progress;
mod simulated;

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::{
    Ending, Policy, Prepared, Run, RunFolder, RunOptions, Started, answer_text, begin, pictures, provenance,
    run_json, save, suits_threads,
};
use onceflow_study::Diagnostic;

use crate::args::{ExecutorWord, MachineArgs, MergeArgs, RunArgs};
use crate::costs::remember;
use crate::engine::{as_fine_as, engine_failure, for_machine, options};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::study::{COMMANDS, Holds, LoadedStudy, commands_text, holds};
use crate::terminal::Terminal;
use crate::verb::plan;
use crate::words::quoted;
use progress::RunProgress;
pub(crate) use progress::STATUS_FILE;

/// Runs a study and prints its answer.
pub(crate) fn run(args: &RunArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let loaded = LoadedStudy::open(&args.study, terminal)?;
    let prepared = loaded.prepare()?.allow_commands(args.allow.allow_commands);
    let prepared = for_machine(prepared, &args.machine, terminal);
    if let (Some(ExecutorWord::Simulated), Some(file)) = (args.executor.executor, &args.executor.machine_file)
    {
        let prepared = match &args.executor.replay {
            Some(run) => as_fine_as(prepared, run)?,
            None => prepared,
        };
        return simulated::run(args, file, &prepared, terminal);
    }
    let (Some(path), false) = (&args.o, args.dry_run) else {
        return plan::print(&prepared, &args.machine, &args.merge, args.json, terminal);
    };
    if let Some(row) = args.one.row {
        return one::run(args, &prepared, row, path, terminal);
    }
    if let Some(exit) = already_there(args, path, &loaded, &prepared, terminal)? {
        return Ok(exit);
    }
    prepared.check_commands().map_err(engine_failure)?;
    let policy = threads_policy(args)?;
    let (machine, merge, events) = (&args.machine, &args.merge, args.events.as_deref());
    carry_out(&loaded, &prepared, &AskedOf { machine, merge, policy, events }, path, args.json, terminal)
}

/// How a run was asked for.
pub(crate) struct AskedOf<'a> {
    /// What it may use.
    pub(crate) machine: &'a MachineArgs,
    /// How its work is grouped.
    pub(crate) merge: &'a MergeArgs,
    /// Which task comes next.
    pub(crate) policy: Policy,
    /// Where events go.
    pub(crate) events: Option<&'a Path>,
}

/// Runs a study that is ready into a folder that may be written, and prints its answer.
pub(crate) fn carry_out(
    loaded: &LoadedStudy,
    prepared: &Prepared<'_>,
    asked: &AskedOf<'_>,
    path: &Path,
    json: bool,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let options = options(asked.machine, asked.merge, prepared.study())?;
    let options = Arc::new(RunOptions { policy: asked.policy, ..options });
    let folder = RunFolder::create(path).map_err(engine_failure)?;
    begin(&folder, loaded.texts()).map_err(engine_failure)?;
    if prepared.commands() != serde_json::json!([]) {
        folder.write(COMMANDS, commands_text(prepared).as_bytes()).map_err(engine_failure)?;
    }
    let _guard = interrupt::watch(Arc::clone(&options));
    let mut progress = RunProgress::new(terminal, &folder, asked.events)?;
    let run = onceflow_engine::run(prepared, &options, &folder, &mut progress).map_err(engine_failure)?;
    progress.clear();
    let pictures = match run.ending {
        Ending::Complete => pictures(prepared, &run.answer, options.memory, &folder)
            .inspect_err(|error| terminal.say(&format!("note: the report has no pictures: {error}")))
            .ok(),
        _ => None,
    };
    let known = (loaded.origin(), path.display().to_string(), command());
    let provenance = provenance(prepared, &run, &started(loaded, &known));
    save(&run, pictures.as_ref(), &provenance, &folder).map_err(engine_failure)?;
    remember(&run, asked.machine, terminal);
    progress.end(&run.ending);
    let exit = report(&run, path, json, terminal);
    failing::say(&run, prepared, loaded.path(), path, terminal);
    exit
}

/// The policy of a run on threads, which have no use for what is about graphics cards.
fn threads_policy(args: &RunArgs) -> Result<Policy, Failure> {
    let policy = args.executor.policy.unwrap_or_default();
    if suits_threads(&policy) {
        return Ok(policy);
    }
    Err(Failure::bad_input(
        Diagnostic::error("threads cannot follow this policy")
            .expected_found("reservation, fcfs or rmsr:K", policy.to_string())
            .with_hint("add --executor simulated --machine FILE to see what it would do on graphics cards"),
    ))
}

fn started<'a>(
    loaded: &'a LoadedStudy,
    (origin, folder, command): &'a (String, String, String),
) -> Started<'a> {
    Started { texts: loaded.texts(), origin, folder, command }
}

/// The command that was given, as a shell takes it.
fn command() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    std::iter::once("onceflow".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// What the folder holds decides: the same study is not run twice, another one is not replaced unasked.
fn already_there(
    args: &RunArgs,
    path: &Path,
    loaded: &LoadedStudy,
    prepared: &Prepared<'_>,
    terminal: &Terminal,
) -> Result<Option<Exit>, Failure> {
    match holds(path, loaded, prepared) {
        Holds::Nothing | Holds::Unfinished => Ok(None),
        Holds::Complete(_) | Holds::Another(_) if args.force => Ok(None),
        Holds::Outdated(lines) => {
            lines.iter().for_each(|line| terminal.say(line));
            Ok(None)
        }
        Holds::Complete(json) => {
            terminal.say(&format!(
                "complete: nothing to compute. Report: {}",
                path.join("report.html").display()
            ));
            if args.json {
                terminal.result(&json)?;
            }
            Ok(Some(Exit::Ok))
        }
        Holds::Earlier(change) => {
            terminal.say(&format!("study changed: {change}; rows that are done are taken over"));
            Ok(None)
        }
        Holds::Another(difference) => Err(Failure::bad_input(*difference)),
    }
}

/// Prints the answer and says how it ended.
fn report(run: &Run, path: &Path, json: bool, terminal: &Terminal) -> Result<Exit, Failure> {
    let text = answer_text(&run.answer);
    if json {
        terminal.say(text.trim_end());
        terminal.json(&run_json(&run.answer))?;
    } else {
        terminal.result(&text)?;
    }
    if run.ending != Ending::TooManyFailures {
        terminal.say(&format!("Report    {}", path.join("report.html").display()));
    }
    ending(run, path, terminal)
}

fn ending(run: &Run, path: &Path, terminal: &Terminal) -> Result<Exit, Failure> {
    let rows = path.join("rows.csv");
    match run.ending {
        Ending::Complete if run.answer.phases.iter().any(|phase| phase.failed > 0) => Ok(Exit::RowsFailed),
        Ending::Complete => Ok(Exit::Ok),
        Ending::Stopped => {
            terminal.say(&format!("stopped: the rows that were done are in {}", rows.display()));
            Ok(Exit::Interrupted)
        }
        Ending::TooManyFailures => Err(Failure::rows_failed(
            Diagnostic::error("too many rows failed, so the run was stopped")
                .with_why(run.first_failure().unwrap_or_default())
                .with_hint(format!(
                    "{} has every failure; stop_above in the study says how many are too many",
                    rows.display()
                )),
        )),
    }
}
