//! The grain that is chosen against all grains that there are, on flows small enough to look at each.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use onceflow_reuse::{
    ChosenGrain, Flow, FlowInput, FlowTask, Grain, Granularity, Level, Multiplicity, ParameterRows, Prices,
    grain, plan,
};
use onceflow_study::{
    Binding, BoundValue, Catalogue, OpSpec, OpStep, ParameterKind, RegionKind, Stage, StageStep, Task,
    TaskOperation, Value, Workflow,
};
use proptest::prelude::*;

const PARAMETERS: [&str; 4] = ["a", "b", "c", "d"];

/// A task: its stage, the parameters it reads, whether it takes what came just before or earlier, whether it is made of steps, what
/// it costs, and whether it may end its stage.
type Draft = (bool, Vec<usize>, Vec<usize>, bool, f64, bool);

#[derive(Clone, Debug)]
struct Case {
    workflow: Workflow,
    catalogue: Catalogue,
    rows: ParameterRows,
    bookkeeping: f64,
    level: Level,
}

fn case() -> impl Strategy<Value = Case> {
    let draft = (
        prop::bool::weighted(0.2),
        proptest::collection::vec(0usize..4, 0..4),
        proptest::collection::vec(0usize..3, 0..2),
        any::<bool>(),
        0.01f64..10.0,
        prop::bool::weighted(0.2),
    );
    let drafts = proptest::collection::vec(draft, 1..5);
    let rows = proptest::collection::vec(proptest::collection::vec(0i64..3, 4), 1..20);
    let level = prop_oneof![Just(Level::Dataflow), Just(Level::Object)];
    (drafts, rows, 0.0f64..3.0, level).prop_map(|(drafts, rows, bookkeeping, level)| {
        let (workflow, catalogue) = workflow(&drafts);
        let mut set = ParameterRows::new(PARAMETERS.map(str::to_owned).to_vec());
        for row in rows {
            set.push(&row.into_iter().map(Value::Integer).collect::<Vec<_>>()).unwrap();
        }
        Case { workflow, catalogue, rows: set, bookkeeping, level }
    })
}

fn workflow(drafts: &[Draft]) -> (Workflow, Catalogue) {
    let mut workflow = Workflow { stages: vec![Stage::new("s")], ..Workflow::default() };
    let mut specs = Vec::new();
    for (at, (breaks, reads, earlier, whole, cost, ends)) in drafts.iter().enumerate() {
        if *breaks && at > 0 {
            workflow.stages.push(Stage::new(format!("s{at}")));
        }
        let mut reads: Vec<&str> = reads.iter().map(|place| PARAMETERS[*place]).collect();
        reads.sort_unstable();
        reads.dedup();
        let mut inputs = vec![made(at, 1)];
        inputs.extend(earlier.iter().map(|back| made(at, back + 1)));
        inputs.dedup();
        let mut task = Task::new(format!("t{at}"), TaskOperation::BuiltIn(format!("op{at}")));
        task.reads = reads.iter().map(|name| bound(name)).collect();
        task.outputs = vec![format!("r{at}")];
        task.ends = if *ends { vec!["over".into()] } else { Vec::new() };
        specs.extend(operations(at, &reads, &inputs, *whole, *cost, *ends));
        task.inputs = inputs;
        workflow.stages.last_mut().unwrap().steps.push(StageStep::Task(task));
    }
    (workflow, Catalogue::new(specs))
}

fn made(at: usize, back: usize) -> String {
    at.checked_sub(back).map_or("image".into(), |before| format!("r{before}"))
}

fn bound(name: &str) -> Binding {
    Binding { operation_parameter: name.into(), bound: BoundValue::Parameter(name.into()) }
}

