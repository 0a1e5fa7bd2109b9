//! Programs that serve: each process is given one JSON line per task and answers with one, until nobody needs it.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use onceflow_runtime::Done;
use onceflow_study::Canonical;
use serde_json::{Map, Value, json};

use super::external::{External, Failure, judged};
use super::folder::{RegionFiles, input, output};
use super::process::{Process, ended};
use super::units::Given;
use super::workshop::Kept;

/// The processes of one operation that wait for a task; a worker that finds none starts one.
#[derive(Debug, Default)]
pub(super) struct Servers {
    idle: Mutex<Vec<Server>>,
}

/// A process that serves.
#[derive(Debug)]
struct Server {
    process: Process,
    /// None once it is asked to end.
    lines: Option<ChildStdin>,
    answers: Receiver<io::Result<String>>,
    folder: PathBuf,
    log: PathBuf,
    tasks: u64,
}

/// How a task went with a server.
enum Served {
    /// It answered, and can be asked again.
    Answered(Box<Server>, Value),
    /// It is gone: it died by itself, or was stopped.
    Gone { failure: Failure, by_itself: bool },
}

/// An answer is no longer than this.
const LONGEST: usize = 1 << 20;

/// How often limits are looked at while it works.
const LOOK: Duration = Duration::from_millis(20);

/// How long a server may take to end when nobody needs it any more.
const PATIENCE: Duration = Duration::from_secs(1);

impl Servers {
    /// Has one task done. A server that dies by itself before it answers is replaced once.
    pub(super) fn run(&self, external: &External, given: &Given<'_>) -> Result<Done, Failure> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match self.attempt(external, given, idle)? {
            Attempt::Done(done) => done,
            // One that waits may be as worn as the one that died: a new one does it.
            Attempt::Died(_) => match self.attempt(external, given, None)? {
                Attempt::Done(done) => done,
                Attempt::Died(failure) => Err(failure),
            },
        }
    }

    fn attempt(
        &self,
        external: &External,
        given: &Given<'_>,
        idle: Option<Server>,
    ) -> Result<Attempt, Failure> {
        let call = &given.call;
        let mut server = match idle {
            Some(server) => server,
            None => Server::start(external, call.row)?,
        };
        let folder = server.next_folder();
        let files = RegionFiles { task: &external.task, folder: &folder };
        files.write(call.inputs)?;
        let line = line(external, given, &folder);
        if external.workshop.kept.is_some() {
            std::fs::write(server.folder.join("task.json"), format!("{line}\n"))?;
        }
        let (log, from) = (server.log.clone(), server.log.metadata().map_or(0, |data| data.len()));
        let attempt = match server.ask(&line, external) {
            Served::Answered(server, answer) => {
                let done = understood(&answer, external, || files.read(given.size));
                // A folder that stays is that of one task.
                if external.workshop.kept.is_none() {
                    self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(*server);
                }
                Attempt::Done(external.with_log(done, &log, from, given))
            }
            Served::Gone { failure, by_itself } => {
                let failure = match external.with_log(Err(failure), &log, from, given) {
                    Err(failure) => failure,
                    Ok(_) => Failure::new("ended"),
                };
                if by_itself { Attempt::Died(failure) } else { Attempt::Done(Err(failure)) }
            }
        };
        if external.workshop.kept.is_none() {
            // What cannot be removed goes with the folder of all tasks.
            let _ = std::fs::remove_dir_all(&folder);
        }
        Ok(attempt)
    }
}

enum Attempt {
    Done(Result<Done, Failure>),
    /// The server died by itself: another one may do better.
    Died(Failure),
}

impl Server {
    fn start(external: &External, row: u32) -> Result<Self, Failure> {
        let kept = external.workshop.kept.as_deref().map(|kept| Kept(kept).of(&external.task.name, row));
        let folder = kept.clone().unwrap_or_else(|| external.workshop.next("serve"));
        let log = kept.map_or_else(|| folder.with_extension("log"), |kept| kept.join("log.txt"));
        external.lay_out(&folder)?;
        let words = &external.task.command.command;
        if external.workshop.kept.is_some() {
            external.write_script(&folder, words)?;
        }
        let mut process = external.start(&folder, words, &log, Stdio::piped())?;
        let (lines, answers) = (process.child().stdin.take(), process.child().stdout.take());
        let answers = answers.map(listen).ok_or_else(|| Failure::new("has no standard output"))?;
        Ok(Self { process, lines, answers, folder, log, tasks: 0 })
    }

    fn next_folder(&mut self) -> PathBuf {
        self.tasks += 1;
        self.folder.join(format!("task-{}", self.tasks))
    }

