//! Why a command could not do its work: messages for people, and the exit code for scripts.

use std::io;

use onceflow_engine::ErrorKind;
use onceflow_study::{Diagnostic, Diagnostics};

use crate::exit::Exit;

/// Why a command could not do its work.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    messages: Vec<Diagnostic>,
}

impl Failure {
    /// A bad command line or file.
    pub fn bad_input(message: Diagnostic) -> Self {
        Self { exit: Exit::BadInput, messages: vec![message] }
    }

    /// The machine does not allow it.
    pub fn environment(message: Diagnostic) -> Self {
        Self { exit: Exit::Environment, messages: vec![message] }
    }

    /// Rows failed and the policy is to stop.
    pub fn rows_failed(message: Diagnostic) -> Self {
        Self { exit: Exit::RowsFailed, messages: vec![message] }
    }

    /// The memory bound is too small.
    pub fn memory(message: Diagnostic) -> Self {
        Self { exit: Exit::Memory, messages: vec![message] }
    }

    /// Our bug.
    pub fn internal(message: impl Into<String>) -> Self {
        let message = onceflow_engine::internal(&message.into());
        Self { exit: Exit::Internal, messages: vec![message] }
    }

    /// Messages of a kind of error.
    pub fn of_kind(kind: ErrorKind, messages: Vec<Diagnostic>) -> Self {
        let exit = match kind {
            ErrorKind::BadInput => Exit::BadInput,
            ErrorKind::Environment => Exit::Environment,
            ErrorKind::Memory => Exit::Memory,
            ErrorKind::Stopped => Exit::Interrupted,
            ErrorKind::Internal => Exit::Internal,
        };
        Self { exit, messages }
    }

    /// Standard output cannot be written.
    pub fn standard_output(error: &io::Error) -> Self {
        // A reader that closes the pipe early is no failure.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { exit: Exit::Ok, messages: Vec::new() };
        }
        Self::environment(
            Diagnostic::error("cannot write to standard output")
                .expected_found("a place to write", onceflow_engine::io_words(error)),
        )
    }

    /// How the command ends.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// The messages.
    pub fn into_messages(self) -> Vec<Diagnostic> {
        self.messages
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
