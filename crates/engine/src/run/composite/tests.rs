//! Operations that are made of steps give what their steps give, for whatever they are given: with and without a table of
//! objects, step by step and as tasks in one.

use std::collections::HashMap;
use std::sync::Arc;

use onceflow_kernels::object_cache::ObjectCache;
use onceflow_nuclei::operation;
use onceflow_region::{Bounds, Budget, Dense, Pixels, Region};
use onceflow_reuse::{ChosenGrain, ContentDigest, Flow, FlowInput, TaskOrigin};
use onceflow_runtime::{Call, Done};
use onceflow_study::{
    Binding, BoundValue, Canonical, OpSpec, ParameterKind, RegionDeclaration, RegionKind, Stage, StageStep,
    Task, TaskOperation as Op, Value, Workflow,
};
use proptest::prelude::*;

use super::*;
use crate::open_image;
use crate::run::digests::DigestKeys;
use onceflow_nuclei::catalogue;

const WIDTH: usize = 60;
const HEIGHT: usize = 44;

/// A cache of a bounded number of bytes.
fn table(most: u64) -> Arc<ObjectCache> {
    Arc::new(ObjectCache::new(&Budget::new(u64::MAX), Budget::new(most)))
}

/// A workflow of one task.
fn alone(spec: &OpSpec) -> Flow {
    let mut task = Task::new("t", Op::BuiltIn(spec.id.clone()));
    task.inputs = spec.inputs.iter().map(|region| format!("in_{}", region.name)).collect();
    task.outputs = spec.outputs.iter().map(|region| region.name.clone()).collect();
    let bound = |name: &String| BoundValue::Parameter(name.clone());
    let read = |name: &String| Binding { operation_parameter: name.clone(), bound: bound(name) };
    task.reads = spec.parameters.iter().map(|parameter| read(&parameter.name)).collect();
    task.ends = spec.statuses.clone();
    let kinds = spec.inputs.iter().map(|region| (format!("in_{}", region.name), region.kind));
    let kinds = kinds.chain(spec.outputs.iter().map(|region| (region.name.clone(), region.kind)));
    let regions = kinds.map(|(name, kind)| RegionDeclaration { name, kind, place: None }).collect();
    let outputs = task.outputs.clone();
    let mut stage = Stage::new("s");
    stage.steps = vec![StageStep::Task(task)];
    let workflow = Workflow { regions, outputs, stages: vec![stage], ..Workflow::default() };
    let flow = Flow::new(&workflow, &catalogue()).unwrap();
    // What a row gives is one task's; here somebody else compares what the task makes.
    Flow { results: Vec::new(), ..flow }
}

/// What a flow of one part makes of its sources: the regions by name, and the status that ended it.
fn carried_out(
    flow: &Flow,
    sources: &HashMap<String, Arc<Region>>,
    values: &HashMap<String, Value>,
    seen: Option<&Arc<ObjectCache>>,
) -> (HashMap<String, Vec<u8>>, Option<String>) {
    let digests = Arc::new(DigestKeys::random().digests(Vec::new()));
    let mut made: HashMap<(usize, usize), Arc<Region>> = HashMap::new();
    let mut named = HashMap::new();
    for (at, task) in flow.tasks.iter().enumerate() {
        let of = |input: &FlowInput| match input {
            FlowInput::Source(source) => Arc::clone(&sources[&flow.sources[*source]]),
            FlowInput::Task { task, output } | FlowInput::Reference { task, output } => {
                Arc::clone(&made[&(*task, *output)])
            }
        };
        let inputs: Vec<Arc<Region>> = task.inputs.iter().map(of).collect();
        let contents: Vec<ContentDigest> = if seen.is_some() {
            inputs.iter().map(|region| digests.of(region)).collect()
        } else {
            Vec::new()
        };
        let value = |read: &onceflow_reuse::FlowRead| match &read.from {
            onceflow_reuse::ReadFrom::Parameter(name) => read.kind.canonical(&values[name]).unwrap(),
            onceflow_reuse::ReadFrom::Constant(value) => value.clone(),
        };
        let parameters: Vec<Canonical> = task.reads.iter().map(value).collect();
        let call = Call {
            inputs: &inputs,
            digests: &contents,
            wanted: true,
            parameters: &parameters,
            ..Call::default()
        };
        let Done { outputs, ended, .. } = bound(at, task, seen, &digests).run(&call).unwrap();
        if let Some(status) = ended.filter(|status| task.ends.contains(status)) {
            return (HashMap::new(), Some(status));
        }
        for (output, region) in outputs.into_iter().enumerate() {
            // What only steps see may be a table.
            let pixels = region.as_dense().and_then(Dense::as_u8).unwrap_or_default().to_vec();
            named.insert(task.outputs[output].name.clone(), pixels);
            made.insert((at, output), Arc::new(region));
        }
    }
    named.retain(|name, _| !name.contains('.'));
    (named, None)
}