    /// Gives it a task and waits for the answer, within the limits of one task.
    fn ask(mut self, line: &Value, external: &External) -> Served {
        let asked = self
            .lines
            .as_mut()
            .map(|lines| lines.write_all(format!("{line}\n").as_bytes()).and_then(|()| lines.flush()));
        if !matches!(asked, Some(Ok(()))) {
            return self.gone();
        }
        let began = Instant::now();
        loop {
            match self.answers.recv_timeout(LOOK) {
                Ok(Ok(text)) => match serde_json::from_str::<Value>(&text) {
                    Ok(answer) if answer.is_object() => return Served::Answered(Box::new(self), answer),
                    _ => return self.stopped(format!("answered what is no JSON object: {}", excerpt(&text))),
                },
                Ok(Err(error)) => return self.stopped(format!("answered what cannot be read: {error}")),
                Err(RecvTimeoutError::Disconnected) => return self.gone(),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(why) = self.process.passed(external.limits(), began, &self.log) {
                        return self.stopped(why);
                    }
                }
            }
        }
    }

    fn stopped(mut self, why: String) -> Served {
        // Whoever passes a bound, or says what nobody understands, is not waited for.
        let _ = self.process.end();
        Served::Gone { failure: Failure::new(why), by_itself: false }
    }

    /// It closed its output before it answered.
    fn gone(mut self) -> Served {
        let failure = match self.process.end().map(ended) {
            Ok(ended) => judged(&ended).err().unwrap_or_else(|| Failure::new("ended before it answered")),
            Err(error) => error.into(),
        };
        Served::Gone { failure, by_itself: true }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its input tells it that nobody will ask any more.
        drop(self.lines.take());
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until && matches!(self.process.has_ended(), Ok(false)) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Reads answers on a thread of its own, so that whoever waits can look at limits meanwhile.
fn listen(output: ChildStdout) -> Receiver<io::Result<String>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(output);
        loop {
            let mut bytes = Vec::new();
            let read = io::Read::take(&mut reader, LONGEST as u64).read_until(b'\n', &mut bytes);
            let answer = match read {
                Ok(0) => return,
                Ok(_) if bytes.last() != Some(&b'\n') => Err(io::Error::other("a line without an end")),
                Ok(_) => String::from_utf8(bytes).map_err(io::Error::other),
                Err(error) => Err(error),
            };
            let last = answer.is_err();
            if sender.send(answer).is_err() || last {
                return;
            }
        }
    });
    receiver
}

/// What it is given.
fn line(external: &External, given: &Given<'_>, folder: &Path) -> Value {
    let spec = &external.task.spec;
    let path = |file: PathBuf| Value::from(folder.join(file).display().to_string());
    let inputs: Map<String, Value> = spec.inputs.iter().map(|r| (r.name.clone(), path(input(r)))).collect();
    let outputs: Map<String, Value> =
        spec.outputs.iter().map(|r| (r.name.clone(), path(output(r)))).collect();
    let values = spec.parameters.iter().zip(given.call.parameters);
    let parameters: Map<String, Value> = values.map(|(p, value)| (p.name.clone(), plain(value))).collect();
    json!({
        "version": 1,
        "task": external.task.name,
        "folder": folder.display().to_string(),
        "inputs": inputs,
        "outputs": outputs,
        "parameters": parameters,
    })
}

fn plain(value: &Canonical) -> Value {
    match value {
        Canonical::Real(bits) => f64::from_bits(*bits).into(),
        Canonical::Integer(number) => (*number).into(),
        Canonical::Connectivity8(eight) => if *eight { 8 } else { 4 }.into(),
        Canonical::Text(text) => text.clone().into(),
    }
}

/// What it answered.
fn understood(
    answer: &Value,
    external: &External,
    made: impl FnOnce() -> Result<Vec<onceflow_region::Region>, String>,
) -> Result<Done, Failure> {
    if let Some(status) = answer.get("ended").and_then(Value::as_str) {
        if external.task.ends.iter().any(|known| known == status) {
            return Ok(Done { ended: Some(status.to_owned()), ..Done::default() });
        }
        return Err(Failure::new(format!(
            "ended its part with `{status}`, which the task does not list in `ends`"
        )));
    }
    match (answer.get("ok").and_then(Value::as_bool), answer.get("error").and_then(Value::as_str)) {
        (Some(true), None) => Ok(Done::with(made().map_err(Failure::made)?)),
        (Some(false), error) => {
            Err(Failure::new(format!("failed: {}", excerpt(error.unwrap_or("it does not say why")))))
        }
        _ => Err(Failure::new(format!(
            "answered neither {{\"ok\":true}} nor {{\"ok\":false,\"error\":…}} nor {{\"ended\":…}}: {}",
            excerpt(&answer.to_string())
        ))),
    }
}

fn excerpt(text: &str) -> String {
    let text = text.trim();
    let short: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect();
    if short.is_empty() { "nothing".into() } else { short }
}
