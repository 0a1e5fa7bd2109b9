//! Starting a command: what the new process does before its program, and what ends it when this process is killed.
#![allow(unsafe_code, reason = "a new process is prepared between fork and exec")]

use std::fs::File;
use std::io;
use std::process::{Child, Command};

#[cfg(target_os = "linux")]
use super::guard::CommandGuard;
use super::signals::IgnoredSignals;
#[cfg(not(target_os = "linux"))]
use super::unguarded::CommandGuard;

/// Starts a command, which the lock of a key outlives. A traced one ends with its tracer; any other has a guard on Linux.
#[cfg(target_os = "linux")]
pub(super) fn start(
    mut process: Command,
    traced: bool,
    lock: Option<&File>,
    ignored: &IgnoredSignals,
) -> io::Result<(Child, Option<CommandGuard>)> {
    use std::os::fd::AsRawFd as _;
    use std::os::unix::process::CommandExt as _;
    let (guard, end) = if traced { None } else { Some(CommandGuard::new()?) }.unzip();
    let split = end.as_ref().map(|end| end.split(lock.map(|lock| lock.as_raw_fd())));
    let before = ignored.before;
    let prepare = move || {
        split.as_ref().map_or(Ok(()), |split| split())?;
        super::signals::set(before);
        end_with_parent()?;
        if traced { stop_for_tracer() } else { Ok(()) }
    };
    // SAFETY: the closure makes system calls only; it allocates nothing and takes no lock.
    unsafe { process.pre_exec(prepare) };
    Ok((process.spawn()?, guard))
}

/// Starts a command. Ctrl-C is for it.
#[cfg(not(target_os = "linux"))]
pub(super) fn start(
    mut process: Command,
    _: bool,
    _: Option<&File>,
    ignored: &IgnoredSignals,
) -> io::Result<(Child, Option<CommandGuard>)> {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        let before = ignored.before;
        let prepare = move || {
            super::signals::set(before);
            Ok(())
        };
        // SAFETY: the closure makes system calls only; it allocates nothing and takes no lock.
        unsafe { process.pre_exec(prepare) };
    }
    #[cfg(not(unix))]
    let _ = ignored;
    Ok((process.spawn()?, None))
}

/// The command itself ends with the process that started it, even when nothing else can end it.
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
