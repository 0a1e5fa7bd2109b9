//! This program, run once more: what a whole command takes, and the most memory it ever has.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::failed;
use crate::failure::Failure;

/// What a command took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Took {
    pub(super) seconds: f64,
    /// Most bytes resident at once, where the system says it.
    pub(super) resident: u64,
}

/// Runs a command of ours for at most so long.
pub(super) fn run(arguments: &[&str], limit: Duration) -> Result<(Took, String), Failure> {
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(program);
    command.args(arguments).env("ONCEFLOW_PROGRESS", "auto");
    let log = tempfile::NamedTempFile::new().map_err(failed)?;
    let stderr = log.reopen().map_err(failed)?;
    let start = Instant::now();
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn().map_err(failed)?;
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
    let said = std::fs::read_to_string(log.path()).unwrap_or_default();
    match status {
        Some(status) if !status.success() => Err(failed(said)),
        _ => Ok((Took { seconds, resident }, said)),
    }
}

fn peak(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kibibytes.unwrap_or(0) * 1024
}
