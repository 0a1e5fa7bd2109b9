//! Verbs of the command line with their results as values: what they print, and why they cannot do their work.

use std::ffi::OsString;

use onceflow_terminal::{Exit, Failure};
use pyo3::prelude::*;

use crate::error::failure;
use crate::waiting::to_its_end;

/// Carries out a verb: its exit code, its result, and what it says to people. After Ctrl-C it comes to its end, so that no file
/// is written behind the caller's back or left unfinished; a second one does not wait for it.
#[pyfunction]
pub(crate) fn verb(py: Python<'_>, words: Vec<OsString>) -> PyResult<(u8, String, String)> {
    let done = to_its_end(py, move || onceflow_cli::carry_out(words))?;
    let (exit, written) = done.map_err(|refused: Failure| failure(refused))?;
    Ok((Exit::code(exit), String::from_utf8_lossy(&written.output).into_owned(), written.said))
}
