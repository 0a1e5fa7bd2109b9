//! One built-in operation alone, on regions in memory: what a workflow does, step by step.

use std::sync::Arc;

use onceflow_region::Region;
use onceflow_reuse::{FlowRead, FlowTask, ReadFrom, TaskOrigin};
use onceflow_runtime::{Call, Done};
use onceflow_study::{Canonical, Diagnostic, OpSpec, Value};

use crate::EngineError;

/// Carries out a built-in operation once, with parameters by their names.
///
/// # Errors
/// When there is no such operation, a parameter is missing or does not fit, or the operation fails.
pub fn apply_built_in(
    id: &str,
    inputs: Vec<Region>,
    parameters: &[(String, Value)],
) -> Result<Done, EngineError> {
    let catalogue = onceflow_nuclei::catalogue();
    let spec = catalogue.get(id).ok_or_else(|| wrong(format!("there is no operation `{id}`")))?;
    if spec.inputs.len() != inputs.len() {
        return Err(wrong(format!(
            "`{id}` takes {} regions, and {} are given",
            spec.inputs.len(),
            inputs.len()
        )));
    }
    let values = spec.parameters.iter().map(|parameter| {
        let given = parameters.iter().find(|(name, _)| *name == parameter.name);
        let value = given.and_then(|(_, value)| parameter.kind.canonical(value));
        value.ok_or_else(|| {
            wrong(format!("`{id}` reads its `{}`, which is no {}", parameter.name, parameter.kind.word()))
        })
    });
    let values = values.collect::<Result<Vec<Canonical>, _>>()?;
    let operation = onceflow_nuclei::operation(&alone(spec, &values), None);
    let operation = operation.ok_or_else(|| wrong(format!("`{id}` has no kernel")))?;
    let inputs: Vec<Arc<Region>> = inputs.into_iter().map(Arc::new).collect();
    let call = Call { inputs: &inputs, parameters: &values, ..Call::default() };
    operation.run(&call).map_err(|error| wrong(format!("`{id}` failed: {error}")))
}

/// A task that is no part of a workflow.
fn alone(spec: &OpSpec, values: &[Canonical]) -> FlowTask {
    let read = |(parameter, value): (&onceflow_study::OpParameter, &Canonical)| FlowRead {
        name: parameter.name.clone(),
        kind: parameter.kind,
        from: ReadFrom::Constant(value.clone()),
    };
    FlowTask {
        name: spec.id.clone(),
        stage: 0,
        spec: spec.clone(),
        reads: spec.parameters.iter().zip(values).map(read).collect(),
        inputs: Vec::new(),
        outputs: Vec::new(),
        ends: Vec::new(),
        after: Vec::new(),
        made: TaskOrigin::Written,
    }
}

fn wrong(message: String) -> EngineError {
    EngineError::bad_input(Diagnostic::error(message))
}

#[cfg(test)]
mod tests {
    use onceflow_region::{Dense, Pixels};

    use super::*;

    #[test]
    fn an_operation_is_carried_out_alone() {
        let mask = Dense::new(4, 1, 1, Pixels::U8(vec![255, 255, 0, 255])).unwrap();
        let value = |name: &str, value: i64| (name.to_owned(), Value::Integer(value));
        let parameters = [value("from", 2), value("below", 10), value("connectivity", 8)];
        let run = |parameters: &[(String, Value)]| {
            apply_built_in("mask.area_filter", vec![Region::Dense(mask.clone())], parameters)
        };
        let done = run(&parameters).unwrap();
        assert_eq!(done.outputs[0].as_dense().unwrap().as_u8().unwrap(), [255, 255, 0, 0]);
        let said = run(&parameters[..2]).unwrap_err().to_string();
        assert!(said.contains("reads its `connectivity`"), "{said}");
    }
}
