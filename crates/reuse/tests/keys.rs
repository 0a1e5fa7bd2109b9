//! Static keys: their form is fixed, and nothing but content is in them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use onceflow_reuse::{
    Flow, FlowInput, FlowRead, FlowRegion, FlowStage, FlowTask, Level, NodeId, ParameterRows, Plan, ReadFrom,
    TaskKey, plan,
};
use onceflow_study::{Canonical, OpSpec, ParameterKind, RegionKind, Scope, Value};

/// A task of the given operation with constant words to read.
fn task(stage: usize, operation: &str, words: &[&str], inputs: &[FlowInput]) -> FlowTask {
    let read = |word: &&str| FlowRead {
        name: "word".into(),
        kind: ParameterKind::Category,
        from: ReadFrom::Constant(Canonical::Text((*word).into())),
    };
    FlowTask {
        name: format!("{operation} {words:?}"),
        stage,
        spec: OpSpec::new(operation, "a test", 1.0),
        reads: words.iter().map(read).collect(),
        inputs: inputs.to_vec(),
        outputs: vec![region("made", RegionKind::Mask), region("also", RegionKind::U8)],
        ends: Vec::new(),
        after: Vec::new(),
        made: onceflow_reuse::TaskOrigin::Written,
    }
}

fn region(name: &str, kind: RegionKind) -> FlowRegion {
    FlowRegion { name: name.into(), kind }
}

/// One row of these tasks, each a stage of its own.
fn planned(tasks: Vec<FlowTask>) -> Plan {
    let stage = |at: usize| FlowStage { name: format!("s{at}"), scope: Scope::Part, tasks: vec![at] };
    let stages = (0..tasks.len()).map(stage).collect();
    let flow = Flow { stages, tasks, sources: vec!["image".into(), "truth".into()], results: Vec::new() };
    let mut rows = ParameterRows::new(vec!["p".into()]);
    rows.push(&[Value::Real(0.5)]).unwrap();
    plan(flow, &rows, Level::Dataflow).unwrap()
}

fn digest(source: usize, scope: Scope) -> [u8; 32] {
    [source as u8 + 16 * scope as u8; 32]
}

fn key(plan: &Plan, node: u32) -> TaskKey {
    plan.key(NodeId(node), &digest)
}

#[test]
fn the_form_is_pinned() {
    let mut first = task(0, "nuclei.grow", &["a"], &[FlowInput::Source(0)]);
    first.reads.push(FlowRead {
        name: "p".into(),
        kind: ParameterKind::Real,
        from: ReadFrom::Parameter("p".into()),
    });
    first.reads.push(FlowRead {
        name: "i".into(),
        kind: ParameterKind::Integer,
        from: ReadFrom::Constant(Canonical::Integer(-3)),
    });
    first.reads.push(FlowRead {
        name: "c".into(),
        kind: ParameterKind::Connectivity,
        from: ReadFrom::Constant(Canonical::Connectivity8(true)),
    });
    let second = task(1, "x", &[], &[FlowInput::Task { task: 0, output: 1 }, FlowInput::Source(1)]);
    let mut plan = planned(vec![first, second]);
    // A change here means that products of earlier runs are lost: raise the number in the form's name with it.
    let keys = [key(&plan, 0), key(&plan, 1)].map(|key| key.to_string());
    let diverted = plan.divert(0, &[0], &[])[0].1;
    let pinned = [
        "a9b30c7276653dc67f565407eb4d7310516e6b0e7234d8891c47e82d967b2c8d",
        "03fe86f4b2b46ac8b6ac74ad5bfc1b3a132686d5c4196eb4f0891425f696976e",
        "ac8288aef65cc0acc0b2c9202cfbaaf0bc1f55abda1ca4aa9a52185c29ae49ee",
    ];
    assert_eq!([&keys[..], &[plan.key(diverted, &digest).to_string()]].concat(), pinned);
}

/// Written here by hand, from the description of the form.
#[test]
fn the_form_is_what_it_says() {
    let plan = planned(vec![task(0, "op", &["ab"], &[FlowInput::Source(1)])]);
    let mut bytes = Vec::new();
    let number = |n: u64| n.to_le_bytes().to_vec();
    let fields: [Vec<u8>; 8] = [
        b"onceflow static key 1".to_vec(),
        b"op".to_vec(),
        number(1),
        number(1),
        b"text".to_vec(),
        b"ab".to_vec(),
        number(1),
        b"source".to_vec(),
    ];
    for field in fields.iter().chain([&digest(1, Scope::Part).to_vec()]) {
        bytes.extend((field.len() as u64).to_le_bytes());
        bytes.extend(field);
    }
    assert_eq!(key(&plan, 0), TaskKey(*blake3::hash(&bytes).as_bytes()));
}

#[test]
fn fields_do_not_run_into_each_other() {
    let of = |words: &[&str]| key(&planned(vec![task(0, "op", words, &[])]), 0);
    let keys =
        [of(&["ab", "c"]), of(&["a", "bc"]), of(&["abc"]), of(&["abc", ""]), of(&["", "abc"]), of(&[])];
    let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len());
    let name = |operation: &str, word: &str| key(&planned(vec![task(0, operation, &[word], &[])]), 0);
    assert_ne!(name("op", "x"), name("opx", ""));
}

#[test]
fn names_and_places_are_not_in_a_key_but_everything_that_matters_is() {
    let image = [FlowInput::Source(0)];
    let mut other = task(1, "op", &["a"], &image);
    other.name = "another name".into();
    let plan = planned(vec![task(0, "op", &["a"], &image), other]);
    assert_eq!(key(&plan, 0), key(&plan, 1), "one operation on one input, wherever it stands");
    let mut newer = task(0, "op", &["a"], &image);
    newer.spec.version = 2;
    let from = |output| {
        let second = task(1, "op", &[], &[FlowInput::Task { task: 0, output }]);
        key(&planned(vec![task(0, "op", &["a"], &image), second]), 1)
    };
    assert_ne!(key(&plan, 0), key(&planned(vec![newer]), 0), "the version");
    assert_ne!(
        key(&plan, 0),
        key(&planned(vec![task(0, "op", &["a"], &[FlowInput::Source(1)])]), 0),
        "the source"
    );
    assert_ne!(from(0), from(1), "the output");
    assert_ne!(key(&plan, 0), plan.key(NodeId(0), &|_, _| [9; 32]), "the contents");
}

#[test]
fn a_source_is_seen_as_widely_as_its_task() {
    let narrow = planned(vec![task(0, "op", &[], &[FlowInput::Source(0)])]);
    let mut flow = narrow.flow().clone();
    flow.stages[0].scope = Scope::Image;
    let mut rows = ParameterRows::new(vec!["p".into()]);
    rows.push(&[Value::Real(0.5)]).unwrap();
    let wide = plan(flow, &rows, Level::Dataflow).unwrap();
    assert_ne!(key(&narrow, 0), key(&wide, 0));
}
