//! A workflow becomes a flow, or says why not; and what reference rows and early ends do to a plan.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use onceflow_reuse::{Flow, FlowError, FlowInput, Level, NodeInput, ParameterRows, PlanError, plan};
use onceflow_study::{
    Catalogue, OpSpec, RegionKind, Scope, SourceText, StageStep, Value, read_workflow, shipped_ranges,
    shipped_workflow,
};

/// The shipped workflow with a stage behind it that compares with truth and with the reference row.
fn compared() -> (String, Catalogue) {
    let text = shipped_workflow("nuclei").unwrap().text.clone();
    let stage = r#"{ "stage": "compare", "in": ["nuclei", "truth", "nuclei_of_reference"], "out": ["dice", "change"], "tasks": [
        { "task": "change", "op": "test.compare", "in": ["nuclei", "nuclei_of_reference"], "out": ["change"] },
        { "task": "dice", "op": "test.compare", "in": ["nuclei", "truth"], "out": ["dice"] } ] }"#;
    let text = text.replace("] }\n  ],\n  \"outputs\"", &format!("] }},\n {stage} ],\n  \"outputs\""));
    let text = text.replace(
        r#""nuclei": "mask"
"#,
        r#""nuclei": "mask", "truth": "mask", "nuclei_of_reference": "mask", "dice": "table", "change": "table"
"#,
    );
    let compare = OpSpec::new("test.compare", "two masks", 1.0)
        .takes(&[("a", RegionKind::Mask), ("b", RegionKind::Mask)])
        .makes(&[("metrics", RegionKind::Table)]);
    (text, Catalogue::new(Catalogue::nuclei().specs().cloned().chain([compare])))
}

/// A descriptor cannot name regions of the reference row; a workflow made by a program can.
fn flow(text: &str, catalogue: &Catalogue) -> Result<Flow, FlowError> {
    let workflow = read_workflow(&SourceText::new("w.json", text));
    let mut workflow = workflow.unwrap_or_else(|messages| panic!("{messages}"));
    for step in workflow.stages.iter_mut().flat_map(|stage| &mut stage.steps) {
        let StageStep::Task(task) = step else { panic!("nothing is nested") };
        for region in &mut task.inputs {
            *region = region.replace("_of_reference", "@reference");
        }
    }
    Flow::new(&workflow, catalogue)
}

fn rows(changes: &[&[(&str, f64)]]) -> ParameterRows {
    let names: Vec<String> = shipped_ranges().iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut rows = ParameterRows::new(names.clone());
    for change in changes {
        let value = |name: &String| {
            change
                .iter()
                .find(|(changed, _)| changed == name)
                .map_or(Value::Integer(8), |(_, x)| Value::Real(*x))
        };
        rows.push(&names.iter().map(value).collect::<Vec<_>>()).unwrap();
    }
    rows
}

#[test]
fn the_shipped_workflow_as_a_flow() {
    let flow = flow(&shipped_workflow("nuclei").unwrap().text, &Catalogue::nuclei()).unwrap();
    let names: Vec<_> = flow.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names.join(" "), "statistics normalize background t1 t2 t3 t4 t5 t6_grow t6_flood t7");
    assert_eq!(flow.sources, ["image"]);
    assert_eq!(flow.results, [10]);
    assert_eq!((flow.scope(0), flow.scope(1)), (Scope::Image, Scope::Part));
    let t5 = &flow.tasks[flow.task("t5").unwrap()];
    let of = |name: &str, output| FlowInput::Task { task: flow.task(name).unwrap(), output };
    assert_eq!(t5.inputs, [of("t3", 0), of("t4", 0), of("t1", 0)]);
    assert_eq!(flow.parameters().len(), 15);
}

#[test]
fn results_are_what_the_last_stage_gives() {
    let (text, catalogue) = compared();
    let flow = flow(&text, &catalogue).unwrap();
    let results: Vec<_> = flow.results.iter().map(|task| flow.tasks[*task].name.as_str()).collect();
    assert_eq!(results, ["change", "dice"]);
    assert_eq!(flow.sources, ["image", "nuclei@reference", "truth"]);
    let t7 = flow.task("t7").unwrap();
    assert_eq!(flow.tasks[11].inputs[1], FlowInput::Reference { task: t7, output: 0 });
}

