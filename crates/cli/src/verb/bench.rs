//! `onceflow bench`: starts the program `onceflow-bench` beside this one. The product does not contain the benchmarks.

use std::env::consts::EXE_SUFFIX;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum as _;
use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal};

use crate::args::BenchProgramArgs;

/// Starts `onceflow-bench` with the same arguments, streams and exit code.
pub(crate) fn run(args: &BenchProgramArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let program = beside().map_err(|error| unstartable(Path::new("onceflow-bench"), &error))?;
    let mut command = Command::new(&program);
    command.args(&args.arguments);
    // `--progress` may stand before `bench` too.
    if let Some(mode) = terminal.progress_mode().to_possible_value() {
        command.env("ONCEFLOW_PROGRESS", mode.get_name());
    }
    Err(unstartable(&program, &replace_process(command)))
}

/// The program of the benchmarks, in the folder of the running executable.
fn beside() -> io::Result<PathBuf> {
    Ok(crate::started::program()?.with_file_name(format!("onceflow-bench{EXE_SUFFIX}")))
}

/// Replaces this process by the command, so that signals reach it; returns only on error.
#[cfg(unix)]
fn replace_process(mut command: Command) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    command.exec()
}

/// Runs the command and ends with its exit code; returns only on error.
#[cfg(not(unix))]
fn replace_process(mut command: Command) -> io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(i32::from(Exit::Interrupted.code()))),
        Err(error) => error,
    }
}

fn unstartable(program: &Path, error: &io::Error) -> Failure {
    let found = match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => error.to_string(),
    };
    let message = Diagnostic::error("cannot start the benchmark program onceflow-bench");
    let message = message.expected_found(program.display().to_string(), found);
    Failure::environment(message.with_hint("cargo build --release -p onceflow-bench"))
}
