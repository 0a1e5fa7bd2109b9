//! The two streams of a command: results on standard output, messages for people on standard error.

use std::io::{self, IsTerminal as _, Write};

use onceflow_study::Diagnostic;

use crate::diagnostics::{diagnostics_to_json, render};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::narrow::fitted;
use crate::progress::{ProgressMode, ProgressReporter};

/// Standard output and standard error of the process.
#[derive(Debug)]
pub struct Terminal {
    progress: ProgressMode,
}

impl Terminal {
    /// The streams of the process, with or without progress.
    pub fn new(progress: ProgressMode) -> Self {
        Self { progress }
    }

    /// Whether progress is written.
    pub fn progress_mode(&self) -> ProgressMode {
        self.progress
    }

    /// Writes a line for people to standard error.
    pub fn say(&self, line: &str) {
        // A closed standard error must not stop the work.
        let _ = writeln!(anstream::stderr().lock(), "{line}");
    }

    /// Writes a text to standard output.
    pub fn result(&self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())
    }

    /// Writes a text for people to standard output: on a narrow terminal, long lines are broken and tables set closer.
    pub fn text(&self, text: &str) -> Result<(), Failure> {
        self.result(&fitted(text))
    }

    /// Writes bytes to standard output.
    pub fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
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
