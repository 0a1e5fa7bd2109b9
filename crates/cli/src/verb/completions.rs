//! `onceflow completions`.

use clap::CommandFactory as _;

use crate::args::{Command, CompletionsArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Prints the script that teaches a shell our words.
pub(crate) fn run(args: &CompletionsArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Command::command(), "onceflow", &mut script);
    terminal.result(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
