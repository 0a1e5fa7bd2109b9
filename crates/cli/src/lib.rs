//! The onceflow command as a library: arguments, files and messages. All computation is in the libraries below it.

mod agreement;
mod args;
mod design;
mod diagnostics;
mod file;
mod instance;
mod many;
mod pairs;
mod phase;
mod picture;
mod problem;
mod run_folder;
mod sample_file;
mod settings;
mod started;
mod verb;
mod words;

use std::ffi::OsString;

use clap::Parser as _;
use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal, WrittenStreams, report_panics};

pub use started::Started;

/// Carries out one command in this process, which a mistake in the arguments ends.
pub fn command(started: Started) -> Exit {
    report_panics();
    let command = args::CommandLine::parse_from(started.words());
    started.keep();
    let terminal = Terminal::new(command.progress);
    match verb::run(&command.verb, &terminal) {
        Ok(exit) => exit,
        Err(failure) => terminal.report(failure, command.verb.wants_json()),
    }
}

/// Carries out one command within another program: what it writes is given back, it handles no signals, and it does not end the
/// process.
///
/// # Errors
/// When the arguments are wrong, or the command could not do its work.
pub fn carry_out(words: impl IntoIterator<Item = OsString>) -> Result<(Exit, WrittenStreams), Failure> {
    let words = std::iter::once("onceflow".into()).chain(words);
    let command = args::CommandLine::try_parse_from(words).map_err(|error| {
        let text = error.render().to_string();
        Failure::bad_input(Diagnostic::error(text.trim().trim_start_matches("error: ")))
    })?;
    started::within_program();
    let terminal = Terminal::captured();
    let exit = verb::run(&command.verb, &terminal)?;
    Ok((exit, terminal.into_written()))
}
