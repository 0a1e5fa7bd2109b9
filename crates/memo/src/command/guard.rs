//! A process between this one and its command (Linux). When this one is killed, the guard ends all processes of the command, also
//! those that left its group or session; until they are gone it holds the lock of the key, so that no other caller computes it.
#![allow(
    unsafe_code,
    reason = "between fork and exec only system calls are allowed, which the C library gives"
)]

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use libc::{c_int, pid_t};

/// What the guard is told when it is not needed any more.
const DONE: u8 = 1;

/// Where the guard has its end of the link, and the lock.
const LINK: RawFd = 0;
const LOCK: RawFd = 1;

/// The link to the guard of a command.
pub(super) struct CommandGuard {
    link: UnixStream,
}

/// The guard's end of the link: closed here once the guard has started.
pub(super) struct GuardEnd {
    link: OwnedFd,
}

impl CommandGuard {
    pub(super) fn new() -> io::Result<(Self, GuardEnd)> {
        let (link, end) = UnixStream::pair()?;
        Ok((Self { link }, GuardEnd { link: end.into() }))
    }

    /// Waits for the command itself, not for processes that it left; none when the guard was ended.
    pub(super) fn exit_code(&mut self) -> Option<i32> {
        let mut code = [0; 4];
        self.link.read_exact(&mut code).ok()?;
        Some(i32::from_ne_bytes(code))
    }

    /// Lets the guard end: what still runs is not ended.
    pub(super) fn release(mut self) {
        // A guard without processes to look after has ended.
        let _ = self.link.write_all(&[DONE]);
    }
}

impl GuardEnd {
    /// What the new process does before its program starts: it becomes the guard, and a child of it goes on. Allocates nothing.
    pub(super) fn split(&self, lock: Option<RawFd>) -> impl Fn() -> io::Result<()> + use<> {
        let link = self.link.as_raw_fd();
        move || split(link, lock)
    }
}

fn split(link: RawFd, lock: Option<RawFd>) -> io::Result<()> {
    // SAFETY: these calls touch no memory but the two sets of signals, which live as long as they do.
    unsafe {
        // Orphans of the command become children of the guard.
        checked(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1))?;
        let mut all = std::mem::zeroed();
        let mut before = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        checked(libc::sigprocmask(libc::SIG_SETMASK, &raw const all, &raw mut before))?;
        let command = checked(libc::fork())?;
        if command != 0 {
            libc::signal(libc::SIGCHLD, note_child as *const () as libc::sighandler_t);
            keep_only(link, lock);
            watch(command)
        }
        checked(libc::sigprocmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut()))?;
        checked(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 0))?;
    }
    Ok(())
}

fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// That a child ended only has to interrupt the wait.
extern "C" fn note_child(_: c_int) {}

/// Pipes of the command must not stay open here.
fn keep_only(link: RawFd, lock: Option<RawFd>) {
    // SAFETY: the calls touch no memory. Nothing that is closed here is used by this process any more.
    unsafe {
        libc::dup2(link, LINK);
        match lock {
            Some(lock) => libc::dup2(lock, LOCK),
            None => libc::close(LOCK),
        };
        if libc::syscall(libc::SYS_close_range, LOCK + 1, c_int::MAX, 0) != 0 {
            (LOCK + 1..libc::sysconf(libc::_SC_OPEN_MAX).min(1 << 20) as c_int).for_each(|fd| {
                libc::close(fd);
            });
        }
    }
}

/// Tells how the command ended, and stays until its processes are gone, or the caller is content with what it has.
fn watch(command: pid_t) -> ! {
    // SAFETY: the calls touch no memory but what is named here. In a session of its own no signal for a terminal or a group is
    // for this process, and with a name of its own none that is sent by name.
    unsafe {
        libc::setsid();
        libc::prctl(libc::PR_SET_NAME, c"memo-guard".as_ptr());
    }
    let mut code = 1;
    loop {
        while let Some((process, status)) = ended(libc::WNOHANG, code) {
            if process == command {
                code = exit_code(status);
                // SAFETY: the bytes live as long as the call.
                unsafe { libc::write(LINK, code.to_ne_bytes().as_ptr().cast(), 4) };
            }
        }
        match told() {
            Some(true) => exit(code),
            Some(false) => end_all(code),
            None => {}
        }
    }
}

