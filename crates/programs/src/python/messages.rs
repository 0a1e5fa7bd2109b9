//! The lines of JSON that a worker of a Python function reads: the function first, and then its tasks.

use std::sync::Arc;

use onceflow_region::{Digester, Region};
use onceflow_runtime::Call;
use onceflow_study::{Canonical, OpSpec, PythonFunction};
use serde_json::{Map, Value, json};

use super::regions::{Given, WorkerMemory};

/// Where a call is, for those functions that ask.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallPlace {
    /// The number of the first row that asked for it.
    pub(crate) row: usize,
    /// The image.
    pub(crate) image: Option<String>,
    /// Left, top, width and height of the part in the image.
    pub(crate) part: Option<[u64; 4]>,
}

/// The line that gives a worker its function.
pub(crate) fn head_line(task: &str, files: &[&str], function: &PythonFunction) -> Value {
    json!({ "task": task, "files": files, "bundle": function.bundle })
}

/// A parameter's value as JSON.
pub(crate) fn plain(value: &Canonical) -> Value {
    match value {
        Canonical::Real(bits) => f64::from_bits(*bits).into(),
        Canonical::Integer(number) => (*number).into(),
        Canonical::Connectivity8(eight) => if *eight { 8 } else { 4 }.into(),
        Canonical::Text(text) => text.clone().into(),
    }
}

/// The line that gives a worker a task.
pub(crate) fn task_line(
    spec: &OpSpec,
    function: &PythonFunction,
    call: &Call<'_>,
    place: &CallPlace,
    memory: &WorkerMemory,
    given: &Given,
) -> Value {
    let values = spec.parameters.iter().zip(call.parameters);
    let parameters: Map<String, Value> = values.map(|(p, value)| (p.name.clone(), plain(value))).collect();
    let seed = if function.asks_here { seed(function, call, place) } else { String::from("0") };
    json!({
        "memory": memory.shared().path().display().to_string(),
        "bytes": memory.shared().bytes().len(),
        "inputs": given.inputs,
        "outputs": given.outputs,
        "parameters": parameters,
        "row": place.row,
        "image": place.image,
        "box": place.part,
        "seed": seed,
    })
}

/// The seed of random numbers: it follows from the function, its parameters and its inputs, as the result does.
fn seed(function: &PythonFunction, call: &Call<'_>, place: &CallPlace) -> String {
    let mut digester = Digester::new("onceflow python seed v1");
    digester.text(&function.key);
    call.parameters.iter().for_each(|value| digester.text(&format!("{value:?}")));
    for input in call.inputs {
        match Region::digest(Arc::as_ref(input)) {
            Some(digest) => digester.bytes(&digest.0),
            // A whole image that is not read is known by its name.
            None => digester.text(place.image.as_deref().unwrap_or_default()),
        }
    }
    digester.finish().to_string().chars().take(32).collect()
}
