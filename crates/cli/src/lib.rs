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

use clap::Parser as _;
use onceflow_terminal::{Exit, Terminal, report_panics};

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
