//! Following a command and all its processes through their system calls, as strace does. What a call opened is asked of the
//! system (`/proc/PID/fd`), so that no path of the command needs to be interpreted.
#![allow(unsafe_code, reason = "the system tells of a call in a union, whose form its field `op` says")]

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::process::Child;

use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::{Traced, TracedFiles};
use crate::MemoError;
use crate::paths::place;

/// A path of a system call is not longer than this.
const LONGEST_PATH: u64 = 4096;

/// A call that has begun: its number and arguments.
type Begun = (i64, [u64; 6]);

/// What is known of the processes.
#[derive(Default)]
struct TraceFollower {
    files: TracedFiles,
    begun: HashMap<Pid, Begun>,
}

/// Follows a child that waits to be traced until it and all its processes have ended.
pub(crate) fn follow(child: &mut Child) -> Result<Traced, MemoError> {
    let failed = |error: Errno| MemoError::CannotTrace { reason: error.desc().to_owned() };
    let root = Pid::from_raw(child.id() as i32);
    let mut follower = TraceFollower::default();
    // Processes that other threads have started are theirs.
    let waiting = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    // It stops when its program starts.
    waitpid(root, Some(waiting)).map_err(failed)?;
    let options = Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_EXITKILL;
    ptrace::setoptions(root, options).map_err(failed)?;
    ptrace::syscall(root, None).map_err(failed)?;
    let mut exit = None;
    loop {
        let status = match waitpid(None, Some(waiting)) {
            Ok(status) => status,
            Err(Errno::EINTR) => continue,
            // All processes have ended.
            Err(Errno::ECHILD) => break,
            Err(error) => return Err(failed(error)),
        };
        match status {
            WaitStatus::Exited(pid, code) if pid == root => exit = Some(code),
            WaitStatus::Signaled(pid, signal, _) if pid == root => exit = Some(128 + signal as i32),
            other => follower.step(other),
        }
    }
    Ok(Traced { exit: exit.unwrap_or(1), files: follower.files })
}

