//! The two streams of a command: results on standard output, messages for people on standard error.

use std::io::{self, IsTerminal as _, Write};
use std::sync::{Mutex, PoisonError};

use onceflow_study::Diagnostic;

use crate::diagnostics::{diagnostics_to_json, render};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::narrow::fitted;
use crate::progress::{ProgressMode, ProgressReporter};

/// Standard output and standard error of the process, or texts in their place.
#[derive(Debug)]
pub struct Terminal {
    progress: ProgressMode,
    /// What was written, where no stream of the process takes it.
    written: Option<Mutex<WrittenStreams>>,
}

/// What a command wrote that has no streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenStreams {
    /// Its results.
    pub output: Vec<u8>,
    /// Its lines for people, with their colours.
    pub said: String,
}

impl Terminal {
    /// The streams of the process, with or without progress.
    pub fn new(progress: ProgressMode) -> Self {
        Self { progress, written: None }
    }

    /// Writes into memory, and shows no progress.
    pub fn captured() -> Self {
        Self { progress: ProgressMode::Never, written: Some(Mutex::default()) }
    }

    /// What was written into memory.
    pub fn into_written(self) -> WrittenStreams {
        self.written
            .map(|written| written.into_inner().unwrap_or_else(PoisonError::into_inner))
            .unwrap_or_default()
    }

    fn capture(&self, take: impl FnOnce(&mut WrittenStreams)) -> bool {
        let Some(written) = &self.written else { return false };
        take(&mut written.lock().unwrap_or_else(PoisonError::into_inner));
        true
    }

    /// Whether progress is written.
    pub fn progress_mode(&self) -> ProgressMode {
        self.progress
    }

    /// Writes a line for people to standard error.
    pub fn say(&self, line: &str) {
        if self.capture(|written| written.said.extend([line, "\n"])) {
            return;
        }
        // A closed standard error must not stop the work.
        let _ = writeln!(anstream::stderr().lock(), "{line}");
    }

    /// Writes a text to standard output.
    pub fn result(&self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())
    }

    /// Writes a text for people to standard output: on a narrow terminal, long lines are broken and tables set closer.
    pub fn text(&self, text: &str) -> Result<(), Failure> {
        if self.written.is_some() {
            return self.result(text);
        }
        self.result(&fitted(text))
    }

    /// Writes bytes to standard output.
    pub fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        if self.capture(|written| written.output.extend_from_slice(bytes)) {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|e| Failure::standard_output(&e))
    }

    /// Writes one object as one line to standard output.
    pub fn json(&self, object: &serde_json::Value) -> Result<(), Failure> {
        self.result(&format!("{object}\n"))
    }

    /// Writes messages for people to standard error.
    pub fn diagnostics(&self, messages: &[Diagnostic]) {
        for message in messages {
            self.say(&render(message));
        }
    }

    /// Writes progress when the work takes longer than a second; ends when the result is dropped.
    pub fn progress(&self, what: impl Into<String>) -> ProgressReporter {
        ProgressReporter::start(what.into(), self.progress)
    }

    /// The same for short work, which a log need not hold: nothing is written unless standard error is a terminal.
    pub fn shown_progress(&self, what: impl Into<String>) -> ProgressReporter {
        let shown = io::stderr().is_terminal();
        ProgressReporter::start(what.into(), if shown { self.progress } else { ProgressMode::Never })
    }

    /// Writes the messages of a failure, as JSON too when that was asked for, and gives its exit code.
    pub fn report(&self, failure: Failure, json: bool) -> Exit {
        let exit = failure.exit();
        let messages = failure.into_messages();
        if messages.is_empty() {
            return exit;
        }
        self.diagnostics(&messages);
        if json {
            let object = serde_json::json!({
                "version": 1,
                "ok": false,
                "diagnostics": diagnostics_to_json(&messages),
            });
            // The exit code already tells of a failure; a second one adds nothing.
            let _ = self.json(&object);
        }
        exit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_captured_reaches_no_stream() {
        let terminal = Terminal::captured();
        terminal.say("note: one");
        terminal.text("a table\n").unwrap();
        terminal.json(&serde_json::json!({ "version": 1 })).unwrap();
        assert_eq!(terminal.progress_mode(), ProgressMode::Never);
        let written = terminal.into_written();
        assert_eq!(written.output, b"a table\n{\"version\":1}\n");
        assert_eq!(written.said, "note: one\n");
    }
}
