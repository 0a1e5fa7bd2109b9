//! The command as a process: what it writes to its two streams is passed on and kept. It ends with this process.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use super::MemoCommand;
#[cfg(target_os = "linux")]
use super::guard::CommandGuard;
use super::request::IdentifiedCommand;
use super::signals::IgnoredSignals;
use super::start::start;
#[cfg(not(target_os = "linux"))]
use super::unguarded::CommandGuard;
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
    let mut process = command.process();
    process.env(COMPUTING, &turn.computing).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.stdin(if identified.input.is_some() { Stdio::piped() } else { Stdio::null() });
    let ignored = IgnoredSignals::new();
    let started = start(process, command.trace, turn.lock_file(), &ignored);
    let (mut child, guard) = started.map_err(|error| command.cannot_run(&error))?;
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let (input, output, error) = streams;
        let feeding = input.zip(identified.input.as_deref());
        // A command that does not read all of its input is no failure.
        let feeding = feeding.map(|(mut to, bytes)| scope.spawn(move || drop(to.write_all(bytes))));
        let output = scope.spawn(move || output.map(|from| passed_on(from, &mut io::stdout())));
        let error = scope.spawn(move || error.map(|from| passed_on(from, &mut io::stderr())));
        let streams = || {
            drop(feeding);
            // Processes that the command left may still write to them.
            [output, error].map(|stream| stream.join().ok().flatten().unwrap_or_default())
        };
        let (ended, streams) = wait(child, guard, command.trace, streams);
        let (exit, traced) = ended?;
        let is_long = streams.iter().any(|(_, is_long)| *is_long);
        let [output, error] = streams.map(|(bytes, _)| bytes);
        Ok(EndedCommand { exit, output, error, is_long, traced })
    })
}

/// How a command ended, and what it was traced to do.
pub(super) type Ended = Result<(i32, Option<TracedFiles>), MemoError>;

/// Waits for the command, then for `streams`; only then its guard may go.
pub(super) fn wait<T>(
    mut child: Child,
    guard: Option<CommandGuard>,
    traced: bool,
    streams: impl FnOnce() -> T,
) -> (Ended, T) {
    if traced {
        let followed = trace::follow(&mut child).map(|Traced { exit, files }| (exit, Some(files)));
        return (followed, streams());
    }
    let Some(mut guard) = guard else {
        let ended = exit_of(&mut child);
        return (ended, streams());
    };
    let code = guard.exit_code();
    let streams = streams();
    guard.release();
    let ended = exit_of(&mut child);
    (code.map_or(ended, |code| Ok((code, None))), streams)
}

fn exit_of(child: &mut Child) -> Ended {
    let status = child.wait().map_err(|error| MemoError::CannotTrace { reason: error.to_string() })?;
    Ok((exit_code_of(status), None))
}

impl MemoCommand {
    /// The command, not started.
    pub(super) fn process(&self) -> Command {
        let (program, arguments) = self.command.split_first().map_or(("", &[][..]), |(p, a)| (p.as_str(), a));
        let mut process = Command::new(program);
        process.args(arguments);
        process
    }

    pub(super) fn cannot_run(&self, error: &io::Error) -> MemoError {
        let program = self.command.first().cloned().unwrap_or_default();
        MemoError::CannotRun { program, kind: error.kind(), reason: reason(error) }
    }
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
fn exit_code_of(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}

/// The exit code as a shell gives it.
#[cfg(not(unix))]
fn exit_code_of(status: ExitStatus) -> i32 {
    status.code().unwrap_or(1)
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such program; check its name and PATH".into(),
        io::ErrorKind::PermissionDenied => "it may not be run; check its permissions".into(),
        _ => error.to_string(),
    }
}
