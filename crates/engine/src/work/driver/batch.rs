//! Workers that are tasks of array jobs of a batch system. What the system says is a hint, never the truth: the folder of the
//! run says what is done, and answers that are late or garbage cost time only.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use onceflow_cluster::{ArrayJob, BatchSystem, SiteProfile, TaskState, TaskStates, batch_system};
use onceflow_study::Diagnostic;

use super::command::{CommandError, answer};
use super::{LostOwner, WorkerDriver};
use crate::work::WorkRoot;
use crate::{EngineError, RunFolder, WorkersOn};

/// All jobs are asked for this often, in one question.
const POLL: Duration = Duration::from_secs(2);
/// Arrays in a row that ended without a result, after which no other is submitted.
const MOST_FAILURES: u32 = 4;
/// Submissions that fail are tried again so often.
const SUBMISSIONS: usize = 3;
/// The jobs of the run, so that another process goes on with them.
const JOBS: &str = "jobs.json";

type Listed = (Result<TaskStates, String>, TaskStates);

pub(super) struct BatchDriver {
    system: Box<dyn BatchSystem + Send>,
    profile: SiteProfile,
    job: ArrayJob,
    root: WorkRoot,
    /// Whether jobs stay when the run is interrupted.
    leaves: bool,
    jobs: Vec<String>,
    /// Tasks that are not over, as far as is known.
    alive: BTreeMap<(String, usize), TaskState>,
    listing: Option<Receiver<Listed>>,
    asked: Option<Instant>,
    /// Listings in a row that meant nothing, and why.
    silence: Option<(u32, String)>,
    failures: u32,
    submitted: Option<Instant>,
    draining: bool,
}

impl BatchDriver {
    /// Nothing where there is no such batch system.
    pub(super) fn new(on: &WorkersOn, word: &str, count: usize, folder: &RunFolder) -> Option<Self> {
        let root = WorkRoot::of(folder);
        let jobs = fs::read_to_string(root.path().join(JOBS)).ok();
        let jobs: Vec<String> = jobs.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Some(Self {
            system: batch_system(word)?,
            profile: on.site.clone(),
            job: array_job(on, count, folder),
            root,
            leaves: on.leaves,
            // Until the first answer the tasks of earlier jobs may live.
            alive: BTreeMap::new(),
            jobs,
            listing: None,
            asked: None,
            silence: None,
            failures: 0,
            submitted: None,
            draining: false,
        })
    }

    /// Asks for all jobs, apart from the manager, which has other things to do than to wait.
    fn ask(&mut self) {
        let (sender, receiver) = channel();
        let (list, history) = (self.system.list(&self.jobs), self.system.history(&self.jobs));
        let alive: Vec<_> = self.alive.keys().cloned().collect();
        let Some(system) = batch_system(self.system.word()) else { return };
        std::thread::spawn(move || {
            let listed = listed(system.as_ref(), answer(&list));
            let missing =
                listed.as_ref().is_ok_and(|listed| alive.iter().any(|task| !listed.contains_key(task)));
            let told = if missing { answer(&history).ok() } else { None };
            let told = told.map_or_else(TaskStates::new, |text| system.remembered(&text));
            let _unheard = sender.send((listed, told));
        });
        (self.listing, self.asked) = (Some(receiver), Some(Instant::now()));
    }

    /// Takes an answer, if there is one: the workers that are gone since the last one.
    fn take_answer(&mut self) -> Option<Vec<LostOwner>> {
        let listed = match self.listing.as_ref()?.try_recv() {
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => (Err("no answer".to_owned()), TaskStates::new()),
            Ok(listed) => listed,
        };
        self.listing = None;
        match listed {
            (Err(why), _) => {
                let before = self.silence.as_ref().map_or(0, |(count, _)| *count);
                self.silence = Some((before + 1, why));
                None
            }
            (Ok(listed), told) => {
                self.silence = None;
                Some(self.compare(&listed, &told))
            }
        }
    }

    fn compare(&mut self, listed: &TaskStates, told: &TaskStates) -> Vec<LostOwner> {
        let is_alive = |state: &&TaskState| matches!(state, TaskState::Waiting | TaskState::Running);
        let alive: BTreeMap<_, _> = listed
            .iter()
            .filter(|((job, _), state)| self.jobs.contains(job) && is_alive(state))
            .map(|(task, state)| (task.clone(), state.clone()))
            .collect();
        let gone = self.alive.keys().filter(|task| !alive.contains_key(*task));
        let lost = |task: &(String, usize)| {
            let state = listed.get(task).or_else(|| told.get(task));
            let (excused, reason) = match state {
                Some(TaskState::Failed(why)) => (false, why.clone()),
                Some(TaskState::Ended(why)) => (true, why.clone()),
                _ => (false, format!("its job {}_{} is over", task.0, task.1)),
            };
            LostOwner { owner: self.system.owner(&task.0, task.1), excused, reason }
        };
        let lost = gone.map(lost).collect();
        self.alive = alive;
        lost
    }

    /// Submits as many workers as are missing.
    fn submit(&mut self, count: usize) -> Result<(), EngineError> {
        let job = ArrayJob { workers: count, ..self.job.clone() };
        let script = self.root.path().join(format!("workers-{}.sh", self.jobs.len() + 1));
        let text = self.system.script(&job, &self.profile);
        fs::write(&script, text).map_err(|error| EngineError::Write { path: script.clone(), error })?;
        let command = self.system.submit(&script.display().to_string());
        let mut tries = 0;
        let id = loop {
            tries += 1;
            let submitted = answer(&command).map_err(|error| self.cannot_submit(&command, &error));
            let said = submitted.and_then(|text| {
                self.system
                    .submitted(&text)
                    .map_err(|error| self.cannot_submit(&command, &CommandError::Answer(error.to_string())))
            });
            match said {
                Ok(id) => break id,
                Err(error) if tries >= SUBMISSIONS => return Err(error),
                Err(_) => std::thread::sleep(Duration::from_millis(500)),
            }
        };
        // Waiting until the list says otherwise.
        let tasks = self.system.tasks(count, &self.profile);
        self.alive.extend((0..tasks).map(|task| ((id.clone(), task), TaskState::Waiting)));
        self.jobs.push(id);
        (self.submitted, self.asked) = (Some(Instant::now()), Some(Instant::now()));
        self.remember()
    }

