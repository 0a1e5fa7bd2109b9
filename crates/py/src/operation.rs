//! Built-in operations: what each takes, reads and makes, and one of them alone on arrays.

use onceflow_engine::{apply_built_in, catalogue};
use onceflow_region::Region;
use onceflow_study::{OpRegion, Value};
use pyo3::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::error::{Kind, bug, engine, raise_text};
use crate::pixels::{from_array, to_array};

/// All built-in operations by id, as JSON.
#[pyfunction]
pub(crate) fn operations() -> String {
    let catalogue = catalogue();
    let regions = |regions: &[OpRegion]| -> Vec<Json> {
        regions.iter().map(|region| json!([region.name, region.kind.word()])).collect()
    };
    let known = catalogue.ids().filter_map(|id| Some((id, catalogue.get(id)?)));
    let known = known.map(|(id, spec)| {
        let reads: Vec<Json> = spec.parameters.iter().map(|p| json!([p.name, p.kind.word()])).collect();
        let said = json!({
            "takes": regions(&spec.inputs),
            "reads": reads,
            "makes": regions(&spec.outputs),
            "statuses": spec.statuses,
        });
        (id.to_owned(), said)
    });
    Json::Object(known.collect::<Map<_, _>>()).to_string()
}

/// Carries out a built-in operation once: how it ended, if it did, and what it made. Masks are bytes, 0 and 255.
#[pyfunction]
pub(crate) fn apply<'py>(
    py: Python<'py>,
    id: &str,
    inputs: Vec<Bound<'py, PyAny>>,
    parameters: &str,
) -> PyResult<(Option<String>, Vec<Bound<'py, PyAny>>)> {
    let inputs = inputs.iter().map(|array| from_array(array).map(Region::Dense));
    let inputs = inputs.collect::<PyResult<Vec<_>>>()?;
    let parameters = values(parameters)?;
    let done = py.detach(|| apply_built_in(id, inputs, &parameters)).map_err(engine)?;
    let made = done.outputs.into_iter().map(|region| match region {
        Region::Dense(dense) => to_array(py, dense),
        other => Err(bug(&format!("{id} made a {:?}, which has no array", other.kind()))),
    });
    Ok((done.ended, made.collect::<PyResult<_>>()?))
}

fn values(text: &str) -> PyResult<Vec<(String, Value)>> {
    let values: Map<String, Json> =
        serde_json::from_str(text).map_err(|error| raise_text(Kind::Study, "the parameters", &error))?;
    let value = |value: &Json| match value {
        Json::String(text) => Some(Value::Text(text.clone())),
        other => other.as_i64().map(Value::Integer).or_else(|| other.as_f64().map(Value::Real)),
    };
    Ok(values.iter().filter_map(|(name, given)| Some((name.clone(), value(given)?))).collect())
}
