//! A whole command of the program `onceflow` beside this one: its time, its output and its resident peak.

use std::env::consts::EXE_SUFFIX;
use std::fmt::Display;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;

/// What a command took and said.
#[derive(Clone, Debug)]
pub(crate) struct MeasuredCommand {
    pub(crate) seconds: f64,
    /// Most bytes resident at once, where the system says it.
    pub(crate) resident: u64,
    /// What it printed.
    pub(crate) stdout: String,
    /// What it said to people.
    pub(crate) stderr: String,
}

/// The program `onceflow` in the folder of the running executable.
pub(crate) fn onceflow() -> Result<PathBuf, Failure> {
    let program = std::env::current_exe().map_err(failed)?.with_file_name(format!("onceflow{EXE_SUFFIX}"));
    if program.is_file() {
        return Ok(program);
    }
    let message = Diagnostic::error("this benchmark measures whole commands, and onceflow is not built");
    let message = message.expected_found(program.display().to_string(), "no such file");
    Err(Failure::environment(message.with_hint("cargo build --release")))
}

/// Runs a command of onceflow for at most so long.
pub(crate) fn run(arguments: &[&str], limit: Duration) -> Result<MeasuredCommand, Failure> {
    let mut command = Command::new(onceflow()?);
    command.args(arguments).env("ONCEFLOW_PROGRESS", "auto").env("ONCEFLOW_STORE", "none");
    let (out, log) =
        (tempfile::NamedTempFile::new().map_err(failed)?, tempfile::NamedTempFile::new().map_err(failed)?);
    let (stdout, stderr) = (out.reopen().map_err(failed)?, log.reopen().map_err(failed)?);
    let start = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().map_err(failed)?;
    let mut resident = 0;
    let status = loop {
        resident = resident.max(peak(&child));
        match child.try_wait().map_err(failed)? {
            Some(status) => break Some(status),
            None if start.elapsed() >= limit => break None,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    if status.is_none() {
        child.kill().and_then(|()| child.wait()).map_err(failed)?;
    }
    let said = |file: &tempfile::NamedTempFile| std::fs::read_to_string(file.path()).unwrap_or_default();
    match status {
        Some(status) if !status.success() => Err(failed(said(&log))),
        _ => Ok(MeasuredCommand { seconds, resident, stdout: said(&out), stderr: said(&log) }),
    }
}

fn peak(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}

/// A benchmark that cannot go on.
pub(crate) fn failed(error: impl Display) -> Failure {
    Failure::environment(Diagnostic::error("the benchmark cannot be measured").with_why(error.to_string()))
}
