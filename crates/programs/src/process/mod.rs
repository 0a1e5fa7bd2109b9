//! One process with its children: started in a group of its own, bounded in time and memory, and ended as a whole.

mod memory;
mod watch;

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};

use onceflow_study::Size;

use self::memory::resident;
pub(crate) use self::watch::Watcher;

/// Limits of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProcessLimits {
    pub(crate) time: Option<Duration>,
    pub(crate) memory: Option<u64>,
}

/// The end of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProcessEnd {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal of another process.
    Signal(i32),
    /// It passed a limit and was stopped; the words say which.
    Stopped(String),
}

/// A process that runs, with all its children.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: u32,
    watcher: Arc<Watcher>,
    container: Option<ServedContainer>,
    gone: bool,
}

/// A container whose processes are children of a server, not of this process.
#[derive(Debug)]
pub(crate) struct ServedContainer {
    /// The program that ends it.
    pub(crate) program: String,
    /// The name by which the server knows it.
    pub(crate) name: String,
}

/// The most bytes that a program may print.
const MOST_LOG: u64 = 64 << 20;

/// How often limits are checked: soon after the start, and then less often.
const FIRST_CHECK: Duration = Duration::from_millis(1);
const LAST_CHECK: Duration = Duration::from_millis(20);

impl Process {
    /// Starts a program in a group of its own.
    pub(crate) fn start(
        mut command: Command,
        watcher: &Arc<Watcher>,
        container: Option<ServedContainer>,
        limits: ProcessLimits,
    ) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        if let Some(ServedContainer { program, name }) = &container {
            watcher.container_started(program, name);
        }
        let child = command.spawn()?;
        let group = child.id();
        if let Some(memory) = limits.memory {
            bound_data(group, memory);
        }
        watcher.started(group);
        Ok(Self { child, group, watcher: Arc::clone(watcher), container, gone: false })
    }

    /// The process, whose standard input and output can be taken.
    pub(crate) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until it ends, or passes a limit; `log` is the file that it prints into.
    pub(crate) fn wait(mut self, limits: ProcessLimits, log: &Path) -> io::Result<ProcessEnd> {
        let (began, mut pause) = (Instant::now(), FIRST_CHECK);
        while !self.has_ended()? {
            if let Some(stopped) = self.passed(limits, began, log) {
                self.end()?;
                return Ok(ProcessEnd::Stopped(stopped));
            }
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(LAST_CHECK);
        }
        self.end().map(process_end)
    }

    /// The limit it has passed, in words; none while it keeps all.
    pub(crate) fn passed(&self, limits: ProcessLimits, began: Instant, log: &Path) -> Option<String> {
        if let Some(time) = limits.time.filter(|time| began.elapsed() > *time) {
            return Some(format!("was stopped: it took more than its {} s", time.as_secs_f64()));
        }
        if let Some(memory) = limits.memory
            && let Some(found) = resident(self.child.id(), memory).filter(|found| *found > memory)
        {
            let found = found.div_ceil(1 << 20) << 20;
            return Some(format!(
                "was stopped: it took {} of memory, more than its {}",
                Size(found),
                Size(memory)
            ));
        }
        let printed = log.metadata().map_or(0, |data| data.len());
        (printed > MOST_LOG).then(|| format!("was stopped: it printed more than {}", Size(MOST_LOG)))
    }

    /// Whether the process itself has ended. It is not reaped, so that the number of its group is not used again.
    #[cfg(unix)]
    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let Some(id) = Pid::from_raw(self.group.cast_signed()) else { return Ok(true) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(id), options)?.is_some())
    }

    /// Whether the process itself has ended.
    #[cfg(not(unix))]
    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Ends it with all its children, and waits until it is gone.
    pub(crate) fn end(&mut self) -> io::Result<ExitStatus> {
        self.kill();
        let status = self.child.wait();
        self.watcher.ended(self.group);
        self.gone = true;
        status
    }

    fn kill(&mut self) {
        // A group without processes cannot be killed, and need not be.
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.group.cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(not(unix))]
        let _ = self.child.kill();
        if let Some(ServedContainer { program, name }) = self.container.take() {
            let mut command = Command::new(&program);
            command
                .args(["kill", &name])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null());
            let _ = command.status();
            self.watcher.container_ended(&program, &name);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.gone {
            // An error cannot be reported here.
            let _ = self.end();
        }
    }
}

/// Bounds the memory that a program and each of its children can reserve, well above its limit. Its memory is checked at
/// intervals, and a program that grows fast between two checks must not exhaust the machine. Programs reserve more than they
/// use, so a tighter bound would fail some that keep their limit.
fn bound_data(process: u32, memory: u64) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let most = Some(memory.saturating_mul(MOST_RESERVED).saturating_add(RESERVED_ANYWAY));
        if let Some(id) = Pid::from_raw(process.cast_signed()) {
            // Where a lower bound holds already, it cannot be raised, and need not be.
            let _ = prlimit(Some(id), Resource::Data, Rlimit { current: most, maximum: most });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (process, memory);
}

/// A program may reserve this many times its limit, and so many bytes more.
#[cfg(target_os = "linux")]
const MOST_RESERVED: u64 = 4;
#[cfg(target_os = "linux")]
const RESERVED_ANYWAY: u64 = 1 << 30;

/// The end of a process that was not stopped.
pub(crate) fn process_end(status: ExitStatus) -> ProcessEnd {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ProcessEnd::Signal(signal);
    }
    ProcessEnd::Code(status.code().unwrap_or(-1))
}