fn bound(
    at: usize,
    task: &FlowTask,
    seen: Option<&Arc<ObjectCache>>,
    digests: &Arc<Digests>,
) -> Arc<dyn Operation> {
    let TaskOrigin::Fused(steps) = &task.made else { return operation(task, seen).unwrap() };
    let operations = steps.iter().map(|step| operation(&step.task, seen).unwrap()).collect();
    Arc::new(Composite::new(at, steps, operations, Some(Arc::clone(digests)), Arc::default()))
}

/// A region of a kind, as a seed says: tissue, grey noise, or blots.
fn region(kind: RegionKind, seed: u64) -> Region {
    let tissue = |seed: u64| {
        let source = open_image(&format!("synth:{WIDTH}x{HEIGHT}?seed={seed}"), "".as_ref()).unwrap();
        source.read(Bounds::plane(0, 0, WIDTH as u64, HEIGHT as u64).unwrap()).unwrap()
    };
    let mut state = seed | 1;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as u8
    };
    let grey = |pixels: Vec<u8>| Region::Dense(Dense::new(WIDTH, HEIGHT, 1, Pixels::U8(pixels)).unwrap());
    match kind {
        RegionKind::Rgb8 if seed.is_multiple_of(5) => {
            let glass = (0..WIDTH * HEIGHT * 3).map(|_| 240 + next() % 16).collect();
            Region::Dense(Dense::new(WIDTH, HEIGHT, 3, Pixels::U8(glass)).unwrap())
        }
        RegionKind::Rgb8 => Region::Dense(tissue(seed % 7)),
        RegionKind::Mask => {
            let red = tissue(seed % 7).as_u8().unwrap().iter().step_by(3).copied().collect::<Vec<u8>>();
            let limit = [0, 90, 140, 180, 255][seed as usize % 5];
            grey(red.into_iter().map(|value| if value < limit || next() > 250 { 255 } else { 0 }).collect())
        }
        _ => grey((0..WIDTH * HEIGHT).map(|_| next()).collect()),
    }
}

fn value(kind: ParameterKind, choice: u8) -> Value {
    match kind {
        ParameterKind::Connectivity => Value::Integer([4, 8][usize::from(choice % 2)]),
        ParameterKind::Real => Value::Real(f64::from(choice % 16) / 2.0),
        _ => Value::Integer([2, 11, 30, 80, 200, 230, 900, 2000][usize::from(choice % 8)]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn steps_give_the_bytes_of_the_whole(seeds in proptest::collection::vec(0u64..1000, 3), choices in proptest::collection::vec(any::<u8>(), 8)) {
        let catalogue = catalogue();
        for spec in catalogue.specs().filter(|spec| !spec.steps.is_empty()) {
            let flow = alone(spec);
            let source = |(place, input): (usize, &onceflow_study::OpRegion)| {
                (format!("in_{}", input.name), Arc::new(region(input.kind, seeds[place])))
            };
            let sources: HashMap<_, _> = spec.inputs.iter().enumerate().map(source).collect();
            let read = |(place, parameter): (usize, &onceflow_study::OpParameter)| {
                (parameter.name.clone(), value(parameter.kind, choices[place]))
            };
            let values: HashMap<_, _> = spec.parameters.iter().enumerate().map(read).collect();
            let whole = carried_out(&flow, &sources, &values, None);
            let split = flow.of_grain(&ChosenGrain { split: vec!["t".into()], fused: Vec::new() }, &catalogue);
            prop_assert_eq!(split.tasks.len(), spec.steps.len());
            let names: Vec<String> = split.tasks.iter().map(|task| task.name.clone()).collect();
            let fused = names.windows(2).map(|pair| pair.to_vec()).chain([names.clone()]);
            let grains = fused.map(|group| ChosenGrain { split: vec!["t".into()], fused: vec![group] });
            let flows: Vec<Flow> =
                std::iter::once(split).chain(grains.map(|chosen| flow.of_grain(&chosen, &catalogue))).collect();
            for flow in &flows {
                for seen in [None, Some(table(1 << 20))] {
                    let found = carried_out(flow, &sources, &values, seen.as_ref());
                    // What a fused task hands on inside is not seen.
                    let mut whole = whole.clone();
                    let is_fused = flow.tasks.len() < spec.steps.len();
                    whole.0.retain(|name, _| !is_fused || found.0.contains_key(name));
                    prop_assert!(!is_fused || whole.1.is_some() || !whole.0.is_empty());
                    prop_assert!(found == whole, "{} as {} tasks", spec.id, flow.tasks.len());
                }
            }
        }
    }
}
