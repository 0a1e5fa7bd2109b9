//! The onceflow command: arguments, files and messages. All computation is in the libraries.

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
mod verb;
mod words;

use clap::Parser as _;
use onceflow_allocator::CountingAllocator;
use onceflow_terminal::{Terminal, report_panics};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> std::process::ExitCode {
    report_panics();
    let command = args::CommandLine::parse();
    let terminal = Terminal::new(command.progress);
    match verb::run(&command.verb, &terminal) {
        Ok(exit) => exit.into(),
        Err(failure) => terminal.report(failure, command.verb.wants_json()).into(),
    }
}
