//! Verbs of the command line with their results as values: what they print, and why they cannot do their work.

use std::ffi::OsString;

use onceflow_engine::StopFlag;
use onceflow_terminal::{Exit, Failure};
use pyo3::prelude::*;

use crate::error::failure;
use crate::waiting::interruptible;

/// Carries out a verb: its exit code, its result, and what it says to people.
#[pyfunction]
pub(crate) fn verb(py: Python<'_>, words: Vec<OsString>) -> PyResult<(u8, String, String)> {
    let done = interruptible(py, &StopFlag::default(), move || onceflow_cli::carry_out(words))?;
    let (exit, written) = done.map_err(|refused: Failure| failure(refused))?;
    Ok((Exit::code(exit), String::from_utf8_lossy(&written.output).into_owned(), written.said))
}
