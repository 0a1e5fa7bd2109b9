//! zarr-python, tensorstore, openslide-python and ome-zarr-py, asked through a Python that has them.

use std::process::Command;

use onceflow_study::Diagnostic;
use serde_json::{Value, json};

use crate::failure::Failure;

/// A Python in which zarr-python can be imported.
#[derive(Debug)]
pub(super) struct Peer {
    python: String,
    name: String,
}

/// Where `scripts/peers` puts its environment, and what a machine has.
const PYTHONS: [&str; 2] = [".peers/bin/python", "python3"];

impl Peer {
    /// The named Python, or the first of the usual ones, that answers.
    pub(super) fn find(python: Option<&str>) -> Option<Self> {
        let candidates = python.map_or_else(|| PYTHONS.to_vec(), |python| vec![python]);
        candidates.into_iter().find_map(|python| {
            let peer = Self { python: python.into(), name: String::new() };
            let answer = peer.ask(&json!({ "do": "names" })).ok()?;
            Some(Self { name: answer["name"].as_str()?.into(), ..peer })
        })
    }

    /// Who they are, with versions.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// One request, one answer.
    pub(super) fn ask(&self, request: &Value) -> Result<Value, Failure> {
        let failed = |found: String| {
            Failure::environment(
                Diagnostic::error(format!("the peers in `{}` did not answer", self.python))
                    .expected_found("one JSON object", found)
                    .with_hint("install them again with scripts/peers, or leave them out with --no-peer"),
            )
        };
        let mut command = Command::new(&self.python);
        let output = command.args(["-c", include_str!("peer.py"), &request.to_string()]).output();
        let output = output.map_err(|error| failed(error.to_string()))?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            let last = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("nothing").to_owned();
            failed(format!("{last} ({})", output.status))
        })
    }
}
