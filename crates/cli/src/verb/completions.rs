//! `onceflow completions`.

use clap::CommandFactory as _;
use onceflow_terminal::{Exit, Failure, Terminal};

use crate::args::{CommandLine, CompletionsArgs};

/// Prints the completion script of a shell.
pub(crate) fn run(args: &CompletionsArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut CommandLine::command(), "onceflow", &mut script);
    terminal.result(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
