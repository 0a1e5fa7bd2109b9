//! A watcher beside the run: a shell that is told of every program that is started, and ends them when the run ends without
//! having done so, also when it is killed.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The script of the shell.
const SCRIPT: &str = include_str!("watch.sh");

/// The watcher of a run.
#[derive(Debug)]
pub(crate) struct Watcher {
    shell: Mutex<Option<(Child, ChildStdin)>>,
    /// A name of the run, which its programs have in their environment.
    pub(crate) token: String,
}

impl Watcher {
    /// Starts to watch.
    ///
    /// # Errors
    /// When there is no shell.
    pub(crate) fn start(token: String) -> io::Result<Self> {
        let mut shell = Command::new("/bin/sh");
        shell.env("PATH", search_path());
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
    pub(crate) fn started(&self, group: u32) {
        self.say(&format!("+ {group}\n"));
    }

    /// A group of processes has ended.
    pub(crate) fn ended(&self, group: u32) {
        self.say(&format!("- {group}\n"));
    }

    /// A container was started, whose processes are children of a server.
    pub(crate) fn container_started(&self, program: &str, name: &str) {
        self.say(&format!("@ {program} {name}\n"));
    }

    /// A container has ended.
    pub(crate) fn container_ended(&self, program: &str, name: &str) {
        self.say(&format!("~ {program} {name}\n"));
    }

    fn say(&self, line: &str) {
        let mut shell = self.shell.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, lines)) = shell.as_mut() {
            // Without a watcher the run itself still ends what it started.
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
            // It ends by itself; waiting reaps it.
            let _ = child.wait();
        }
    }
}

/// Where the shell finds its tools: on the user's path, and in the folders every system has.
fn search_path() -> OsString {
    let standard = "/usr/bin:/bin";
    match std::env::var_os("PATH").filter(|path| !path.is_empty()) {
        Some(mut path) => {
            path.push(":");
            path.push(standard);
            path
        }
        None => standard.into(),
    }
}