impl TraceFollower {
    fn step(&mut self, status: WaitStatus) {
        let (pid, signal) = match status {
            WaitStatus::PtraceSyscall(pid) => {
                self.call(pid);
                (pid, None)
            }
            WaitStatus::PtraceEvent(pid, _, event) => {
                if event == libc::PTRACE_EVENT_EXEC {
                    self.files.extend_reads(link(pid, "exe"));
                }
                (pid, None)
            }
            // New processes begin with a stop, which is no signal for them.
            WaitStatus::Stopped(pid, Signal::SIGSTOP | Signal::SIGTRAP) => (pid, None),
            WaitStatus::Stopped(pid, signal) => (pid, Some(signal)),
            WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, ..) => {
                self.begun.remove(&pid);
                return;
            }
            _ => return,
        };
        // One that was killed meanwhile is reported by the next wait.
        let _ = ptrace::syscall(pid, signal);
    }

    fn call(&mut self, pid: Pid) {
        let Ok(info) = ptrace::syscall_info(pid) else { return };
        match info.op {
            libc::PTRACE_SYSCALL_INFO_ENTRY => {
                // SAFETY: `op` says that it is the entry of a call.
                let entry = unsafe { info.u.entry };
                self.begun.insert(pid, (entry.nr as i64, entry.args));
            }
            libc::PTRACE_SYSCALL_INFO_EXIT => {
                // SAFETY: `op` says that it is the exit of a call.
                let result = unsafe { info.u.exit };
                if let Some((number, arguments)) = self.begun.remove(&pid)
                    && result.is_error == 0
                {
                    self.ended(pid, number, &arguments, result.sval);
                }
            }
            _ => {}
        }
    }

    /// A call that was successful.
    fn ended(&mut self, pid: Pid, number: i64, arguments: &[u64; 6], result: i64) {
        let number = libc::c_long::from(number);
        match number {
            libc::SYS_openat => self.opened(pid, result, arguments[2]),
            libc::SYS_openat2 => {
                let flags = memory(pid, arguments[2], 8).and_then(|bytes| bytes.try_into().ok());
                self.opened(pid, result, flags.map_or(0, u64::from_ne_bytes));
            }
            libc::SYS_truncate => self.named(pid, None, arguments[0]),
            libc::SYS_renameat => self.named(pid, Some(arguments[2]), arguments[3]),
            libc::SYS_renameat2 => self.named(pid, Some(arguments[2]), arguments[3]),
            libc::SYS_linkat => self.named(pid, Some(arguments[2]), arguments[3]),
            _ => self.old_call(pid, number, arguments, result),
        }
    }

    /// Calls that newer machines do not have.
    #[cfg(target_arch = "x86_64")]
    fn old_call(&mut self, pid: Pid, number: libc::c_long, arguments: &[u64; 6], result: i64) {
        match number {
            libc::SYS_open => self.opened(pid, result, arguments[1]),
            libc::SYS_creat => self.opened(pid, result, libc::O_WRONLY as u64),
            libc::SYS_rename | libc::SYS_link => self.named(pid, None, arguments[1]),
            _ => {}
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn old_call(&mut self, _: Pid, _: libc::c_long, _: &[u64; 6], _: i64) {}

    fn opened(&mut self, pid: Pid, descriptor: i64, flags: u64) {
        let Some(path) = link(pid, &format!("fd/{descriptor}")) else { return };
        let flags = flags as i32;
        if flags & libc::O_PATH != 0 {
            return;
        }
        let access = flags & libc::O_ACCMODE;
        // One that is opened for both, and not emptied, may be read.
        if access == libc::O_RDONLY || (access == libc::O_RDWR && flags & (libc::O_TRUNC | libc::O_EXCL) == 0)
        {
            self.files.read(path.clone());
        }
        if access != libc::O_RDONLY {
            self.files.write(path);
        }
    }

    /// A file that has a name now.
    fn named(&mut self, pid: Pid, folder: Option<u64>, address: u64) {
        let Some(name) = text(pid, address) else { return };
        let from = match folder.map(|folder| folder as i32) {
            Some(folder) if folder != libc::AT_FDCWD => link(pid, &format!("fd/{folder}")),
            _ => link(pid, "cwd"),
        };
        if let Some(from) = from {
            self.files.write(place(&from.join(name)));
        }
    }
}

impl TracedFiles {
    fn extend_reads(&mut self, path: Option<PathBuf>) {
        path.into_iter().for_each(|path| self.read(path));
    }
}

/// Where a link of a process leads; none for what is no file, such as a pipe.
fn link(pid: Pid, name: &str) -> Option<PathBuf> {
    let path = fs::read_link(Path::new("/proc").join(pid.to_string()).join(name)).ok()?;
    path.is_absolute().then_some(path)
}

/// Bytes of the memory of a process.
fn memory(pid: Pid, address: u64, length: usize) -> Option<Vec<u8>> {
    let mut file = File::open(format!("/proc/{pid}/mem")).ok()?;
    file.seek(SeekFrom::Start(address)).ok()?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

/// A path in the memory of a process.
fn text(pid: Pid, address: u64) -> Option<PathBuf> {
    let mut file = File::open(format!("/proc/{pid}/mem")).ok()?;
    file.seek(SeekFrom::Start(address)).ok()?;
    let mut bytes = Vec::new();
    // Memory may end after the text.
    let mut buffer = [0; 64];
    while bytes.len() < LONGEST_PATH as usize {
        let length = file.read(&mut buffer).ok().filter(|length| *length > 0)?;
        if let Some(end) = buffer[..length].iter().position(|byte| *byte == 0) {
            bytes.extend_from_slice(&buffer[..end]);
            return Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)));
        }
        bytes.extend_from_slice(&buffer[..length]);
    }
    None
}
