//! Errors of the engine as exceptions of `onceflow.errors`, with their diagnostics.

use std::fmt::Display;

use onceflow_engine::{EngineError, ErrorKind};
use onceflow_study::{Diagnostic, Diagnostics};
use onceflow_terminal::{Exit, Failure, diagnostics_to_json};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// The kind of an exception: a word that `onceflow.errors` knows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A study, a file or a value is wrong.
    Study,
    /// Rows cannot be made, or results do not fit them.
    Sample,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Study => "study",
            Self::Sample => "sample",
        }
    }
}

/// The exception of a kind with messages.
pub(crate) fn raise(kind: Kind, diagnostics: &[Diagnostic]) -> PyErr {
    made(kind.word(), diagnostics, None)
}

/// The exception of a kind from an error whose text says everything.
pub(crate) fn raise_text(kind: Kind, title: &str, error: &impl Display) -> PyErr {
    raise(kind, &[Diagnostic::error(format!("{title}: {error}"))])
}

/// The exception of messages about a study or a file.
pub(crate) fn invalid(diagnostics: &Diagnostics) -> PyErr {
    raise(Kind::Study, &diagnostics.0)
}

/// The exception of an error of the engine.
pub(crate) fn engine(error: EngineError) -> PyErr {
    let kind = match error.kind() {
        ErrorKind::BadInput => "study",
        ErrorKind::Environment => "missing",
        ErrorKind::Memory => "memory",
        ErrorKind::Stopped => return PyKeyboardInterrupt::new_err(()),
        ErrorKind::Internal => "bug",
    };
    let least = match &error {
        EngineError::Memory { needed, .. }
        | EngineError::ExactMemory { needed, .. }
        | EngineError::BucketMemory { needed, .. } => Some(*needed),
        _ => None,
    };
    made(kind, &error.into_diagnostics(), least)
}

fn made(kind: &str, diagnostics: &[Diagnostic], least: Option<u64>) -> PyErr {
    let messages = serde_json::Value::from(diagnostics_to_json(diagnostics)).to_string();
    Python::attach(|py| {
        let error = py.import("onceflow.errors").and_then(|module| module.getattr("made"));
        error.and_then(|made| made.call1((kind, messages, least))).map_or_else(|e| e, PyErr::from_value)
    })
}

/// The exception of an error that is ours.
pub(crate) fn bug(message: &str) -> PyErr {
    engine(EngineError::Internal(message.into()))
}

/// The exception of a command that could not do its work.
pub(crate) fn failure(failure: Failure) -> PyErr {
    let kind = match failure.exit() {
        Exit::Environment => "missing",
        Exit::Memory => "memory",
        Exit::Internal => "bug",
        Exit::RowsFailed => "task",
        Exit::Interrupted => return PyKeyboardInterrupt::new_err(()),
        Exit::Ok | Exit::BadInput | Exit::OfCommand(_) => "study",
    };
    made(kind, &failure.into_messages(), None)
}