/// A process that ended, with its status; none when all that are left are running. Without any the guard ends.
fn ended(how: c_int, code: i32) -> Option<(pid_t, c_int)> {
    let mut status = 0;
    // SAFETY: the status lives as long as the call.
    match unsafe { libc::waitpid(-1, &raw mut status, how) } {
        0 => None,
        -1 => exit(code),
        process => Some((process, status)),
    }
}

/// Waits for a word of the caller or the end of a process: whether the caller is content, or was killed; none for a process.
fn told() -> Option<bool> {
    let mut link = libc::pollfd { fd: LINK, events: libc::POLLIN, revents: 0 };
    let mut word = 0_u8;
    // SAFETY: what is pointed at lives as long as the calls.
    unsafe {
        let mut signals = std::mem::zeroed();
        libc::sigfillset(&raw mut signals);
        libc::sigdelset(&raw mut signals, libc::SIGCHLD);
        if libc::ppoll(&raw mut link, 1, std::ptr::null(), &raw const signals) < 1 {
            return None;
        }
        Some(libc::read(LINK, (&raw mut word).cast(), 1) == 1)
    }
}

/// Ends all processes: children of one that was ended are children of the guard then.
fn end_all(code: i32) -> ! {
    loop {
        end_children();
        ended(0, code);
    }
}

fn end_children() {
    // SAFETY: the call touches no memory.
    let own = unsafe { libc::getpid() };
    let Ok(folder) = File::open("/proc") else { return };
    let mut buffer = [0_u8; 4096];
    loop {
        // SAFETY: the buffer is as long as the call is told.
        let length = unsafe {
            libc::syscall(libc::SYS_getdents64, folder.as_raw_fd(), buffer.as_mut_ptr(), buffer.len())
        };
        let Some(mut entries) = usize::try_from(length).ok().and_then(|length| buffer.get(..length)) else {
            return;
        };
        if entries.is_empty() {
            return;
        }
        while let Some((name, rest)) = first_name(entries) {
            if let Some(process) = number(name).filter(|process| parent(*process) == Some(own)) {
                // SAFETY: the call touches no memory. The process is a child that was not waited for: no other has its number.
                unsafe { libc::kill(process, libc::SIGKILL) };
            }
            entries = rest;
        }
    }
}

/// The first name in a list of the system: after 16 bytes the length of an entry, and from byte 19 on its name.
fn first_name(entries: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = u16::from_ne_bytes(entries.get(16..18)?.try_into().ok()?).into();
    let name = entries.get(19..length)?;
    let end = name.iter().position(|byte| *byte == 0)?;
    Some((&name[..end], &entries[length..]))
}

fn number(digits: &[u8]) -> Option<pid_t> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The parent of a process: the second field behind its name, which may hold any letters, in brackets.
fn parent(process: pid_t) -> Option<pid_t> {
    let mut path = [0; 32];
    let mut rest = &mut path[..];
    write!(rest, "/proc/{process}/stat").ok()?;
    let unused = rest.len();
    let path = std::str::from_utf8(path.get(..path.len() - unused)?).ok()?;
    let mut stat = [0; 256];
    let length = File::open(path).ok()?.read(&mut stat).ok()?;
    let behind = stat.get(..length)?.rsplit(|byte| *byte == b')').next()?;
    number(behind.split(|byte| *byte == b' ').nth(2)?)
}

/// The exit code as a shell gives it.
fn exit_code(status: c_int) -> i32 {
    match libc::WIFSIGNALED(status) {
        true => 128 + libc::WTERMSIG(status),
        false => libc::WEXITSTATUS(status),
    }
}

fn exit(code: i32) -> ! {
    // SAFETY: ends the process.
    unsafe { libc::_exit(code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_folder_and_parents_are_read() {
        let mut entries = Vec::new();
        for name in ["1234", "self"] {
            entries.extend([0; 16]);
            entries.extend(24_u16.to_ne_bytes());
            entries.push(4);
            entries.extend(name.bytes().chain([0]));
        }
        let (first, rest) = first_name(&entries).unwrap();
        assert_eq!((number(first), first_name(rest).map(|(name, _)| number(name))), (Some(1234), Some(None)));
        assert_eq!(first_name(&entries[..20]), None);
        assert_eq!(first_name(&[]), None);
        let own = pid_t::try_from(std::process::id()).unwrap();
        assert_eq!(parent(own), pid_t::try_from(std::os::unix::process::parent_id()).ok());
        assert_eq!(parent(-1), None);
    }
}
