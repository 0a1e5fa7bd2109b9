//! Peers written in Python: which Python has them, and how they are asked.

use std::io::Write as _;
use std::process::{Command, Stdio};

use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;
use serde_json::{Value, json};

/// Where `scripts/peers` puts its environment, and what a machine has.
const USUAL: [&str; 2] = [".peers/bin/python", "python3"];

/// The Python that was named, or the usual ones in turn.
pub(crate) fn candidates(named: Option<&str>) -> Vec<String> {
    named.map_or_else(|| USUAL.map(String::from).to_vec(), |named| vec![named.into()])
}

/// A script that a Python can carry out: one request on its standard input, one answer on its standard output.
#[derive(Debug)]
pub(crate) struct PythonPeer {
    python: String,
    script: &'static str,
    name: String,
}

impl PythonPeer {
    /// The script in the first Python that can say what it has.
    pub(crate) fn find(named: Option<&str>, script: &'static str) -> Option<Self> {
        candidates(named).into_iter().find_map(|python| {
            let peer = Self { python, script, name: String::new() };
            let answer = peer.ask(&json!({ "do": "names" })).ok()?;
            Some(Self { name: answer["name"].as_str()?.into(), ..peer })
        })
    }

    /// Who is asked, with versions.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// One request, one answer.
    pub(crate) fn ask(&self, request: &Value) -> Result<Value, Failure> {
        ask(Command::new(&self.python).args(["-c", self.script]), &request.to_string())
    }
}

/// What a command answers, in JSON, to what it reads.
pub(crate) fn ask(command: &mut Command, request: &str) -> Result<Value, Failure> {
    let python = command.get_program().to_string_lossy().into_owned();
    let failed = |found: String| {
        Failure::environment(
            Diagnostic::error(format!("the peers in `{python}` did not answer"))
                .expected_found("one JSON object", found)
                .with_hint("install them again with scripts/peers, or leave them out with --no-peer"),
        )
    };
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(|error| failed(error.to_string()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A peer that dies early closes the pipe; its own words say more than ours.
        let _ = stdin.write_all(request.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
    serde_json::from_slice(&output.stdout).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        failed(format!("{} ({})", said.lines().last().unwrap_or("nothing"), output.status))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_python_that_is_not_there_is_no_peer() {
        assert!(PythonPeer::find(Some("no-such-python"), "").is_none());
        assert_eq!(candidates(Some("own")), ["own"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_does_not_answer_is_quoted() {
        let mut command = Command::new("sh");
        let failure = ask(command.args(["-c", "echo broken >&2; exit 3"]), "{}").unwrap_err();
        let said = format!("{failure:?}");
        assert!(said.contains("broken") && said.contains("scripts/peers"), "{said}");
        let mut command = Command::new("cat");
        assert_eq!(ask(&mut command, r#"{"a":1}"#).unwrap(), json!({ "a": 1 }));
    }
}
