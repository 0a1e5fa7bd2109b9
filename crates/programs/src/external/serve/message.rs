//! The lines of JSON that a program which serves reads and writes.

use std::path::{Path, PathBuf};

use onceflow_region::Region;
use onceflow_runtime::Done;
use serde_json::{Map, Value, json};

use crate::external::ExternalOperation;
use crate::failure::ProgramFailure;
use crate::folder::{input, output};
use crate::python::plain;
use crate::units::ProgramRun;

/// The most characters of an answer that a message repeats.
const MOST_SHOWN: usize = 200;

/// The line that gives a server a task.
pub(super) fn task_line(operation: &ExternalOperation, run: &ProgramRun<'_>, folder: &Path) -> Value {
    let spec = &operation.task.spec;
    let path = |file: PathBuf| Value::from(folder.join(file).display().to_string());
    let inputs: Map<String, Value> = spec.inputs.iter().map(|r| (r.name.clone(), path(input(r)))).collect();
    let outputs: Map<String, Value> =
        spec.outputs.iter().map(|r| (r.name.clone(), path(output(r)))).collect();
    let values = spec.parameters.iter().zip(run.call.parameters);
    let parameters: Map<String, Value> = values.map(|(p, value)| (p.name.clone(), plain(value))).collect();
    json!({
        "version": 1,
        "task": operation.task.name,
        "folder": folder.display().to_string(),
        "inputs": inputs,
        "outputs": outputs,
        "parameters": parameters,
    })
}

/// The result of a task, by the server's answer; `outputs` reads the files that it made.
pub(super) fn result(
    answer: &Value,
    operation: &ExternalOperation,
    outputs: impl FnOnce() -> Result<Vec<Region>, String>,
) -> Result<Done, ProgramFailure> {
    if let Some(status) = answer.get("ended").and_then(Value::as_str) {
        if operation.task.ends.iter().any(|known| known == status) {
            return Ok(Done { ended: Some(status.to_owned()), ..Done::default() });
        }
        return Err(ProgramFailure::new(format!(
            "ended its part with `{status}`, which the task does not list in `ends`"
        )));
    }
    match (answer.get("ok").and_then(Value::as_bool), answer.get("error").and_then(Value::as_str)) {
        (Some(true), None) => Ok(Done::with(outputs().map_err(ProgramFailure::output)?)),
        (Some(false), error) => {
            Err(ProgramFailure::new(format!("failed: {}", excerpt(error.unwrap_or("it does not say why")))))
        }
        _ => Err(ProgramFailure::new(format!(
            "answered neither {{\"ok\":true}} nor {{\"ok\":false,\"error\":…}} nor {{\"ended\":…}}: {}",
            excerpt(&answer.to_string())
        ))),
    }
}

/// The beginning of a text, without control characters.
pub(super) fn excerpt(text: &str) -> String {
    let text = text.trim();
    let short: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST_SHOWN).collect();
    if short.is_empty() { "nothing".into() } else { short }
}