    fn remember(&self) -> Result<(), EngineError> {
        let path = self.root.path().join(JOBS);
        let text = serde_json::to_string(&self.jobs).map_err(|e| EngineError::Internal(e.to_string()))?;
        fs::write(&path, text).map_err(|error| EngineError::Write { path, error })
    }

    fn cannot_submit(&self, command: &[String], error: &CommandError) -> EngineError {
        let message = Diagnostic::error(format!("{} does not take the workers", self.system.word()))
            .expected_found("the number of a job", error.to_string())
            .with_hint(format!("try it yourself: {}", command.join(" ")));
        EngineError::environment(message)
    }

    /// Jobs came to their ends again and again, and no result came.
    fn useless(&self) -> EngineError {
        let logs: Vec<PathBuf> = fs::read_dir(self.root.log("").parent().unwrap_or(self.root.path()))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| {
                path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(self.system.word()))
            })
            .collect();
        let last =
            logs.iter().filter_map(|path| fs::read_to_string(path).ok()).find(|text| !text.trim().is_empty());
        let message = Diagnostic::error("workers ended again and again without a result");
        let folder = self.root.path().display();
        EngineError::environment(match last {
            Some(text) => {
                let lines: Vec<&str> = text.lines().collect();
                let last = lines[lines.len().saturating_sub(6)..].join("\n");
                message
                    .expected_found("workers that compute buckets", last)
                    .with_hint(format!("see {folder}/logs"))
            }
            None => message
                .expected_found(format!("their logs in {folder}/logs"), "none: nodes do not see this folder")
                .with_hint("choose a folder after -o that this machine shares with the nodes"),
        })
    }

    fn cancel(&mut self) {
        if !self.jobs.is_empty() {
            let _gone = answer(&self.system.cancel(&self.jobs));
        }
    }
}

/// The states of tasks in what a list said, which may be all there is even where it ended with an error.
fn listed(system: &dyn BatchSystem, said: Result<String, CommandError>) -> Result<TaskStates, String> {
    let text = match said {
        Err(CommandError::Failed { said, out }) if system.complains_of_past_jobs(&said) => out,
        said => said.map_err(|error| error.to_string())?,
    };
    system.listed(&text).map_err(|error| error.to_string())
}

/// The array of a run.
pub(super) fn array_job(on: &WorkersOn, count: usize, folder: &RunFolder) -> ArrayJob {
    let absolute = std::path::absolute(folder.path()).unwrap_or_else(|_| folder.path().to_path_buf());
    let name = absolute.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
    let words = [on.program.display().to_string(), "work".into(), absolute.display().to_string()];
    let own = ["--workers".into(), on.cores.to_string(), "--memory".into(), on.memory.to_string()];
    let command = words.iter().chain(&own).chain(&on.arguments).map(|word| quoted(word));
    let here = std::env::current_dir().unwrap_or_else(|_| "/".into());
    ArrayJob {
        name: format!("onceflow-{name}"),
        workers: count,
        cores: on.cores,
        memory: on.memory + on.memory / 10,
        command: command.collect::<Vec<_>>().join(" "),
        folder: here.display().to_string(),
        logs: absolute.join(crate::WORK_FOLDER).join("logs").display().to_string(),
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=,+%@".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

impl WorkerDriver for BatchDriver {
    fn poll(&mut self, left: usize, gained: bool) -> Result<Vec<LostOwner>, EngineError> {
        if gained {
            self.failures = 0;
        }
        let lost = self.take_answer();
        let known = lost.is_some();
        let lost = lost.unwrap_or_default();
        if !lost.is_empty() && self.alive.is_empty() {
            self.failures += 1;
        }
        let is_due = self.asked.is_none_or(|asked| asked.elapsed() >= POLL);
        if self.listing.is_none() && is_due && !self.jobs.is_empty() {
            self.ask();
        }
        let missing = self.job.workers.min(left).saturating_sub(self.alive.len());
        let pause = Duration::from_secs(1 << self.failures.min(6)) - Duration::from_secs(1);
        let may = self.submitted.is_none_or(|submitted| submitted.elapsed() >= pause);
        if !self.draining && missing > 0 && may && (known || self.jobs.is_empty()) {
            if self.failures >= MOST_FAILURES {
                return Err(self.useless());
            }
            self.submit(missing)?;
        }
        Ok(lost)
    }

    fn running(&self) -> usize {
        if self.draining && self.leaves {
            return 0;
        }
        let all = self.alive.values();
        if self.draining { all.count() } else { all.filter(|state| **state == TaskState::Running).count() }
    }

    fn drain(&mut self) {
        self.draining = true;
        if !self.leaves {
            self.cancel();
        }
    }

    fn trouble(&self) -> Option<String> {
        let (count, why) = self.silence.as_ref()?;
        (*count == 3)
            .then(|| format!("note: {} gives no answer that means anything: {why}", self.system.word()))
    }

    fn end(&mut self) {
        self.cancel();
        let _gone = fs::remove_file(self.root.path().join(JOBS));
    }
}
