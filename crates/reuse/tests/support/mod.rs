//! Random workflows and rows, and what equal work means, said again in strings.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

pub mod oracle;

use onceflow_reuse::{Flow, ParameterRows};
use onceflow_study::{
    Binding, BoundValue, Catalogue, OpSpec, ParameterKind, RegionDeclaration, RegionKind, Repeats, Stage,
    StageStep, Task, TaskOperation, Value, Workflow,
};
use proptest::prelude::*;

/// The parameters of random workflows and the ways in which tasks read them.
pub const PARAMETERS: [(&str, &[ParameterKind]); 4] = [
    ("a", &[ParameterKind::Real, ParameterKind::Integer, ParameterKind::Connectivity]),
    ("b", &[ParameterKind::Real, ParameterKind::Integer]),
    ("c", &[ParameterKind::Connectivity]),
    ("d", &[ParameterKind::Category]),
];

/// Numbers of which some are one when they are cut, or read as a connectivity.
const NUMBERS: [f64; 5] = [4.0, 4.5, 8.0, 8.5, 0.0];

/// A random task: everything in it is a choice that the workflow so far narrows down.
#[derive(Clone, Debug)]
pub struct Draft {
    stage: usize,
    reads: Vec<(usize, usize)>,
    inputs: Vec<(usize, bool)>,
    outputs: usize,
    constant: bool,
    ends: bool,
    never: bool,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub flow: Flow,
    pub rows: ParameterRows,
    pub values: Vec<Vec<Value>>,
}

pub fn case() -> impl Strategy<Value = Case> {
    let drafts = proptest::collection::vec(draft(), 1..10);
    let rows = proptest::collection::vec(proptest::collection::vec(0usize..5, 4), 0..14);
    (drafts, rows, any::<proptest::sample::Index>(), 0..4u8, any::<u64>()).prop_map(
        |(drafts, rows, reference, has_reference, shuffle)| {
            let values: Vec<Vec<Value>> = rows.iter().map(|row| row_values(row)).collect();
            let mut set = make_rows(&values);
            if has_reference > 0 && !values.is_empty() {
                set.reference = Some(reference.index(values.len()));
            }
            let (workflow, catalogue) = workflow(&drafts, shuffle);
            let flow = Flow::new(&workflow, &catalogue).unwrap_or_else(|error| panic!("{error}"));
            Case { flow, rows: set, values }
        },
    )
}

pub fn make_rows(values: &[Vec<Value>]) -> ParameterRows {
    let mut rows = ParameterRows::new(PARAMETERS.iter().map(|(name, _)| (*name).to_owned()).collect());
    for row in values {
        rows.push(row).unwrap();
    }
    rows
}

fn row_values(choices: &[usize]) -> Vec<Value> {
    let value = |(choice, (_, kinds)): (&usize, &(&str, &[ParameterKind]))| match kinds[0] {
        ParameterKind::Category => Value::Text(["x", "y", "x y", "", "xy"][*choice].into()),
        _ => Value::Real(NUMBERS[*choice]),
    };
    choices.iter().zip(&PARAMETERS).map(value).collect()
}

fn draft() -> impl Strategy<Value = Draft> {
    let reads = proptest::collection::vec((0usize..4, 0usize..3), 0..3);
    let inputs = proptest::collection::vec((0usize..64, prop::bool::weighted(0.15)), 0..4);
    let flags = (prop::bool::weighted(0.2), prop::bool::weighted(0.3), prop::bool::weighted(0.1));
    (0usize..3, reads, inputs, 0usize..3, flags).prop_map(
        |(stage, reads, inputs, outputs, (constant, ends, never))| Draft {
            stage,
            reads,
            inputs,
            outputs,
            constant,
            ends,
            never,
        },
    )
}

/// Stages in their order, tasks in theirs; a task takes of what came before. The declared order is shuffled.
fn workflow(drafts: &[Draft], shuffle: u64) -> (Workflow, Catalogue) {
    let mut drafts = drafts.to_vec();
    drafts.sort_by_key(|draft| draft.stage);
    let mut workflow = Workflow { name: "random".into(), ..Workflow::default() };
    let mut specs = Vec::new();
    let mut regions = vec![(None, "image".to_owned()), (None, "truth".to_owned())];
    for (at, draft) in drafts.iter().enumerate() {
        let (task, spec) = task(at, draft, &regions);
        regions.extend(task.outputs.iter().map(|region| (Some(draft.stage), region.clone())));
        let name = format!("s{}", draft.stage);
        if workflow.stages.last().is_none_or(|stage| stage.name != name) {
            workflow.stages.push(Stage::new(name));
        }
        workflow.stages.last_mut().unwrap().steps.push(StageStep::Task(task));
        specs.push(spec);
    }
    let declare = |(_, name): &(Option<usize>, String)| RegionDeclaration {
        name: name.clone(),
        kind: RegionKind::Mask,
        place: None,
    };
    workflow.regions = regions.iter().map(declare).collect();
    let steps = workflow.stages.iter_mut().map(|stage| &mut stage.steps);
    for steps in steps {
        let turn = shuffle as usize % steps.len();
        steps.rotate_left(turn);
    }
    let turn = (shuffle >> 32) as usize % workflow.stages.len();
    workflow.stages.rotate_left(turn);
    (workflow, Catalogue::new(specs))
}

fn task(at: usize, draft: &Draft, regions: &[(Option<usize>, String)]) -> (Task, OpSpec) {
    let mut task = Task::new(format!("t{at}"), TaskOperation::BuiltIn(format!("op{at}")));
    let mut spec = OpSpec::new(format!("op{at}"), "random", 1.0 + at as f64);
    spec.repeats = if draft.never { Repeats::Never } else { Repeats::Exact };
    for (number, (parameter, kind)) in draft.reads.iter().enumerate() {
        let (name, kinds) = PARAMETERS[*parameter];
        let own = format!("r{number}");
        spec = spec.reads(&[(&own, kinds[kind % kinds.len()])]);
        task.reads.push(Binding { operation_parameter: own, bound: BoundValue::Parameter(name.into()) });
    }
    if draft.constant {
        spec = spec.reads(&[("k", ParameterKind::Integer)]);
        task.reads.push(Binding {
            operation_parameter: "k".into(),
            bound: BoundValue::Constant(Value::Integer(7)),
        });
    }
    for (choice, of_reference) in &draft.inputs {
        let (maker, region) = &regions[choice % regions.len()];
        // A stage takes nothing of itself in the reference row.
        let suffix = if *of_reference && *maker != Some(draft.stage) { "@reference" } else { "" };
        task.inputs.push(format!("{region}{suffix}"));
        spec = spec.takes(&[("in", RegionKind::Mask)]);
    }
    for output in 0..draft.outputs {
        task.outputs.push(format!("t{at}o{output}"));
        spec = spec.makes(&[("out", RegionKind::Mask)]);
    }
    if draft.ends {
        spec = spec.may_end(&["ended"]);
        task.ends.push("ended".into());
    }
    (task, spec)
}
