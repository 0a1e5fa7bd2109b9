//! The two streams of the command: results on standard output, words for people on standard error.

use std::io::{self, Write};

use onceflow_study::Diagnostic;

use crate::args::ProgressMode;
use crate::diagnostics;
use crate::failure::Failure;
use crate::progress::Progress;

/// Where the command speaks.
#[derive(Debug)]
pub(crate) struct Terminal {
    progress: ProgressMode,
}

impl Terminal {
    /// Speaks to the process's own streams.
    pub(crate) fn new(progress: ProgressMode) -> Self {
        Self { progress }
    }

    /// Whether work that takes long is spoken of.
    pub(crate) fn progress_mode(&self) -> ProgressMode {
        self.progress
    }

    /// A line for people.
    pub(crate) fn say(&self, line: &str) {
        // A closed standard error must not stop the work.
        let _ = writeln!(anstream::stderr().lock(), "{line}");
    }

    /// A result: a text for standard output.
    pub(crate) fn result(&self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())
    }

    /// A result that is no text.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|e| Failure::standard_output(&e))
    }

    /// A result: one object on one line of standard output.
    pub(crate) fn json(&self, object: &serde_json::Value) -> Result<(), Failure> {
        self.result(&format!("{object}\n"))
    }

    /// Messages for people.
    pub(crate) fn diagnostics(&self, messages: &[Diagnostic]) {
        for message in messages {
            self.say(&diagnostics::render(message));
        }
    }

    /// Says what is going on when it takes longer than a second; stop it by dropping it.
    pub(crate) fn progress(&self, what: impl Into<String>) -> Progress {
        Progress::start(what.into(), self.progress)
    }
}
