//! Progress of work that takes longer than a second.

use std::io::{IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use onceflow_engine::StepProgress;
use onceflow_study::with_commas;

/// Whether progress is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// After a second.
    #[value(help = None)]
    Auto,
    /// Not at all.
    #[value(help = None)]
    Never,
}

/// Writes a line about work in progress now and then, from its own thread, until it is dropped.
#[derive(Debug)]
pub struct ProgressReporter {
    speaker: Option<(Sender<()>, JoinHandle<()>)>,
    step: Arc<Mutex<Option<ProgressWords>>>,
}

/// How far work is.
#[derive(Debug)]
enum ProgressWords {
    Step(StepProgress),
    Words(String),
}

impl ProgressReporter {
    /// Waits for a second, then names the work: a line that is rewritten on a terminal, and elsewhere plain lines, each after
    /// twice the time of the one before.
    pub(crate) fn start(what: String, mode: ProgressMode) -> Self {
        let step = Arc::new(Mutex::new(None));
        if mode == ProgressMode::Never {
            return Self { speaker: None, step };
        }
        let (stop, stopped) = channel();
        let rewrite = std::io::stderr().is_terminal();
        let known = Arc::clone(&step);
        let what =
            move || format!("{what}{}", at(known.lock().unwrap_or_else(PoisonError::into_inner).as_ref()));
        let thread = std::thread::spawn(move || speak(what, rewrite, |wait| stopped.recv_timeout(wait)));
        Self { speaker: Some((stop, thread)), step }
    }

    /// Sets how far the work is, for the next line.
    pub fn step(&self, step: StepProgress) {
        set(&self.step, ProgressWords::Step(step));
    }

    /// Sets how far the work is in words, for the next line.
    pub fn words(&self, words: String) {
        set(&self.step, ProgressWords::Words(words));
    }

    /// A function that does the same, for work that keeps it.
    pub fn steps(&self) -> impl Fn(StepProgress) + Send + Sync + 'static {
        let step = Arc::clone(&self.step);
        move |at| set(&step, ProgressWords::Step(at))
    }
}

fn set(step: &Mutex<Option<ProgressWords>>, at: ProgressWords) {
    *step.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
}

impl Drop for ProgressReporter {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.speaker.take() {
            drop(stop);
            // A thread that panicked has written its last line.
            let _ = thread.join();
        }
    }
}

/// `, t2 5 of 24`.
fn at(step: Option<&ProgressWords>) -> String {
    let number = |number: u64| with_commas(u128::from(number));
    match step {
        None => String::new(),
        Some(ProgressWords::Words(words)) => format!(", {words}"),
        Some(ProgressWords::Step(step)) => {
            format!(", {} {} of {}", step.task, number(step.done), number(step.of))
        }
    }
}

fn speak(what: impl Fn() -> String, rewrite: bool, wait: impl Fn(Duration) -> Result<(), RecvTimeoutError>) {
    let start = Instant::now();
    let mut pause = Duration::from_secs(1);
    let mut spoken = false;
    while wait(pause) == Err(RecvTimeoutError::Timeout) {
        let (before, after) = if rewrite { ("\r", "\x1b[K") } else { ("", "\n") };
        let line = format!("{before}{}: {} s so far{after}", what(), start.elapsed().as_secs());
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
        spoken = true;
        pause = if rewrite { pause } else { pause * 2 };
    }
    if spoken && rewrite {
        // Clears the line, so that the result stands alone.
        let _ = std::io::stderr().lock().write_all(b"\r\x1b[K");
    }
}
