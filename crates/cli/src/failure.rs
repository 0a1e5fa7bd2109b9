//! Why a verb could not do its work: messages for people, and the exit code for scripts.

use std::io;

use onceflow_study::{Diagnostic, Diagnostics};

use crate::diagnostics;
use crate::exit::Exit;
use crate::terminal::Terminal;

/// What a verb returns when it cannot do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    messages: Vec<Diagnostic>,
}

impl Failure {
    /// A bad command line or file.
    pub(crate) fn bad_input(message: Diagnostic) -> Self {
        Self { exit: Exit::BadInput, messages: vec![message] }
    }

    /// The machine does not allow it.
    pub(crate) fn environment(message: Diagnostic) -> Self {
        Self { exit: Exit::Environment, messages: vec![message] }
    }

    /// Rows failed and the policy is to stop.
    pub(crate) fn rows_failed(message: Diagnostic) -> Self {
        Self { exit: Exit::RowsFailed, messages: vec![message] }
    }

    /// The bound of memory is too small.
    pub(crate) fn memory(message: Diagnostic) -> Self {
        Self { exit: Exit::Memory, messages: vec![message] }
    }

    /// Somebody asked to stop, and need not be told.
    pub(crate) fn interrupted() -> Self {
        Self { exit: Exit::Interrupted, messages: Vec::new() }
    }

    /// Our bug.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        let message = Diagnostic::error(format!("internal error (our bug): {}", message.into()))
            .with_hint(concat!("report it at ", env!("CARGO_PKG_REPOSITORY"), "/issues"));
        Self { exit: Exit::Internal, messages: vec![message] }
    }

    /// Standard output cannot be written.
    pub(crate) fn standard_output(error: &io::Error) -> Self {
        // The reader of a pipe has seen enough: that is no failure.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { exit: Exit::Ok, messages: Vec::new() };
        }
        Self::environment(
            Diagnostic::error("cannot write to standard output")
                .expected_found("a place to write", error.to_string()),
        )
    }

    /// The messages, to be said elsewhere.
    pub(crate) fn into_messages(self) -> Vec<Diagnostic> {
        self.messages
    }

    /// Prints the messages, and as JSON too when that was asked for, and gives the exit code.
    pub(crate) fn report(self, terminal: &Terminal, json: bool) -> Exit {
        if self.messages.is_empty() {
            return self.exit;
        }
        terminal.diagnostics(&self.messages);
        if json {
            let object = serde_json::json!({
                "version": 1,
                "ok": false,
                "diagnostics": diagnostics::to_json(&self.messages),
            });
            // The exit code already tells of a failure; a second one adds nothing.
            let _ = terminal.json(&object);
        }
        self.exit
    }
}

impl From<Diagnostics> for Failure {
    fn from(diagnostics: Diagnostics) -> Self {
        Self { exit: Exit::BadInput, messages: diagnostics.0 }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::bad_input(diagnostic)
    }
}
