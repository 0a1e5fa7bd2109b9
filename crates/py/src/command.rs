//! The command `onceflow`, carried out in this process.

use std::ffi::OsString;
use std::path::PathBuf;

use onceflow_cli::Started;
use pyo3::prelude::*;

/// Carries out one command; `program` is the file that starts the command in a process of its own. Gives the exit code.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>, program: PathBuf) -> u8 {
    py.detach(|| onceflow_cli::command(Started::by_program(words, program)).code())
}
