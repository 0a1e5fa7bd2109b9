//! A watcher beside the run: a shell that learns of every program that is started, and ends them when the run goes away
//! without having done so, also when it is killed.

use std::io::{self, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// What the shell does.
const SCRIPT: &str = include_str!("watch.sh");

/// The watcher of a run.
#[derive(Debug)]
pub(super) struct Watcher {
    shell: Mutex<Option<(Child, ChildStdin)>>,
    /// A name of the run that its programs carry in their environment.
    pub(super) token: String,
}

impl Watcher {
    /// Starts to watch.
    ///
    /// # Errors
    /// When there is no shell.
    pub(super) fn start(token: String) -> io::Result<Self> {
        let mut shell = Command::new("/bin/sh");
        // What it needs is in these places, whatever the user's path is.
        let path = std::env::var("PATH").unwrap_or_default();
        shell.env("PATH", format!("{path}:/usr/bin:/bin"));
        shell.args(["-c", SCRIPT, "onceflow-watch", &token]);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C at the terminal goes to the run; the watcher stays until the run is gone.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut child = shell.spawn()?;
        let lines = child.stdin.take().ok_or_else(|| io::Error::other("a shell without input"))?;
        Ok(Self { shell: Mutex::new(Some((child, lines))), token })
    }

    /// A group of processes was started.
    pub(super) fn came(&self, group: u32) {
        self.say(&format!("+ {group}\n"));
    }

    /// A group of processes is gone.
    pub(super) fn went(&self, group: u32) {
        self.say(&format!("- {group}\n"));
    }

    /// A container was started, whose processes are not ours.
    pub(super) fn container_came(&self, program: &str, name: &str) {
        self.say(&format!("@ {program} {name}\n"));
    }

    /// A container is gone.
    pub(super) fn container_went(&self, program: &str, name: &str) {
        self.say(&format!("~ {program} {name}\n"));
    }

    fn say(&self, line: &str) {
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, lines)) = shell.as_mut() {
            // A watcher that somebody ended no longer watches; the run itself still ends what it started.
            let _ = lines.write_all(line.as_bytes());
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.say(".\n");
        let shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((mut child, lines)) = shell {
            drop(lines);
            // It ends by itself; waiting only takes its remains away.
            let _ = child.wait();
        }
    }
}
