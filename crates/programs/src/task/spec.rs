//! The specification of a program as an operation.

use onceflow_study::{
    Binding, BoundValue, Diagnostic, OpParameter, OpRegion, OpSpec, ParameterKind, ProgramCommand, Task,
    Value, Workflow,
};

/// The default cost of a pixel, in nanoseconds, until a run has measured it: most of it is the start of the program.
const COST: f64 = 100.0;

/// Bytes per pixel for the pixels of units as runs, and for finding them.
const UNIT_BYTES: u32 = 24;

/// The specification of a task's program, without its id.
pub(super) fn spec(
    workflow: &Workflow,
    task: &Task,
    command: &ProgramCommand,
    shares_memory: bool,
) -> Result<OpSpec, Box<Diagnostic>> {
    let declared = &command.declared;
    let mut spec = OpSpec::new("", command.command.join(" "), COST).sees(declared.halo);
    spec.inputs = regions(workflow, task, &task.inputs)?;
    spec.outputs = regions(workflow, task, &task.outputs)?;
    spec.output_bytes_per_pixel = spec.outputs.iter().map(|region| region.kind.bytes_per_pixel()).sum();
    spec.parameters = parameters(workflow, task)?;
    spec.scratch_bytes = declared.memory.unwrap_or(0);
    // Regions that are shared with a worker are copies.
    let given: u32 = spec.inputs.iter().map(|region| region.kind.bytes_per_pixel()).sum();
    if shares_memory {
        spec.scratch_bytes_per_pixel = given + spec.output_bytes_per_pixel;
    }
    if declared.per_object.is_some() || declared.per_tile.is_some() {
        // The inputs of a run are copies, and the outputs are put together beside those of the program.
        spec.scratch_bytes_per_pixel += given + spec.output_bytes_per_pixel + UNIT_BYTES;
    }
    spec.repeats = declared.repeats;
    spec.per_object.clone_from(&declared.per_object);
    spec.statuses.clone_from(&task.ends);
    Ok(spec)
}

fn regions(workflow: &Workflow, task: &Task, names: &[String]) -> Result<Vec<OpRegion>, Box<Diagnostic>> {
    let region = |name: &String| match workflow.region(name) {
        Some(region) => Ok(OpRegion { name: name.clone(), kind: region.kind }),
        None => Err(undeclared(task, "region", name)),
    };
    names.iter().map(region).collect()
}

/// A program reads a parameter as the workflow declares it, and a constant as it is written.
fn parameters(workflow: &Workflow, task: &Task) -> Result<Vec<OpParameter>, Box<Diagnostic>> {
    let parameter = |binding: &Binding| {
        let kind = match &binding.bound {
            BoundValue::Parameter(name) => {
                workflow.parameter(name).ok_or_else(|| undeclared(task, "parameter", name))?.kind
            }
            BoundValue::Constant(Value::Text(_)) => ParameterKind::Category,
            BoundValue::Constant(Value::Integer(_)) => ParameterKind::Integer,
            BoundValue::Constant(Value::Real(_)) => ParameterKind::Real,
        };
        Ok(OpParameter { name: binding.operation_parameter.clone(), kind })
    };
    task.reads.iter().map(parameter).collect()
}

fn undeclared(task: &Task, what: &str, name: &str) -> Box<Diagnostic> {
    let error = Diagnostic::error(format!("task `{}` names the {what} `{name}`", task.name));
    Box::new(error.expected_found(format!("a {what} that the workflow declares"), "none of that name"))
}
