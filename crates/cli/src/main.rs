//! The onceflow command: words in, answers out. Everything that can be tested elsewhere lives in the libraries.

mod allocation;
mod args;
mod bench;
mod costs;
mod design;
mod diagnostics;
mod document;
mod engine;
mod exit;
mod failure;
mod file;
mod instance;
mod internal_error;
mod many;
mod memory;
mod phase;
mod picture;
mod problem;
mod progress;
mod sample_file;
mod study;
mod terminal;
mod verb;
mod words;

use clap::Parser as _;

fn main() -> std::process::ExitCode {
    internal_error::install();
    let command = args::Command::parse();
    let terminal = terminal::Terminal::new(command.progress);
    match verb::run(&command.verb, &terminal) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(&terminal, command.verb.wants_json()).into(),
    }
}
