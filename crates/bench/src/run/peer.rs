//! Dask, asked through a Python that has it.

use std::process::Command;

use onceflow_terminal::Terminal;
use serde_json::json;

use crate::python;

/// Its time per task does not fall with more of them, and a million would take minutes.
const TASKS: u64 = 60_000;

/// Seconds that Dask's threads take for a task that does nothing; `None` where no Python has it.
pub(super) fn dask(python: Option<&str>, terminal: &Terminal) -> Option<f64> {
    let request = json!({ "tasks": TASKS }).to_string();
    let ask = |python: &String| {
        python::ask(Command::new(python).args(["-c", include_str!("peer.py")]), &request).ok()
    };
    let answer = python::candidates(python).iter().find_map(ask);
    let Some(answer) = answer else {
        terminal.say("note: no Python with Dask, so that scheduling has no peer: bash scripts/peers");
        return None;
    };
    let (seconds, tasks) = (answer["seconds"].as_f64()?, answer["tasks"].as_f64()?);
    terminal.say(&format!("peer: {}", answer["name"].as_str().unwrap_or("Dask")));
    (tasks > 0.0).then(|| seconds / tasks)
}
