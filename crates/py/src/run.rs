//! A run in a thread of its own: its progress, its end, and how it is stopped.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use onceflow_engine::{
    BucketOver, EngineError, ImagesDigested, PhaseBegun, PicturesAhead, Progress, ProgressTracker, RowOver,
    RunEnding, RunFolder, RunResult, RunSettings, StopFlag, TaskOver, run_study,
};
use pyo3::prelude::*;

use crate::error::{bug, engine};
use crate::settings::{Named, open};
use crate::waiting::caught;

/// A run that was begun.
#[pyclass(frozen, module = "onceflow._core")]
pub(crate) struct Running {
    watched: Arc<Watched>,
    stop: StopFlag,
}

/// What a run says of itself.
struct Watched {
    state: Mutex<RunState>,
    ended: Condvar,
}

struct RunState {
    tracker: ProgressTracker,
    /// What takes the place of the tracker's line, outside its phases.
    instead: Option<String>,
    begun: bool,
    notes: Vec<String>,
    end: Option<Result<Result<EndedRun, EngineError>, String>>,
    is_over: bool,
}

/// How a run ended: a word, and why it failed.
struct EndedRun {
    word: &'static str,
    failure: Option<String>,
}

#[pymethods]
impl Running {
    /// Begins a run of a study into a folder.
    #[new]
    fn new(
        study: Named,
        folder: PathBuf,
        words: Vec<(String, String)>,
        force: bool,
        command: String,
    ) -> PyResult<Self> {
        let watched = Arc::new(Watched::new());
        let stop = StopFlag::default();
        let (theirs, flag) = (Arc::clone(&watched), StopFlag::clone(&stop));
        let thread = std::thread::Builder::new().name("onceflow-run".into());
        let work = move || {
            let end = caught(|| {
                let mut watcher = Watcher(Arc::clone(&theirs));
                let study = open(study, &words)?;
                study.notes().iter().for_each(|note| watcher.note(note));
                let began = Some(Instant::now());
                let settings = RunSettings { force, command, began, stop: flag, ..study.settings().clone() };
                run_study(&study, &settings, &RunFolder::new(folder), &mut watcher)
                    .map(|result| ended(&result))
            });
            theirs.end(end);
        };
        thread.spawn(work).map_err(|error| bug(&format!("cannot start a thread: {error}")))?;
        Ok(Self { watched, stop })
    }

    /// Waits so many seconds for the end; whether it has come.
    fn wait(&self, py: Python<'_>, seconds: f64) -> bool {
        let pause = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        py.detach(|| self.watched.wait(pause))
    }

    /// Lets running tasks end, and no other begin.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it was stopped.
    #[getter]
    fn stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The line of progress, once a phase has begun.
    fn line(&self) -> Option<String> {
        let state = self.watched.state();
        state.instead.clone().or_else(|| state.begun.then(|| state.tracker.line()))
    }

    /// Notes since the last call.
    fn notes(&self) -> Vec<String> {
        std::mem::take(&mut self.watched.state().notes)
    }

    /// How it ended: `complete`, `known` (there was nothing to compute), `stopped` or `failed`, and why it failed.
    ///
    /// # Errors
    /// What the engine refused.
    fn ending(&self) -> PyResult<(&'static str, Option<String>)> {
        let end = self.watched.state().end.take();
        match end {
            Some(Ok(Ok(ended))) => Ok((ended.word, ended.failure)),
            Some(Ok(Err(error))) => Err(engine(error)),
            Some(Err(panic)) => Err(bug(&panic)),
            None => Err(bug("a run that has not ended")),
        }
    }
}

/// Whether a run is writing to a folder now.
#[pyfunction]
pub(crate) fn is_running(py: Python<'_>, folder: PathBuf) -> bool {
    py.detach(|| onceflow_engine::is_running(&folder))
}

fn ended(result: &RunResult) -> EndedRun {
    match result {
        RunResult::AlreadyComplete(_) => EndedRun { word: "known", failure: None },
        RunResult::Ran(run) => {
            let word = match run.ending {
                RunEnding::Complete => "complete",
                RunEnding::Stopped => "stopped",
                RunEnding::TooManyFailures => "failed",
            };
            EndedRun { word, failure: run.first_failure().map(|text| text.to_string()) }
        }
    }
}

impl Watched {
    fn new() -> Self {
        let state = RunState {
            tracker: ProgressTracker::new(Instant::now()),
            instead: None,
            begun: false,
            notes: Vec::new(),
            end: None,
            is_over: false,
        };
        Self { state: Mutex::new(state), ended: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, end: Result<Result<EndedRun, EngineError>, String>) {
        let mut state = self.state();
        state.end = Some(end);
        state.is_over = true;
        self.ended.notify_all();
    }

    fn wait(&self, pause: Duration) -> bool {
        let waited = self.ended.wait_timeout_while(self.state(), pause, |state| !state.is_over);
        waited.map_or_else(|poisoned| poisoned.into_inner().0.is_over, |(state, _)| state.is_over)
    }
}

/// Passes what the engine says on.
struct Watcher(Arc<Watched>);

impl Progress for Watcher {
    fn digesting(&mut self, digested: ImagesDigested) {
        self.0.state().instead = Some(digested.line());
    }

    fn phase(&mut self, phase: &PhaseBegun) {
        let mut state = self.0.state();
        state.tracker.begin(phase);
        (state.instead, state.begun) = (None, true);
    }

    fn resumed(&mut self, instances: u64) {
        let mut state = self.0.state();
        let text = state.tracker.going_on(instances);
        state.notes.push(text);
    }

    fn task(&mut self, task: &TaskOver<'_>) {
        self.0.state().tracker.task(task);
    }

    fn duplicate(&mut self, task: usize) {
        self.0.state().tracker.duplicate(task);
    }

    fn row(&mut self, row: &RowOver<'_>) {
        self.0.state().tracker.row(row);
    }

    fn workers(&mut self, running: usize) {
        self.0.state().tracker.workers(running);
    }

    fn bucket(&mut self, bucket: &BucketOver<'_>) {
        self.0.state().tracker.bucket(bucket);
    }

    fn pictures(&mut self, ahead: &PicturesAhead) {
        self.0.state().instead = Some(ahead.line());
    }

    fn note(&mut self, text: &str) {
        self.0.state().notes.push(text.to_owned());
    }
}
