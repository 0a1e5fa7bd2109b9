//! Tuners of others, in a Python process that asks for the losses of points.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use onceflow_study::{Diagnostic, Domain, Parameter, Space, Value};
use onceflow_terminal::Failure;
use serde_json::{Value as Json, json};

use super::objective::{BenchObjective, TuneCurve};
use crate::python::{PythonPeer, candidates};

/// What the process runs.
const SCRIPT: &str = include_str!("peer.py");

/// A Python that has some of the tuners.
#[derive(Debug)]
pub(super) struct TunePeers {
    python: String,
    name: String,
    tuners: Vec<String>,
}

impl TunePeers {
    /// The first Python that has any.
    pub(super) fn find(named: Option<&str>) -> Option<Self> {
        candidates(named).into_iter().find_map(|python| {
            let peer = PythonPeer::find(Some(&python), SCRIPT)?;
            let answer = peer.ask(&json!({ "do": "names" })).ok()?;
            let tuners =
                answer["tuners"].as_array()?.iter().filter_map(|name| Some(name.as_str()?.to_owned()));
            Some(Self { python, name: peer.name().to_owned(), tuners: tuners.collect() })
        })
    }

    /// Packages with versions.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether a tuner is installed.
    pub(super) fn has(&self, tuner: &str) -> bool {
        self.tuners.iter().any(|own| own == tuner)
    }

    /// Runs a tuner until it has asked for so many distinct rows.
    pub(super) fn curve(
        &self,
        objective: &mut dyn BenchObjective,
        tuner: &str,
        seed: u64,
        rows: usize,
    ) -> Result<TuneCurve, Failure> {
        let space = objective.space().clone();
        let axes = || space.parameters().iter();
        let request = json!({
            "do": "tune",
            "tuner": tuner,
            "seed": seed,
            "rows": rows,
            "objectives": objective.objectives(),
            "counts": axes().map(|p| count(&p.domain)).collect::<Vec<u64>>(),
            "ordered": axes().map(|p| !p.domain.is_categorical()).collect::<Vec<bool>>(),
        });
        let mut process = PeerProcess::start(&self.python, &request)?;
        let mut curve = TuneCurve::default();
        loop {
            let line = process.read()?;
            if let Some(seconds) = line["seconds"].as_f64() {
                curve.own = seconds * 1e3;
                return Ok(curve);
            }
            let values = objective.values(&values_at(&space, &line["at"]).ok_or_else(|| broken(&line))?);
            process.write(&json!({ "losses": values.iter().map(|value| -value).collect::<Vec<f64>>() }))?;
            curve.rows.push(values);
        }
    }
}

/// How many values a parameter has; objectives here have lists.
fn count(domain: &Domain) -> u64 {
    domain.count().unwrap_or(0)
}

/// The values at the places that a peer names.
fn values_at(space: &Space, at: &Json) -> Option<Vec<Value>> {
    let places = at.as_array().filter(|places| places.len() == space.parameters().len())?;
    let value = |(parameter, place): (&Parameter, &Json)| {
        parameter.domain.value(place.as_u64().filter(|place| *place < count(&parameter.domain))?)
    };
    space.parameters().iter().zip(places).map(value).collect()
}

/// The process while it tunes; it ends when this is dropped.
struct PeerProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl PeerProcess {
    fn start(python: &str, request: &Json) -> Result<Self, Failure> {
        let mut command = Command::new(python);
        // Libraries with threads of their own would use time that is not theirs alone.
        command.args(["-c", SCRIPT]).envs([("OMP_NUM_THREADS", "1"), ("OPENBLAS_NUM_THREADS", "1")]);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = piped.spawn().map_err(|error| broken(&json!(error.to_string())))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else { return Err(broken(&json!("no pipes"))) };
        let mut process = Self { child, input, output: BufReader::new(output) };
        process.write(request)?;
        Ok(process)
    }

    fn read(&mut self) -> Result<Json, Failure> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|error| broken(&json!(error.to_string())))?;
        serde_json::from_str(&line).map_err(|_| broken(&json!(line)))
    }

    fn write(&mut self, line: &Json) -> Result<(), Failure> {
        let written = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        written.map_err(|error| broken(&json!(error.to_string())))
    }
}

impl Drop for PeerProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn broken(found: &Json) -> Failure {
    let hint = "install the peers again with scripts/peers, or leave them out with --no-peer";
    let error = Diagnostic::error("a peer of the tuners did not answer");
    Failure::environment(
        error.expected_found("a point or an end, in JSON", found.to_string()).with_hint(hint),
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn places_are_values_and_others_are_refused() {
        let axis = Parameter::new("a", Domain::Steps { from: 2.0, to: 8.0, step: 2.0 });
        let word = Parameter::new("w", Domain::Categories(vec!["x".into(), "y".into()]));
        let space = Space::new(vec![axis, word], Vec::new()).unwrap();
        let found = values_at(&space, &json!([3, 1])).unwrap();
        assert_eq!((found[0].as_f64(), &found[1]), (Some(8.0), &Value::Text("y".into())));
        for wrong in [json!([4, 1]), json!([0]), json!(null), json!([-1, 0])] {
            assert_eq!(values_at(&space, &wrong), None, "{wrong}");
        }
    }
}
