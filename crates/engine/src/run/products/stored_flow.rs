//! A flow without the tasks that make the measured outputs: one task takes them from the store, and the others compare.

use onceflow_reuse::{Flow, FlowInput, FlowRead, FlowRegion, FlowStage, FlowTask, ReadFrom, TaskOrigin};
use onceflow_study::{Halo, OpRegion, OpSpec, Repeats, Scope};

use super::outputs::{MeasuredOutputs, MeasuredRegion};
use crate::open::compare;

/// The task that takes outputs from the store, and its operation.
const NAME: &str = "stored_outputs";
/// Its place.
pub(super) const TAKE: usize = 0;

/// The flow of the results of another flow; none where a result takes more than measured outputs and sources.
pub(super) fn stored_flow(flow: &Flow, outputs: &MeasuredOutputs) -> Option<Flow> {
    let mut tasks = vec![take_task(flow, outputs)?];
    for result in &flow.results {
        let own = &flow.tasks[*result];
        let inputs = own.inputs.iter().map(|input| moved(flow, outputs, input)).collect::<Option<_>>()?;
        tasks.push(FlowTask { stage: 1, inputs, after: Vec::new(), ..own.clone() });
    }
    let results: Vec<usize> = (1..tasks.len()).collect();
    let stages = vec![
        FlowStage { name: NAME.into(), scope: Scope::Part, tasks: vec![TAKE] },
        FlowStage { name: compare::STAGE.into(), scope: Scope::Part, tasks: results.clone() },
    ];
    Some(Flow { stages, tasks, sources: flow.sources.clone(), results })
}

fn moved(flow: &Flow, outputs: &MeasuredOutputs, input: &FlowInput) -> Option<FlowInput> {
    let place = |task: usize, output: usize| {
        let name = &flow.tasks[task].outputs[output].name;
        outputs.regions.iter().position(|region| region.name == *name)
    };
    Some(match *input {
        FlowInput::Source(source) => FlowInput::Source(source),
        FlowInput::Task { task, output } => FlowInput::Task { task: TAKE, output: place(task, output)? },
        FlowInput::Reference { task, output } => {
            FlowInput::Reference { task: TAKE, output: place(task, output)? }
        }
    })
}

/// It reads all parameters of the tasks that it stands for. It takes a source of its part, since outputs of two parts differ.
fn take_task(flow: &Flow, outputs: &MeasuredOutputs) -> Option<FlowTask> {
    let part = FlowInput::Source(flow.source(compare::COUNTED)?);
    let made = |region: &MeasuredRegion| {
        let FlowRegion { name, kind } = flow.tasks[region.task].outputs[region.output].clone();
        FlowRegion { name, kind }
    };
    Some(FlowTask {
        name: NAME.into(),
        stage: 0,
        spec: spec(flow, outputs),
        reads: reads(flow, outputs),
        inputs: vec![part],
        outputs: outputs.regions.iter().map(made).collect(),
        ends: outputs.ends.clone(),
        after: Vec::new(),
        made: TaskOrigin::Written,
    })
}

fn reads(flow: &Flow, outputs: &MeasuredOutputs) -> Vec<FlowRead> {
    let mut reads: Vec<FlowRead> = Vec::new();
    for task in outputs.regions.iter().flat_map(|region| flow.makers(region.task)) {
        for read in &flow.tasks[task].reads {
            let is_new = !reads.iter().any(|other| other.from == read.from && other.kind == read.kind);
            if matches!(read.from, ReadFrom::Parameter(_)) && is_new {
                reads.push(read.clone());
            }
        }
    }
    reads
}

/// A region is in memory twice while it is read: as bytes and as pixels.
fn spec(flow: &Flow, outputs: &MeasuredOutputs) -> OpSpec {
    let of = |region: &MeasuredRegion| flow.tasks[region.task].spec.output_bytes_per_pixel;
    let bytes = outputs.regions.iter().map(of).sum();
    let region = |region: &MeasuredRegion| OpRegion {
        name: region.name.clone(),
        kind: flow.tasks[region.task].outputs[region.output].kind,
    };
    OpSpec {
        id: NAME.into(),
        version: 1,
        about: "takes the outputs of rows from the store of results".into(),
        parameters: Vec::new(),
        inputs: Vec::new(),
        outputs: outputs.regions.iter().map(region).collect(),
        halo: Halo::default(),
        output_bytes_per_pixel: bytes,
        scratch_bytes_per_pixel: 2 * bytes,
        scratch_bytes: 1 << 16,
        cost_ns_per_pixel: 1.0,
        repeats: Repeats::Exact,
        per_object: None,
        statuses: outputs.ends.clone(),
        largest: None,
        steps: Vec::new(),
    }
}
