//! SALib, asked through a Python that has it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use onceflow_sensitivity::Oracle;
use onceflow_study::{Diagnostic, Domain};
use serde_json::{Value, json};

use crate::failure::Failure;

/// A Python in which SALib can be imported.
#[derive(Debug)]
pub(super) struct Peer {
    python: String,
    name: String,
}

/// SALib's indices, first order then total, and the half widths of its intervals.
pub(super) struct PeerIndices {
    pub(super) values: Vec<f64>,
    pub(super) half_widths: Vec<f64>,
}

/// Where `scripts/peers` puts its environment, and what a machine has.
const PYTHONS: [&str; 2] = [".peers/bin/python", "python3"];

impl Peer {
    /// The named Python, or the first of the usual ones, that answers.
    pub(super) fn find(python: Option<&str>) -> Option<Self> {
        let candidates = python.map_or_else(|| PYTHONS.to_vec(), |python| vec![python]);
        candidates.into_iter().find_map(|python| {
            let peer = Self { python: python.into(), name: String::new() };
            let answer = peer.ask(&json!({ "do": "version" })).ok()?;
            Some(Self { name: answer["name"].as_str()?.into(), ..peer })
        })
    }

    /// What it is, with versions.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// One request, one answer.
    pub(super) fn ask(&self, request: &Value) -> Result<Value, Failure> {
        let failed = |found: String| {
            Failure::environment(
                Diagnostic::error(format!("the peer `{}` did not answer", self.python))
                    .expected_found("one JSON object", found)
                    .with_hint("install it again with scripts/peers, or leave it out with --no-peer"),
            )
        };
        let mut child = Command::new(&self.python)
            .args(["-c", include_str!("peer.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| failed(e.to_string()))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A peer that dies early closes the pipe; its own words say more than ours.
            let _ = stdin.write_all(request.to_string().as_bytes());
        }
        let output = child.wait_with_output().map_err(|e| failed(e.to_string()))?;
        serde_json::from_slice(&output.stdout).map_err(|_| {
            failed(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("nothing").into())
        })
    }

    /// A list of numbers out of an answer.
    pub(super) fn numbers(answer: &Value, key: &str) -> Vec<f64> {
        let list = answer[key].as_array().map_or(&[][..], Vec::as_slice);
        list.iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
    }

    /// Its own sample of an oracle without second order, evaluated here and analysed by it.
    pub(super) fn indices(&self, oracle: Oracle, base: u64, seed: u64) -> Result<PeerIndices, Failure> {
        let k = oracle.parameters().len();
        let request =
            json!({ "do": "saltelli_sample", "k": k, "n": base, "second_order": false, "seed": seed });
        let unit = Self::numbers(&self.ask(&request)?, "x");
        let y: Vec<f64> = unit.chunks_exact(k).map(|row| oracle.evaluate(&scaled(oracle, row))).collect();
        let answer = self.ask(&json!({
            "do": "saltelli_analyze", "k": k, "y": y, "second_order": false, "resamples": 100, "seed": seed
        }))?;
        let both = |first: &str, total: &str| {
            [Self::numbers(&answer, first), Self::numbers(&answer, total)].concat()
        };
        Ok(PeerIndices { values: both("S1", "ST"), half_widths: both("S1_conf", "ST_conf") })
    }
}

/// From the unit cube to the oracle's values, as users of SALib do by hand.
fn scaled(oracle: Oracle, unit: &[f64]) -> Vec<f64> {
    let value = |(domain, u): (&Domain, &f64)| match domain {
        Domain::Integers { from, to } => (*from as f64) + (u * (to - from + 1) as f64).floor(),
        other => other.ends().map_or(*u, |(from, to)| from + u * (to - from)),
    };
    oracle.parameters().iter().map(|p| &p.domain).zip(unit).map(value).collect()
}
