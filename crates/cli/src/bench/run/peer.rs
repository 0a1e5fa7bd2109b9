//! Dask, asked through a Python that has it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::terminal::Terminal;

/// Where `scripts/peers` puts its environment, and what a machine has.
const PYTHONS: [&str; 2] = [".peers/bin/python", "python3"];
/// Its time per task does not fall with more of them, and a million would take minutes.
const TASKS: u64 = 60_000;

/// Seconds that Dask's threads take for a task that does nothing; none where nobody has it.
pub(super) fn dask(python: Option<&str>, terminal: &Terminal) -> Option<f64> {
    let pythons = python.map_or_else(|| PYTHONS.to_vec(), |python| vec![python]);
    let answer = pythons.into_iter().find_map(ask);
    let Some(answer) = answer else {
        terminal.say("note: no Python with Dask, so that scheduling has no peer: bash scripts/peers");
        return None;
    };
    let (seconds, tasks) = (answer["seconds"].as_f64()?, answer["tasks"].as_f64()?);
    terminal.say(&format!("peer: {}", answer["name"].as_str().unwrap_or("Dask")));
    (tasks > 0.0).then(|| seconds / tasks)
}

fn ask(python: &str) -> Option<Value> {
    let program = Command::new(python)
        .args(["-c", include_str!("peer.py")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = program.ok()?;
    let mut stdin = child.stdin.take()?;
    // A peer that dies early closes the pipe, and then has no answer either.
    let _ = stdin.write_all(json!({ "tasks": TASKS }).to_string().as_bytes());
    drop(stdin);
    let output = child.wait_with_output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}
