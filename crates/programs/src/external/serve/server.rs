//! A process that serves: lines with tasks go in, lines with answers come out.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::message::excerpt;
use crate::external::{ExternalOperation, ProcessFolder};
use crate::failure::{ProgramFailure, check_end};
use crate::process::{Process, ProcessLimits, process_end};
use crate::python::{SharedMemory, WorkerMemory};

/// A process that serves.
#[derive(Debug)]
pub(super) struct ServerProcess {
    process: Process,
    /// Its standard input; none once it is asked to end.
    lines: Option<ChildStdin>,
    answers: Receiver<io::Result<String>>,
    pub(super) folder: PathBuf,
    pub(super) log: PathBuf,
    /// What it shares with the run, when it is a worker of a Python function.
    pub(super) memory: Option<WorkerMemory>,
    tasks: u64,
}

/// What became of a task that a server was given.
pub(super) enum ServerReply {
    /// It answered, and can be given another task.
    Answered(Box<ServerProcess>, Value),
    /// It ended by itself before it answered.
    Died(ProgramFailure),
    /// It passed a limit, or its answer is not understood, and it was ended.
    Stopped(ProgramFailure),
}

/// The most bytes of an answer.
const LONGEST: u64 = 1 << 20;

/// The most bytes of an answer of a function, which holds its tables.
const LONGEST_OF_FUNCTION: u64 = 1 << 30;

/// How often limits are checked while a server works.
const CHECK_EVERY: Duration = Duration::from_millis(20);

/// How long a server may take to end by itself when there are no more tasks.
const PATIENCE: Duration = Duration::from_secs(1);

impl ServerProcess {
    pub(super) fn start(operation: &ExternalOperation, row: u32) -> Result<Self, ProgramFailure> {
        let ProcessFolder { path: folder, log } = operation.process_folder("serve", row);
        operation.lay_out(&folder)?;
        let words = &operation.words;
        if operation.keeps_folders() {
            operation.write_script(&folder, words)?;
        }
        let mut process = operation.start(&folder, words, &log, Stdio::piped())?;
        let (lines, answers) = (process.child().stdin.take(), process.child().stdout.take());
        let longest = operation.task.function.as_ref().map_or(LONGEST, |_| LONGEST_OF_FUNCTION);
        let answers = answers
            .map(|output| listen(output, longest))
            .ok_or_else(|| ProgramFailure::new("has no standard output"))?;
        let memory = operation.task.function.as_ref().map(|_| {
            let kept = operation.keeps_folders().then(|| folder.join("regions.bin"));
            SharedMemory::new(kept.as_deref()).map(WorkerMemory::new)
        });
        Ok(Self { process, lines, answers, folder, log, memory: memory.transpose()?, tasks: 0 })
    }

    /// The folder of its next task.
    pub(super) fn next_folder(&mut self) -> PathBuf {
        self.tasks += 1;
        self.folder.join(format!("task-{}", self.tasks))
    }

    /// Gives it a task in lines and waits for the answer, within limits.
    pub(super) fn ask(mut self, text: &str, limits: ProcessLimits) -> ServerReply {
        let asked =
            self.lines.as_mut().map(|lines| lines.write_all(text.as_bytes()).and_then(|()| lines.flush()));
        if !matches!(asked, Some(Ok(()))) {
            return self.died();
        }
        let began = Instant::now();
        loop {
            match self.answers.recv_timeout(CHECK_EVERY) {
                Ok(Ok(text)) => match serde_json::from_str::<Value>(&text) {
                    Ok(answer) if answer.is_object() => {
                        return ServerReply::Answered(Box::new(self), answer);
                    }
                    _ => return self.stop(format!("did not answer with a JSON object: {}", excerpt(&text))),
                },
                Ok(Err(error)) => return self.stop(format!("gave an answer that cannot be read: {error}")),
                Err(RecvTimeoutError::Disconnected) => return self.died(),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(why) = self.process.passed(limits, began, &self.log) {
                        return self.stop(why);
                    }
                }
            }
        }
    }

    /// Ends it, whatever it does.
    fn stop(mut self, why: String) -> ServerReply {
        // The cause is told below; how the process ended afterwards adds nothing.
        let _ = self.process.end();
        ServerReply::Stopped(ProgramFailure::new(why))
    }

    /// It closed its output before it answered.
    fn died(mut self) -> ServerReply {
        ServerReply::Died(match self.process.end().map(process_end) {
            Ok(end) => {
                check_end(&end).err().unwrap_or_else(|| ProgramFailure::new("ended before it answered"))
            }
            Err(error) => error.into(),
        })
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // The end of its input tells it that there are no more tasks.
        drop(self.lines.take());
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until && matches!(self.process.has_ended(), Ok(false)) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Reads answers on a thread of its own, so that the worker can check limits while it waits.
fn listen(output: ChildStdout, longest: u64) -> Receiver<io::Result<String>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        while let Some(answer) = next_line(&mut reader, longest) {
            let last = answer.is_err();
            if sender.send(answer).is_err() || last {
                return;
            }
        }
    });
    receiver
}

/// The next line of an output; none at its end.
fn next_line(reader: &mut BufReader<ChildStdout>, longest: u64) -> Option<io::Result<String>> {
    let mut bytes = Vec::new();
    match io::Read::take(reader, longest).read_until(b'\n', &mut bytes) {
        Ok(0) => None,
        Ok(_) if bytes.last() != Some(&b'\n') => Some(Err(io::Error::other("a line without an end"))),
        Ok(_) => Some(String::from_utf8(bytes).map_err(io::Error::other)),
        Err(error) => Some(Err(error)),
    }
}
