//! Workflows as files for the other verbs: those of the paper in any length, and traces of WfCommons.

use std::path::PathBuf;

use onceflow_cluster::moldable::{
    MoldableTask, TraceScaling, neurostimulation, photoacoustic, read_wfcommons,
};
use onceflow_study::Diagnostic;
use serde_json::{Map, Value, json};

use super::MoldAnswer;
use crate::{EngineError, TextLimit, read_text};

/// What kind of workflow is written.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkflowKind {
    /// Ultrasound of the brain: trains of simulation, processing and simulation.
    Neurostimulation {
        /// How many trains; 4 are 20 tasks.
        trains: usize,
    },
    /// Photoacoustic images: waves of simulations.
    Photoacoustic {
        /// Waves, as many as the loop is expected to take.
        waves: usize,
        /// Simulations of each.
        width: usize,
    },
    /// A trace in WfCommons JSON.
    Trace {
        /// The file.
        file: PathBuf,
        /// The share of each task that more nodes do not shorten.
        serial: f64,
    },
}

/// A workflow to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkflowRequest {
    /// Its kind.
    pub kind: WorkflowKind,
    /// Nodes of the cluster.
    pub nodes: u64,
    /// The size of the input of its tasks.
    pub size: f64,
    /// Numbers of nodes of simulations, or of all tasks of a trace.
    pub counts: Vec<u64>,
    /// Lines for a shell by type of task.
    pub commands: Vec<(String, String)>,
}

/// Longer workflows are of no use to a search.
const MOST_TASKS: usize = 100_000;
/// Durations that tell simulations from processing.
const SIMULATION: [(u64, u64); 1] = [(1, 2)];
const PROCESSING: [(u64, u64); 1] = [(1, 1)];
/// Processing tasks have no more nodes.
const PROCESSING_COUNTS: [u64; 2] = [1, 2];

/// Writes a workflow as the JSON that `mold optimize` and `mold submit` read.
///
/// # Errors
/// When it would be too long, or a trace cannot be read.
pub fn mold_workflow(request: &WorkflowRequest) -> Result<MoldAnswer, EngineError> {
    let tasks: Vec<Value> = match &request.kind {
        WorkflowKind::Neurostimulation { trains } => {
            short(5usize.saturating_mul(*trains))?;
            typed(request, &neurostimulation(*trains, &SIMULATION, &PROCESSING))
        }
        WorkflowKind::Photoacoustic { waves, width } => {
            short(waves.saturating_mul(2usize.saturating_mul(*width)))?;
            typed(request, &photoacoustic(*waves, *width, &SIMULATION, &PROCESSING))
        }
        WorkflowKind::Trace { file, serial } => {
            let source = read_text(file, TextLimit::Description)?;
            let scaling = TraceScaling { serial: *serial, counts: request.counts.clone() };
            let tasks = read_wfcommons(&source, &scaling).map_err(EngineError::Invalid)?;
            tasks.iter().map(timed).collect()
        }
    };
    let mut json = json!({ "nodes": request.nodes, "policy": "easy", "margin": 0.1 });
    if !request.commands.is_empty() {
        let commands = request.commands.iter().map(|(kind, line)| (kind.clone(), json!(line)));
        json["commands"] = Value::Object(commands.collect());
    }
    let text = text(&json, &tasks);
    json["tasks"] = json!(tasks);
    Ok(MoldAnswer { json, text, svg: None, html: None })
}

fn short(tasks: usize) -> Result<(), EngineError> {
    if tasks <= MOST_TASKS {
        return Ok(());
    }
    let message = Diagnostic::error("the workflow is too long");
    Err(EngineError::bad_input(
        message.expected_found(format!("at most {MOST_TASKS} tasks"), tasks.to_string()),
    ))
}

/// Tasks whose durations come from measurements.
fn typed(request: &WorkflowRequest, tasks: &[MoldableTask]) -> Vec<Value> {
    let task = |task: &MoldableTask| {
        let is_simulation = task.seconds == SIMULATION;
        let counts = if is_simulation { &request.counts[..] } else { &PROCESSING_COUNTS };
        let kind = if is_simulation { "ST" } else { "PT" };
        json!({ "id": task.id, "after": task.after, "type": kind, "size": request.size, "counts": counts })
    };
    tasks.iter().map(task).collect()
}

/// A task with its durations.
fn timed(task: &MoldableTask) -> Value {
    let seconds = task.seconds.iter().map(|(nodes, seconds)| (nodes.to_string(), json!(seconds)));
    json!({ "id": task.id, "after": task.after, "seconds": seconds.collect::<Map<String, Value>>() })
}

/// A task to a line, so that people can read and change them.
fn text(head: &Value, tasks: &[Value]) -> String {
    let head: String = head
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("  {}: {value},\n", json!(key)))
        .collect();
    let tasks: Vec<String> = tasks.iter().map(|task| format!("    {task}")).collect();
    format!("{{\n{head}  \"tasks\": [\n{}\n  ]\n}}\n", tasks.join(",\n"))
}
