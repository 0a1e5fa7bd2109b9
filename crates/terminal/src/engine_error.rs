//! Errors of the engine and of the file system as failures.

use std::io;
use std::path::Path;

use onceflow_engine::EngineError;

use crate::failure::Failure;

/// An error of the engine as a failure.
pub fn engine_failure(error: impl Into<EngineError>) -> Failure {
    let error = error.into();
    let kind = error.kind();
    Failure::of_kind(kind, error.into_diagnostics())
}

/// The failure of a file that cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::environment(onceflow_engine::unwritable(path, error))
}
