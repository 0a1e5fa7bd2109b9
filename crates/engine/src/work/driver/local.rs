//! Workers that are processes of this machine. Each writes to a log of its own; a closed pipe tells it that its manager is
//! gone or wants it to end.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};

use onceflow_study::Size;

use super::{LostOwner, WorkerDriver, refused};
use crate::work::WorkRoot;
use crate::{EngineError, PROCESS_BYTES, RunFolder, WorkersOn};

/// Deaths in a row without a new result, for each worker, after which none is started any more.
const MOST_DEATHS: usize = 12;

pub(super) struct LocalDriver {
    count: usize,
    /// Bytes of memory of each.
    each: u64,
    program: PathBuf,
    arguments: Vec<OsString>,
    root: WorkRoot,
    workers: Vec<LocalWorker>,
    started: usize,
    deaths: usize,
    draining: bool,
}

struct LocalWorker {
    name: String,
    child: Child,
    /// Open as long as the worker is wanted.
    pipe: Option<ChildStdin>,
}

impl LocalDriver {
    pub(super) fn new(
        on: &WorkersOn,
        count: usize,
        folder: &RunFolder,
        root: &WorkRoot,
        memory: u64,
    ) -> Self {
        let each = memory.saturating_sub(2 * PROCESS_BYTES) / count.max(1) as u64;
        let own = ["--workers", "1", "--memory", &each.to_string(), "--until-closed"].map(OsString::from);
        let arguments = [OsString::from("work"), folder.path().into()].into_iter().chain(own);
        Self {
            count,
            each,
            program: on.program.clone(),
            arguments: arguments.chain(on.arguments.iter().map(OsString::from)).collect(),
            root: root.clone(),
            workers: Vec::new(),
            started: 0,
            deaths: 0,
            draining: false,
        }
    }

    fn start(&mut self) -> Result<(), EngineError> {
        self.started += 1;
        let name = format!("local-{}-{}", std::process::id(), self.started);
        let log = self.root.log(&name);
        let opened = log.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| File::create(&log));
        let (out, errors) = opened
            .and_then(|file| Ok((file.try_clone()?, file)))
            .map_err(|error| EngineError::Write { path: log, error })?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(["--name", &name]).env("ONCEFLOW_PROGRESS", "never");
        command.stdin(Stdio::piped()).stdout(out).stderr(errors);
        apart(&mut command);
        let spawned = command.spawn();
        let mut child = spawned.map_err(|error| EngineError::Write { path: self.program.clone(), error })?;
        let pipe = child.stdin.take();
        self.workers.push(LocalWorker { name, child, pipe });
        Ok(())
    }

    /// What the end of a worker means.
    fn judge(&mut self, name: &str, status: ExitStatus) -> Result<Option<LostOwner>, EngineError> {
        match status.code() {
            Some(0 | 130) => Ok(None),
            Some(code @ 2..=4) => {
                let why = match code {
                    4 => format!(
                        "{} workers share the memory bound, {} for each; give --memory for all of them together, or fewer workers",
                        self.count,
                        Size(self.each).rounded_down()
                    ),
                    code => format!("exit code {code}"),
                };
                Err(refused(name, &self.root.log(name), &why))
            }
            _ => {
                self.deaths += 1;
                if self.deaths > MOST_DEATHS * self.count {
                    let why = format!("{} workers in a row ended without a result", self.deaths);
                    return Err(refused(name, &self.root.log(name), &why));
                }
                Ok(Some(LostOwner { owner: name.to_owned(), excused: false, reason: words(status) }))
            }
        }
    }
}

impl WorkerDriver for LocalDriver {
    fn poll(&mut self, left: usize, gained: bool) -> Result<Vec<LostOwner>, EngineError> {
        if gained {
            self.deaths = 0;
        }
        let (mut ended, mut lost) = (Vec::new(), Vec::new());
        self.workers.retain_mut(|worker| match worker.child.try_wait() {
            Ok(Some(status)) => {
                ended.push((worker.name.clone(), status));
                false
            }
            _ => true,
        });
        for (name, status) in ended {
            lost.extend(self.judge(&name, status)?);
        }
        while !self.draining && self.workers.len() < self.count.min(left) {
            self.start()?;
        }
        Ok(lost)
    }

    fn running(&self) -> usize {
        self.workers.len()
    }

    fn drain(&mut self) {
        self.draining = true;
        self.workers.iter_mut().for_each(|worker| drop(worker.pipe.take()));
    }
}

impl Drop for LocalDriver {
    fn drop(&mut self) {
        self.drain();
        // Workers end soon after the run is over; one that does not must not hold up the run.
        for _ in 0..200 {
            self.workers.retain_mut(|worker| !matches!(worker.child.try_wait(), Ok(Some(_))));
            if self.workers.is_empty() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        self.workers.iter_mut().for_each(|worker| _ = worker.child.kill());
        self.workers.iter_mut().for_each(|worker| _ = worker.child.wait());
    }
}

/// Ctrl-C in a terminal is for the manager alone: it says when workers end.
#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn apart(_command: &mut Command) {}

#[cfg(unix)]
fn words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    let signal = status.signal().map(|signal| format!("it was ended by signal {signal}"));
    signal.unwrap_or_else(|| format!("it ended with {status}"))
}

#[cfg(not(unix))]
fn words(status: ExitStatus) -> String {
    format!("it ended with {status}")
}
