//! `onceflow memo`: a command line that is run once.

mod words;

use onceflow_engine::ProductStore;
use onceflow_memo::{Audited, MemoCommand, MemoError, MemoOutcome, MemoSource, TracedFiles};
use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::json;

use crate::args::MemoArgs;
use crate::settings::store_folder;

/// Takes the result of a command, or runs it.
pub(crate) fn run(args: &MemoArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let command = command(args);
    let Some(store) = opened(args, terminal)? else { return alone(args, &command, terminal) };
    if args.dry_run {
        return look_up(args, &command, &store, terminal);
    }
    let mut wait = || {
        if args.explain {
            terminal.say("memo: another process computes the same: waiting for it");
        }
    };
    let outcome = command.run(&store, &mut wait).map_err(failed)?;
    // A trace is worth its warnings also when the command fails.
    tell(args, &outcome, terminal);
    Ok(match outcome.audited {
        Some(Audited::Differs(_)) => Exit::RowsFailed,
        _ => exit(outcome.exit),
    })
}

fn exit(code: i32) -> Exit {
    if code == 0 { Exit::Ok } else { Exit::OfCommand(u8::try_from(code).unwrap_or(1)) }
}

fn command(args: &MemoArgs) -> MemoCommand {
    let environment = args.env.iter().map(|name| {
        // One that is not set is not one that is empty.
        let value =
            std::env::var_os(name).map_or_else(|| "not set".to_owned(), |v| format!("={}", v.display()));
        (format!("environment {name}"), value)
    });
    MemoCommand {
        command: args.command.clone(),
        reads: args.reads.clone(),
        attributes: args.attr.iter().cloned().chain(environment).collect(),
        writes: args.writes.clone(),
        keep_failures: args.keep_failures,
        audit: args.audit,
        trace: args.trace,
        explain: args.explain,
    }
}

/// The store; without one the command runs all the same.
fn opened(args: &MemoArgs, terminal: &Terminal) -> Result<Option<ProductStore>, Failure> {
    let Some(folder) = store_folder(args.store.as_deref(), args.store_size)? else { return Ok(None) };
    let opened = folder.open();
    Ok(opened.inspect_err(|error| terminal.say(&format!("memo: warning: nothing is kept: {error}"))).ok())
}

fn alone(args: &MemoArgs, command: &MemoCommand, terminal: &Terminal) -> Result<Exit, Failure> {
    if args.dry_run {
        let error = Diagnostic::error("there is no store that could know the command");
        return Err(Failure::bad_input(error.with_hint("name a folder after --store")));
    }
    if args.explain {
        terminal.say("memo: ran, since there is no store");
    }
    let (code, traced) = command.run_alone().map_err(failed)?;
    tell_traced(traced.as_ref(), terminal);
    if args.audit {
        terminal.say(&format!("memo: {}", words::audited(&Audited::New)));
    }
    Ok(exit(code))
}

fn look_up(
    args: &MemoArgs,
    command: &MemoCommand,
    store: &ProductStore,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let (key, known) = command.look_up(store).map_err(failed)?;
    if args.json {
        terminal.json(&json!({ "version": 1, "known": known, "key": key.to_string() }))?;
    } else {
        let would =
            if known { "known: its result would be restored" } else { "not known: the command would run" };
        terminal.result(&format!("{would}\nkey {key}\n"))?;
    }
    Ok(Exit::Ok)
}

fn tell(args: &MemoArgs, outcome: &MemoOutcome, terminal: &Terminal) {
    let say = |line: String| terminal.say(&format!("memo: {line}"));
    if args.explain {
        words::explained(outcome).into_iter().for_each(&say);
    }
    if let Some(reason) = &outcome.not_kept
        // That a command failed is seen by its exit code.
        && (args.explain || outcome.exit == 0)
    {
        say(format!("warning: not kept: {reason}"));
    }
    tell_traced(outcome.traced.as_ref(), terminal);
    if args.trace && outcome.source != MemoSource::Ran {
        say("note: nothing was traced, since the command did not run; --audit runs it".into());
    }
    outcome.audited.iter().for_each(|audited| say(words::audited(audited)));
}

fn tell_traced(traced: Option<&TracedFiles>, terminal: &Terminal) {
    let lines = traced.map(words::traced).unwrap_or_default();
    lines.iter().for_each(|line| terminal.say(&format!("memo: {line}")));
}

fn failed(error: MemoError) -> Failure {
    let message = Diagnostic::error(error.to_string());
    match error {
        MemoError::Unwritable { .. } | MemoError::CannotRun { .. } | MemoError::CannotTrace { .. } => {
            Failure::environment(message)
        }
        MemoError::Store(_) => Failure::environment(message),
        _ => Failure::bad_input(message),
    }
}
