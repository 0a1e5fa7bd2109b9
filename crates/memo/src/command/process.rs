//! The command as a process: what it writes to its two streams is passed on and kept. It ends with this process.
#![allow(
    unsafe_code,
    reason = "the child asks the system, before its program starts, to end with its parent"
)]

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use super::MemoCommand;
use super::request::IdentifiedCommand;
use super::signals::IgnoredSignals;
use super::waiting::{COMPUTING, KeyTurn};
use crate::trace::{self, Traced};
use crate::{MemoError, TracedFiles};

/// More than this of a stream is passed on, but the result is not kept.
pub(super) const MOST_OUTPUT: usize = 64 << 20;

/// How a command ended.
pub(super) struct EndedCommand {
    pub(super) exit: i32,
    pub(super) output: Vec<u8>,
    pub(super) error: Vec<u8>,
    /// Whether a stream was longer than is kept.
    pub(super) is_long: bool,
    pub(super) traced: Option<TracedFiles>,
}

/// Runs the command to its end.
pub(super) fn run(
    command: &MemoCommand,
    identified: &IdentifiedCommand,
    turn: &KeyTurn,
) -> Result<EndedCommand, MemoError> {
    let (program, arguments) = command.command.split_first().map_or(("", &[][..]), |(p, a)| (p.as_str(), a));
    let failed = |error: &io::Error| MemoError::CannotRun {
        program: program.to_owned(),
        kind: error.kind(),
        reason: reason(error),
    };
    let mut process = Command::new(program);
    process.args(arguments).env(COMPUTING, &turn.computing).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.stdin(if identified.input.is_some() { Stdio::piped() } else { Stdio::null() });
    let ignored = IgnoredSignals::new();
    prepare(&mut process, command.trace, &ignored);
    let mut child = process.spawn().map_err(|error| failed(&error))?;
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let (input, output, error) = streams;
        let feeding = input.zip(identified.input.as_deref());
        // A command that does not read all of its input is no failure.
        let feeding = feeding.map(|(mut to, bytes)| scope.spawn(move || drop(to.write_all(bytes))));
        let output = scope.spawn(move || output.map(|from| passed_on(from, &mut io::stdout())));
        let error = scope.spawn(move || error.map(|from| passed_on(from, &mut io::stderr())));
        let (exit, traced) = wait(child, command.trace)?;
        drop(feeding);
        let streams = [output, error].map(|stream| stream.join().ok().flatten().unwrap_or_default());
        let is_long = streams.iter().any(|(_, is_long)| *is_long);
        let [output, error] = streams.map(|(bytes, _)| bytes);
        Ok(EndedCommand { exit, output, error, is_long, traced })
    })
}

fn wait(mut child: Child, traced: bool) -> Result<(i32, Option<TracedFiles>), MemoError> {
    if traced {
        let Traced { exit, files } = trace::follow(&mut child)?;
        return Ok((exit, Some(files)));
    }
    let status = child.wait().map_err(|error| MemoError::CannotTrace { reason: error.to_string() })?;
    Ok((exit_code_of(status), None))
}

/// Passes a stream on, and keeps it up to the greatest length; whether it was longer.
fn passed_on(mut from: impl Read, to: &mut dyn Write) -> (Vec<u8>, bool) {
    let mut kept = Vec::new();
    let mut is_long = false;
    let mut buffer = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let bytes = &buffer[..length];
        // A closed stream must not stop the command.
        let _ = to.write_all(bytes).and_then(|()| to.flush());
        is_long |= kept.len() + length > MOST_OUTPUT;
        if !is_long {
            kept.extend_from_slice(bytes);
        }
    }
    (kept, is_long)
}

/// The exit code as a shell gives it: 128 and the signal for a command that was stopped.
#[cfg(unix)]
pub fn exit_code_of(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}

/// The exit code as a shell gives it.
#[cfg(not(unix))]
pub fn exit_code_of(status: ExitStatus) -> i32 {
    status.code().unwrap_or(1)
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such program; check its name and PATH".into(),
        io::ErrorKind::PermissionDenied => "it may not be run; check its permissions".into(),
        _ => error.to_string(),
    }
}

/// What the child does before its program starts.
#[cfg(unix)]
fn prepare(process: &mut Command, traced: bool, ignored: &IgnoredSignals) {
    use std::os::unix::process::CommandExt as _;
    let before = ignored.before;
    let prepare = move || {
        super::signals::set(before);
        end_with_parent()?;
        if traced { stop_for_tracer() } else { Ok(()) }
    };
    // SAFETY: the closure makes system calls only; it allocates nothing and takes no lock.
    unsafe { process.pre_exec(prepare) };
}

#[cfg(not(unix))]
fn prepare(_: &mut Command, _: bool, _: &IgnoredSignals) {}

#[cfg(target_os = "linux")]
fn end_with_parent() -> io::Result<()> {
    // SAFETY: prctl with these arguments reads and writes no memory of ours.
    match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(target_os = "linux")]
fn stop_for_tracer() -> io::Result<()> {
    nix::sys::ptrace::traceme().map_err(io::Error::from)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn end_with_parent() -> io::Result<()> {
    Ok(())
}

#[cfg(all(unix, not(target_os = "linux")))]
fn stop_for_tracer() -> io::Result<()> {
    Ok(())
}
