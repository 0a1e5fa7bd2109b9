//! Lines of an attempt at a bucket, on their way to its file.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::EngineError;
use crate::resume::journal::{JournalLine, RowLines};
use crate::work::AttemptFile;

/// New results of a bucket are safe from the end of the worker after this time.
const FLUSH: Duration = Duration::from_secs(1);

/// Lines of an attempt that wait to be written to its file.
pub(super) struct AttemptLines {
    attempt: AttemptFile,
    /// Whether each is written at once.
    at_once: bool,
    waiting: Mutex<WaitingLines>,
}

struct WaitingLines {
    text: String,
    written: Instant,
    since: Instant,
}

impl AttemptLines {
    pub(super) fn new(attempt: AttemptFile, at_once: bool) -> Self {
        let now = Instant::now();
        let waiting = Mutex::new(WaitingLines { text: String::new(), written: now, since: now });
        Self { attempt, at_once, waiting }
    }

    /// Says that a row is begun alone.
    pub(super) fn try_row(&self, row: usize) -> io::Result<()> {
        self.attempt.try_row(row)
    }

    /// Writes what waits long enough, or a sign of life when it is time. What cannot be written is written with the results.
    pub(super) fn beat(&self, every: f64) {
        let mut waiting = lock(&self.waiting);
        if !waiting.text.is_empty() && waiting.since.elapsed() >= FLUSH {
            let text = std::mem::take(&mut waiting.text);
            waiting.written = Instant::now();
            let _kept = self.attempt.append(&text);
        } else if waiting.written.elapsed().as_secs_f64() >= every {
            waiting.written = Instant::now();
            let _seen = self.attempt.beat();
        }
    }

    /// Gives the bucket back, with all lines.
    pub(super) fn release(&self) {
        let text = std::mem::take(&mut lock(&self.waiting).text);
        let _kept = self.attempt.append(&text).and_then(|()| self.attempt.release());
    }
}

impl RowLines for Arc<AttemptLines> {
    fn write(&mut self, line: &JournalLine) -> Result<(), EngineError> {
        let text = line.to_text().map_err(|error| EngineError::Internal(error.to_string()))?;
        let mut waiting = lock(&self.waiting);
        if waiting.text.is_empty() {
            waiting.since = Instant::now();
        }
        waiting.text.push_str(&text);
        if self.at_once {
            let text = std::mem::take(&mut waiting.text);
            // What cannot be written is written with the results.
            let _kept = self.attempt.append(&text);
        }
        Ok(())
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