/// The operation, and where it is made of steps those: the first reads one half and takes all, the second the other half.
fn operations(
    at: usize,
    reads: &[&str],
    inputs: &[String],
    whole: bool,
    cost: f64,
    ends: bool,
) -> Vec<OpSpec> {
    let names: Vec<String> = (0..inputs.len()).map(|place| format!("in{place}")).collect();
    let taken: Vec<(&str, RegionKind)> = names.iter().map(|name| (name.as_str(), RegionKind::Mask)).collect();
    let kinds =
        |reads: &[&'static str]| reads.iter().map(|name| (*name, ParameterKind::Integer)).collect::<Vec<_>>();
    let reads: Vec<&'static str> = PARAMETERS.into_iter().filter(|name| reads.contains(name)).collect();
    let status: &[&str] = if ends { &["over"] } else { &[] };
    let spec = |id: &str, cost| OpSpec::new(id, "a test", cost).makes(&[("out", RegionKind::Mask)]);
    let own = spec(&format!("op{at}"), cost).takes(&taken).reads(&kinds(&reads)).may_end(status);
    if !whole {
        return vec![own];
    }
    let (first, second) = reads.split_at(reads.len() / 2);
    let inputs: Vec<&str> = names.iter().map(String::as_str).collect();
    let steps = [
        OpStep::new("x", format!("x{at}")).takes(&inputs).reads(first).makes(&["inner"]),
        OpStep::new("y", format!("y{at}")).takes(&["inner"]).reads(second).makes(&["out"]),
    ];
    let x = spec(&format!("x{at}"), cost * 0.7).takes(&taken).reads(&kinds(first));
    let y = spec(&format!("y{at}"), cost * 0.4).takes(&[("in", RegionKind::Mask)]).reads(&kinds(second));
    vec![own.made_of(steps), x, y.may_end(status)]
}

const MANY: Multiplicity = Multiplicity { parts: 3, images: 1 };
const DUPLICATES: f64 = 0.1;

fn chosen(case: &Case, flow: &Flow, granularity: Granularity) -> Grain {
    let prices = Prices {
        seconds: &|task, _| task.spec.cost_ns_per_pixel,
        bookkeeping: &|_, _| case.bookkeeping,
        duplicates: DUPLICATES,
        many: MANY,
        alone: &|_| false,
        seen: &[],
    };
    grain(flow, &case.catalogue, &case.rows, case.level, granularity, &prices).unwrap()
}

/// What a grain costs by its definition: the flow is rewritten and planned, and its nodes are counted.
fn cost(case: &Case, flow: &Flow, chosen: &ChosenGrain) -> f64 {
    let shares = shares(case, flow);
    let plan = plan(flow.of_grain(chosen, &case.catalogue), &case.rows, case.level).unwrap();
    plan.verify().unwrap();
    let account = plan.account();
    let of = |(task, entry): (&FlowTask, &onceflow_reuse::TaskAccount)| {
        let each: f64 = task.parts().iter().map(|part| part.spec.cost_ns_per_pixel).sum();
        let share = task.parts().iter().map(|part| shares[part.written()]).fold(0.0, f64::max);
        (1.0 + (entry.planned - 1) as f64 * share) * (each + case.bookkeeping)
    };
    MANY.parts as f64 * plan.flow().tasks.iter().zip(&account.tasks).map(of).sum::<f64>()
}

fn shares(case: &Case, split: &Flow) -> BTreeMap<String, f64> {
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for task in &split.tasks {
        let makers = task.inputs.iter().filter_map(|input| match input {
            FlowInput::Task { task, .. } => Some(shares[&split.tasks[*task].name]),
            _ => None,
        });
        let duplicates = if case.level >= Level::Convergent { DUPLICATES } else { 0.0 };
        let share = makers.reduce(f64::min).map_or(1.0, |least| least * (1.0 - duplicates));
        shares.insert(task.name.clone(), share);
    }
    shares
}

/// Every choice of splits, and of every split flow every choice of neighbours that can be one.
fn all(case: &Case, flow: &Flow) -> Vec<ChosenGrain> {
    let names: Vec<String> =
        flow.tasks.iter().filter(|t| !t.spec.steps.is_empty()).map(|t| t.name.clone()).collect();
    let mut found = Vec::new();
    for splits in 0..1usize << names.len() {
        let split: Vec<String> =
            (0..names.len()).filter(|at| splits >> at & 1 == 1).map(|at| names[at].clone()).collect();
        let flow = flow.of_grain(&ChosenGrain { split: split.clone(), fused: Vec::new() }, &case.catalogue);
        let pairs = pairs(&flow);
        for joined in 0..1usize << pairs.len() {
            let chosen: Vec<_> =
                (0..pairs.len()).filter(|at| joined >> at & 1 == 1).map(|at| pairs[at]).collect();
            found.push(ChosenGrain { split: split.clone(), fused: groups(&flow, &chosen) });
        }
    }
    found
}

/// Tasks next to each other in a stage of which the second is the only one to read the first.
fn pairs(flow: &Flow) -> Vec<(usize, usize)> {
    let readers = |task: usize| -> Vec<usize> {
        let reads = |other: &usize| flow.tasks[*other].inputs.iter().any(|input| input.maker() == Some(task));
        (0..flow.tasks.len()).filter(reads).collect()
    };
    let neighbours =
        flow.stages.iter().flat_map(|stage| stage.tasks.windows(2)).map(|pair| (pair[0], pair[1]));
    neighbours.filter(|(one, other)| readers(*one) == [*other] && !flow.results.contains(one)).collect()
}

fn groups(flow: &Flow, joined: &[(usize, usize)]) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (one, other) in joined {
        match groups.iter_mut().find(|group| group.last() == Some(one)) {
            Some(group) => group.push(*other),
            None => groups.push(vec![*one, *other]),
        }
    }
    let name = |task: &usize| flow.tasks[*task].name.clone();
    groups.iter().map(|group| group.iter().map(name).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_grain_is_cheaper_than_the_chosen_one_by_more_than_is_worth_a_change(case in case()) {
        let flow = Flow::new(&case.workflow, &case.catalogue).unwrap();
        let found = chosen(&case, &flow, Granularity::Auto);
        let (written, own) = (cost(&case, &flow, &ChosenGrain::default()), cost(&case, &flow, &found.chosen));
        prop_assert!((found.seconds.0 - written).abs() <= 1e-9 * written);
        prop_assert!((found.seconds.1 - own).abs() <= 1e-9 * written, "{} {own}", found.seconds.1);
        prop_assert!(own <= written * (1.0 + 1e-12), "never worse");
        let least = all(&case, &flow).iter().map(|other| cost(&case, &flow, other)).fold(f64::MAX, f64::min);
        // Each task is in one change at most, and a change is left out when it saves less than a hundredth.
        let bound = least + 0.01 * written * flow.tasks.len() as f64;
        prop_assert!(own <= bound + 1e-9 * written, "{own} with {:?}, least {least} of {written}", found.chosen);
    }

    #[test]
    fn extremes_change_all_they_can_and_say_so(case in case()) {
        let flow = Flow::new(&case.workflow, &case.catalogue).unwrap();
        prop_assert_eq!(&chosen(&case, &flow, Granularity::Written).flow, &flow);
        let split = chosen(&case, &flow, Granularity::Split);
        let wholes = flow.tasks.iter().filter(|task| !task.spec.steps.is_empty()).count();
        prop_assert_eq!(split.flow.tasks.len(), flow.tasks.len() + wholes);
        prop_assert_eq!(split.changes.len(), wholes);
        let fused = chosen(&case, &flow, Granularity::Fused);
        prop_assert_eq!(fused.flow.tasks.len(), flow.tasks.len() - pairs(&flow).len());
        for found in [split, fused] {
            prop_assert_eq!(found.flow.results.len(), flow.results.len());
            let outputs = |flow: &Flow| {
                flow.results.iter().map(|task| flow.tasks[*task].outputs.clone()).collect::<Vec<_>>()
            };
            prop_assert_eq!(outputs(&found.flow), outputs(&flow));
            for level in Level::PLANNED {
                plan(found.flow.clone(), &case.rows, level).unwrap().verify().unwrap();
            }
            let own = cost(&case, &flow, &found.chosen);
            prop_assert!((found.seconds.1 - own).abs() <= 1e-9 * own);
        }
    }
}