#[test]
fn every_row_takes_the_reference_row_s_region_or_the_source_that_stands_for_it() {
    let (text, catalogue) = compared();
    let flow = flow(&text, &catalogue).unwrap();
    let (t7, change) = (flow.task("t7").unwrap(), flow.task("change").unwrap());
    let mut rows = rows(&[&[("G2", 1.0)], &[("G2", 2.0)], &[("G2", 3.0)]]);
    let without = plan(flow.clone(), &rows, Level::Dataflow).unwrap();
    assert_eq!(without.spelled(without.node(0, change)).inputs[1], NodeInput::Source(1));
    rows.reference = Some(1);
    let with = plan(flow, &rows, Level::Dataflow).unwrap();
    for row in 0..3 {
        let taken = with.spelled(with.node(row, change)).inputs[1];
        assert_eq!(taken, NodeInput::Node { node: with.node(1, t7), output: 0 });
    }
    assert_eq!(with.order()[0], 1);
}

#[test]
fn rows_that_ended_alike_are_compared_once() {
    let (text, catalogue) = compared();
    let flow = flow(&text, &catalogue).unwrap();
    let (segment, change, dice) = (2, flow.task("change").unwrap(), flow.task("dice").unwrap());
    let mut rows = rows(&[&[], &[("G2", 2.0)], &[("G1", 3.0)]]);
    rows.reference = Some(0);
    for level in [Level::Task, Level::Dataflow] {
        let mut plan = plan(flow.clone(), &rows, level).unwrap();
        let first = plan.divert(1, &[segment], &[]);
        assert_eq!(first.iter().map(|(task, _)| *task).collect::<Vec<_>>(), [change, dice]);
        assert_eq!(plan.divert(2, &[segment], &[]), first, "both compare nothing with the reference");
        let empty = NodeInput::Empty { kind: RegionKind::Mask };
        assert_eq!(plan.spelled(first[0].1).inputs[0], empty);
        let reference_ended = plan.divert(1, &[], &[segment]);
        assert_eq!(plan.spelled(reference_ended[0].1).inputs[1], empty);
        if level == Level::Dataflow {
            assert_eq!(reference_ended.len(), 1, "dice does not take from the reference row");
        }
        assert!(plan.divert(1, &[], &[]).is_empty());
    }
}

#[test]
fn what_cannot_be_planned_says_why() {
    let (text, catalogue) = compared();
    let said = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        flow(&text.replace(from, to), &catalogue).unwrap_err().to_string()
    };
    let mistakes = [
        (r#""op": "nuclei.grow""#, r#""op": "nuclei.growth""#),
        (r#""op": "nuclei.grow""#, r#""op": { "command": ["grow"] }"#),
        (r#""in": ["rc", "rc_recon"]"#, r#""in": ["rc"]"#),
        (r#""reads": ["T1", "T2"]"#, r#""reads": ["T1"]"#),
        (r#""connectivity": 8 }"#, r#""connectivity": { "value": "eight" } }"#),
        (r#""reads": ["G2"]"#, r#""after": ["t44"], "reads": ["G2"]"#),
        (r#""out": ["big"]"#, r#""out": ["bw1_t"]"#),
        (
            r#""task": "t1", "op": "nuclei.red_blood_cells","#,
            r#""task": "t2", "op": "nuclei.red_blood_cells", "after": ["t2"],"#,
        ),
        (
            r#""in": ["normalized"], "reads": ["T1", "T2"]"#,
            r#""in": ["normalized"], "after": ["t5"], "reads": ["T1", "T2"]"#,
        ),
        (r#""stage": "segment""#, r#""stage": "segment", "scope": "image""#),
        (r#""in": ["seg_nonoverlap"]"#, r#""in": ["big_of_reference"]"#),
        (
            r#""op": "colour.statistics", "in": ["image"]"#,
            r#""op": "colour.statistics", "in": ["nuclei_of_reference"]"#,
        ),
    ];
    let told: Vec<_> = mistakes.iter().map(|(from, to)| said(from, to)).collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn rows_that_cannot_be_planned_say_why() {
    let flow = flow(&shipped_workflow("nuclei").unwrap().text, &Catalogue::nuclei()).unwrap();
    let error = plan(flow.clone(), &ParameterRows::new(vec!["G1".into()]), Level::None).unwrap_err();
    assert!(
        matches!(&error, PlanError::MissingParameter { parameter, .. } if parameter == "blue"),
        "{error}"
    );
    let mut bad = rows(&[&[], &[("T1", f64::NAN)]]);
    let error = plan(flow.clone(), &bad, Level::None).unwrap_err();
    assert!(matches!(&error, PlanError::WrongKind { row: 1, kind: "real", .. }), "{error}");
    bad = rows(&[&[]]);
    bad.reference = Some(1);
    let error = plan(flow.clone(), &bad, Level::None).unwrap_err();
    assert_eq!(error, PlanError::NoSuchReference { reference: 1, rows: 1 });
    let mut broken = flow;
    broken.tasks.swap(3, 7);
    assert!(matches!(plan(broken, &rows(&[&[]]), Level::None), Err(PlanError::BrokenFlow { .. })));
}
