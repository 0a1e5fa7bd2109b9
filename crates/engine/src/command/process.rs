//! One process with its children: started in a group of its own, bounded in time and memory, and gone as a whole.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::time::{Duration, Instant};

use onceflow_study::Size;

use super::memory::resident;
use super::watch::Watcher;

/// What a program may take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    pub(super) time: Option<Duration>,
    pub(super) memory: Option<u64>,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal that we did not send.
    Signal(i32),
    /// It passed a limit, and was stopped: in words.
    Stopped(String),
}

/// A process that runs, with all its children.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: u32,
    watcher: Arc<Watcher>,
    /// Program and name of the container whose processes are not our children.
    container: Option<(String, String)>,
    gone: bool,
}

/// A program prints no more than this.
const MOST_LOG: u64 = 64 << 20;

/// How often limits are looked at: soon after the start, and then less often.
const FIRST_LOOK: Duration = Duration::from_millis(1);
const LAST_LOOK: Duration = Duration::from_millis(20);

impl Process {
    /// Starts a program in a group of its own.
    pub(super) fn start(
        mut command: Command,
        watcher: &Arc<Watcher>,
        container: Option<(String, String)>,
        limits: Limits,
    ) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        if let Some((program, name)) = &container {
            watcher.container_came(program, name);
        }
        let child = command.spawn()?;
        let group = child.id();
        if let Some(memory) = limits.memory {
            bound_data(group, memory);
        }
        watcher.came(group);
        Ok(Self { child, group, watcher: Arc::clone(watcher), container, gone: false })
    }

    /// What it reads and writes, to be taken.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until it ends, or passes a limit; `log` is the file that it prints into.
    pub(super) fn wait(mut self, limits: Limits, log: &Path) -> io::Result<Ended> {
        let (began, mut pause) = (Instant::now(), FIRST_LOOK);
        while !self.has_ended()? {
            if let Some(stopped) = self.passed(limits, began, log) {
                self.end()?;
                return Ok(Ended::Stopped(stopped));
            }
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(LAST_LOOK);
        }
        self.end().map(ended)
    }

    /// Which limit it has passed, in words.
    pub(super) fn passed(&self, limits: Limits, began: Instant, log: &Path) -> Option<String> {
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

    /// Whether the process itself has ended; what remains of it is not taken away yet, so that its group keeps its name.
    #[cfg(unix)]
    pub(super) fn has_ended(&mut self) -> io::Result<bool> {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let Some(id) = Pid::from_raw(self.group.cast_signed()) else { return Ok(true) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(id), options)?.is_some())
    }

    /// Whether the process itself has ended.
    #[cfg(not(unix))]
    pub(super) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Ends it with all its children, and waits until it is gone.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        self.kill();
        let status = self.child.wait();
        self.watcher.went(self.group);
        self.gone = true;
        status
    }

    fn kill(&mut self) {
        // Whoever is gone already cannot be killed, which is what is wanted.
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.group.cast_signed()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(not(unix))]
        let _ = self.child.kill();
        if let Some((program, name)) = self.container.take() {
            let mut command = Command::new(&program);
            command
                .args(["kill", &name])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null());
            let _ = command.status();
            self.watcher.container_went(&program, &name);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.gone {
            // There is nobody left to tell.
            let _ = self.end();
        }
    }
}

/// Bounds what a program and each of its children can ask of the system for themselves, well above what it may take: its
/// memory is looked at now and then, and a leap between two looks must not take the machine. Programs ask for more than they
/// use, so that a tighter bound would fail some that keep theirs.
fn bound_data(process: u32, memory: u64) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let most = Some(memory.saturating_mul(MOST_ASKED).saturating_add(ASKED_ANYWAY));
        if let Some(id) = Pid::from_raw(process.cast_signed()) {
            // Where a lower one holds already, it may not be raised, and need not be.
            let _ = prlimit(Some(id), Resource::Data, Rlimit { current: most, maximum: most });
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (process, memory);
}

/// How many times its memory a program may ask for, and what every program may.
#[cfg(target_os = "linux")]
const MOST_ASKED: u64 = 4;
#[cfg(target_os = "linux")]
const ASKED_ANYWAY: u64 = 1 << 30;

/// How a process ended that was not stopped.
pub(super) fn ended(status: ExitStatus) -> Ended {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ended::Signal(signal);
    }
    Ended::Code(status.code().unwrap_or(-1))
}
