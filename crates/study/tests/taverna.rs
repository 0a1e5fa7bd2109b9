//! Taverna workflows: small texts of our own always, the published files when they are there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use onceflow_study::{
    Catalogue, Domain, ParameterKind, SourceText, StageStep, TaskOperation, TavernaCounts, Value, Workflow,
    check_workflow, count_taverna, import_taverna,
};
use proptest::prelude::*;

/// A processor with single-value ports and an iteration strategy.
fn processor(name: &str, class: &str, inputs: &[&str], outputs: &[&str], strategy: &str) -> String {
    let ports = |names: &[&str]| {
        names.iter().map(|n| format!("<port><name>{n}</name><depth>0</depth></port>")).collect::<String>()
    };
    format!(
        "<processor><name>{name}</name><inputPorts>{}</inputPorts><outputPorts>{}</outputPorts><activities>\
         <activity><class>net.sf.{class}</class><configBean encoding=\"xstream\"><bean xmlns=\"\"><value>v</value></bean>\
         </configBean></activity></activities><iterationStrategyStack><iteration><strategy>{strategy}</strategy>\
         </iteration></iterationStrategyStack></processor>",
        ports(inputs),
        ports(outputs)
    )
}

fn nested(name: &str, id: &str, inputs: &[&str], outputs: &[&str]) -> String {
    let plain = processor(name, "DataflowActivity", inputs, outputs, "");
    plain.replace("<bean xmlns=\"\"><value>v</value></bean>", &format!("<dataflow ref=\"{id}\"/>"))
}

/// `a.x > b.y` links two processors, `x > b.y` an input port, `a.x > y` an output port; `>>` merges.
fn links(links: &[&str]) -> String {
    let mut text = String::new();
    for link in links {
        let (from, to, kind) = match link.split_once(" >> ") {
            Some((from, to)) => (from, to, "merge"),
            None => link.split_once(" > ").map(|(from, to)| (from, to, "processor")).unwrap(),
        };
        let end = |end: &str| match end.split_once('.') {
            Some((processor, port)) => format!("<processor>{processor}</processor><port>{port}</port>"),
            None => format!("<port>{end}</port>"),
        };
        let _ = write!(
            text,
            "<datalink><sink type=\"{kind}\">{}</sink><source>{}</source></datalink>",
            end(to),
            end(from)
        );
    }
    text
}

struct Flow<'a> {
    role: &'a str,
    id: &'a str,
    inputs: &'a [(&'a str, &'a str)],
    outputs: &'a [&'a str],
    processors: Vec<String>,
    links: &'a [&'a str],
    conditions: &'a [(&'a str, &'a str)],
}

impl Flow<'_> {
    fn text(&self) -> String {
        let input = |(name, note): &(&str, &str)| {
            format!(
                "<port><name>{name}</name><depth>0</depth><annotations><chain><text>{note}</text></chain></annotations></port>"
            )
        };
        let inputs: String = self.inputs.iter().map(input).collect();
        let outputs: String =
            self.outputs.iter().map(|name| format!("<port><name>{name}</name></port>")).collect();
        let conditions =
            self.conditions.iter().map(|(c, t)| format!("<condition control=\"{c}\" target=\"{t}\"/>"));
        format!(
            "<dataflow id=\"{id}\" role=\"{role}\"><name>flow_{id}</name><inputPorts>{inputs}</inputPorts>\
             <outputPorts>{outputs}</outputPorts><processors>{}</processors><conditions>{}</conditions>\
             <datalinks>{}</datalinks></dataflow>\n",
            self.processors.concat(),
            conditions.collect::<String>(),
            links(self.links),
            id = self.id,
            role = self.role,
        )
    }
}

fn file(flows: &[Flow<'_>]) -> Arc<SourceText> {
    let flows: String = flows.iter().map(Flow::text).collect();
    SourceText::new(
        "w.t2flow",
        format!(
            "<?xml version=\"1.0\"?>\n<workflow xmlns=\"http://taverna.sf.net/2008/xml/t2flow\">\n{flows}</workflow>"
        ),
    )
}

const EMPTY: Flow<'static> = Flow {
    role: "top",
    id: "t",
    inputs: &[],
    outputs: &[],
    processors: Vec::new(),
    links: &[],
    conditions: &[],
};

/// A workflow with everything: a sub-workflow used twice, merges, control links, iteration and parameters.
fn everything() -> Arc<SourceText> {
    let cross = "<cross><dot><port name=\"a\" depth=\"0\"/><port name=\"b\" depth=\"0\"/></dot><port name=\"c\" depth=\"1\"/></cross>";
    file(&[
        Flow {
            role: "nested",
            id: "n",
            inputs: &[("x", "")],
            outputs: &["y", "same"],
            processors: vec![processor("inner", "BeanshellActivity", &["x"], &["y"], "")],
            links: &["x > inner.x", "inner.y > y", "x > same"],
            ..EMPTY
        },
        Flow {
            inputs: &[
                ("image", "the picture"),
                ("G1", r#"{"type": "integer", "values": [5, 10, 15]}"#),
                ("mean", r#"{"type": "floatarray", "values": [0.1]}"#),
                ("T1", r#"{"type": "float", "values": [2.5]}"#),
            ],
            outputs: &["result", "list", "again"],
            processors: vec![
                nested("first", "n", &["x"], &["y", "same"]),
                nested("second", "n", &["x"], &["y"]),
                processor("join", "BeanshellActivity", &["a", "b", "c"], &["z"], cross),
                processor("constant", "StringConstantActivity", &[], &["value"], ""),
            ],
            links: &[
                "image > first.x",
                "first.y > second.x",
                "first.same > join.a",
                "G1 > join.b",
                "second.y >> join.c",
                "constant.value >> join.c",
                "join.z > result",
                "join.z > again",
                "constant.value >> list",
                "T1 >> list",
                "mean > join.mean",
            ],
            conditions: &[("constant", "first"), ("first", "join")],
            ..EMPTY
        },
    ])
}

fn imported(source: &Arc<SourceText>) -> (Workflow, String) {
    let (workflow, messages) = import_taverna(source).unwrap_or_else(|d| panic!("{d}"));
    (workflow, messages.to_string())
}

#[test]
fn everything_is_kept() {
    let source = everything();
    let (workflow, messages) = imported(&source);
    insta::assert_snapshot!(format!("{workflow}\n{messages}\n\n{}", workflow.flatten()));
    let counts = TavernaCounts { dataflows: 2, processors: 5, data_links: 14, control_links: 2 };
    assert_eq!(count_taverna(&source), Ok(counts));
    let checked = check_workflow(&workflow, &Catalogue::default());
    assert!(!checked.has_errors(), "{checked}");
    assert!(!check_workflow(&workflow.flatten(), &Catalogue::default()).has_errors());
}

#[test]
fn annotations_become_parameters() {
    let (workflow, _) = imported(&everything());
    let [g1, t1] = workflow.parameters.as_slice() else { panic!("{:?}", workflow.parameters) };
    assert_eq!(
        (g1.name.as_str(), g1.kind, &g1.range),
        ("G1", ParameterKind::Integer, &Some(Domain::Values(vec![5.0, 10.0, 15.0])))
    );
    assert_eq!(
        (t1.name.as_str(), t1.kind, &t1.default),
        ("T1", ParameterKind::Real, &Some(Value::Real(2.5)))
    );
    assert_eq!(workflow.reader_of("G1"), Some("flow_t"));
}

#[test]
fn merges_keep_their_order() {
    let (workflow, _) = imported(&everything());
    let merge = workflow.tasks().find(|task| task.name == "merge.join.c").unwrap();
    assert_eq!(merge.inputs, ["second.y", "constant.value"]);
    let TaskOperation::Foreign(list) = &workflow.tasks().find(|task| task.name == "merge.list").unwrap().op
    else {
        panic!()
    };
    let ports: Vec<_> = list.inputs.iter().map(|port| (port.name.as_str(), port.region.as_deref())).collect();
    assert_eq!(ports, [("1", Some("constant.value")), ("2", None)]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let beanshell = |name: &str| processor(name, "BeanshellActivity", &["x"], &["y"], "");
    let cases = [
        (
            Flow { links: &["a.y > b.x"], processors: vec![beanshell("a")], ..EMPTY },
            "a data link names the processor `b`",
        ),
        (
            Flow { links: &["q > a.x"], processors: vec![beanshell("a")], ..EMPTY },
            "starts at `q`, which is not an input port",
        ),
        (
            Flow { links: &["a.y > q"], processors: vec![beanshell("a")], ..EMPTY },
            "ends at `q`, which is not an output port",
        ),
        (
            Flow {
                links: &["a.y > b.x", "a.y > b.x"],
                processors: vec![beanshell("a"), beanshell("b")],
                ..EMPTY
            },
            "two data links end in `x` without being merged",
        ),
        (
            Flow { processors: vec![beanshell("a"), beanshell("a")], ..EMPTY },
            "two processors of `flow_t` are called `a`",
        ),
        (
            Flow { conditions: &[("a", "b")], processors: vec![beanshell("a")], ..EMPTY },
            "a control link names the processor `b`",
        ),
        (
            Flow { processors: vec![nested("a", "gone", &[], &[])], ..EMPTY },
            "uses the dataflow gone, which does not exist",
        ),
        (Flow { processors: vec![nested("a", "t", &[], &[])], ..EMPTY }, "`flow_t` contains itself"),
        (Flow { role: "nested", ..EMPTY }, "the workflow has no top dataflow"),
        (
            Flow { processors: vec![processor("a", "X", &[], &[], "<plus/>")], ..EMPTY },
            "an iteration strategy cannot be read; expected <cross>, <dot> or <port>, found <plus>",
        ),
    ];
    for (flow, expected) in cases {
        let error = import_taverna(&file(&[flow])).unwrap_err().to_string();
        assert!(error.contains(expected) && error.starts_with("w.t2flow:"), "{error}\nexpected: {expected}");
    }
}

#[test]
fn dataflows_that_multiply_are_stopped() {
    let mut flows = vec![Flow { processors: vec![nested("a", "0", &[], &[])], ..EMPTY }];
    let ids: Vec<String> = (0..14).map(|id| id.to_string()).collect();
    for (place, id) in ids.iter().enumerate() {
        let next = ids.get(place + 1).map_or("t", |id| id.as_str());
        let processors = if place + 1 < ids.len() {
            (0..8).map(|n| nested(&format!("p{n}"), next, &[], &[])).collect()
        } else {
            Vec::new()
        };
        flows.push(Flow { role: "nested", id, processors, ..EMPTY });
    }
    let error = import_taverna(&file(&flows)).unwrap_err().to_string();
    assert!(error.contains("more than 2000 tasks"), "{error}");
}

#[test]
fn layers_that_change_how_often_a_processor_runs_are_told() {
    let layer = |class: &str, inside: &str| {
        format!("<dispatchLayer><class>t.{class}</class><configBean>{inside}</configBean></dispatchLayer>")
    };
    let stack = format!(
        "<dispatchStack>{}{}{}</dispatchStack></processor>",
        layer("Retry", "<c><maxRetries>3</maxRetries></c>"),
        layer("Loop", ""),
        layer("Invoke", "")
    );
    let text = processor("a", "BeanshellActivity", &[], &["y"], "").replace("</processor>", &stack);
    let (_, messages) = imported(&file(&[Flow { processors: vec![text], outputs: &["o"], ..EMPTY }]));
    for expected in
        ["tried again up to 3 times", "runs under `Loop`", "nothing is linked to the output port `o`"]
    {
        assert!(messages.contains(expected), "{messages}");
    }
    assert_eq!(messages.lines().count(), 3);
}

#[test]
fn external_tools_tell_their_command_and_the_types_of_their_outputs() {
    let bean = "<bean xmlns=\"\"><useCaseDescription><command>DiffMaskComp</command><outputs><entry><string>diff</string>\
                <out><path>floatarray</path></out></entry><entry><string>mask</string><out><path>rt</path></out></entry>\
                </outputs></useCaseDescription></bean>";
    let tool = processor("compare", "externaltool.ExternalToolActivity", &[], &["diff", "mask"], "")
        .replace("<bean xmlns=\"\"><value>v</value></bean>", bean);
    let flow = Flow {
        outputs: &["a", "b"],
        processors: vec![tool],
        links: &["compare.diff > a", "compare.mask > b", "compare.diff > other.x"],
        ..EMPTY
    };
    let other = processor("other", "BeanshellActivity", &["x"], &[], "");
    let flow = Flow { processors: [flow.processors, vec![other]].concat(), ..flow };
    let (workflow, _) = imported(&file(&[flow]));
    let TaskOperation::Foreign(foreign) = &workflow.tasks().next().unwrap().op else { panic!() };
    assert_eq!(foreign.detail.as_deref(), Some("DiffMaskComp"));
    let kinds: Vec<_> = workflow.regions.iter().map(|r| (r.name.as_str(), r.kind.word())).collect();
    assert_eq!(kinds, [("a", "table"), ("b", "any")]);
}

fn published() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/taverna");
    if !folder.is_dir() {
        println!("skipped: the published Taverna files are not here ({})", folder.display());
        return None;
    }
    Some(folder)
}

/// Dataflows, processors, data links and control links as the collection's own table has them.
const PUBLISHED: [(&str, [usize; 4]); 9] = [
    ("iterationstrategies", [1, 8, 9, 0]),
    ("merge_fun", [1, 3, 5, 0]),
    ("nested", [2, 4, 6, 0]),
    ("as", [2, 11, 16, 1]),
    ("sleepers", [1, 4, 10, 4]),
    ("myexperiment_workflow_1510_version_1", [1, 7, 11, 0]),
    ("myexperiment_workflow_2228_version_1", [1, 10, 16, 0]),
    ("myexperiment_workflow_3119_version_1", [3, 8, 22, 0]),
    ("myexperiment_workflow_2581_version_1", [1, 25, 42, 0]),
];

#[test]
fn published_files_load_whole() {
    let Some(folder) = published() else { return };
    for (name, [dataflows, processors, data_links, control_links]) in PUBLISHED {
        let text = std::fs::read_to_string(folder.join(format!("{name}.t2flow"))).unwrap();
        let source = SourceText::new(name, text);
        let counts = TavernaCounts { dataflows, processors, data_links, control_links };
        assert_eq!(count_taverna(&source), Ok(counts), "{name}");
        let (workflow, messages) = imported(&source);
        println!("{workflow}{messages}");
        let checked = check_workflow(&workflow, &Catalogue::default());
        assert!(!checked.has_errors(), "{name}: {checked}");
        let own = |task: &&onceflow_study::Task| !matches!(&task.op, TaskOperation::Foreign(f) if f.kind.starts_with("taverna."));
        assert_eq!(workflow.tasks().filter(own).count(), processors - (dataflows - 1), "{name}");
        assert_eq!(waits(&workflow.stages[0].steps), control_links, "{name}");
        assert_order(&workflow);
    }
}

#[test]
fn published_iteration_strategies() {
    let Some(folder) = published() else { return };
    let text = std::fs::read_to_string(folder.join("iterationstrategies.t2flow")).unwrap();
    let shown = imported(&SourceText::new("i", text)).0.to_string();
    assert!(shown.contains("iterates dot("), "{shown}");
    assert!(shown.contains("iterates cross("), "{shown}");
}

fn waits(steps: &[StageStep]) -> usize {
    let inside = |step: &StageStep| match step {
        StageStep::Stage(stage) => waits(&stage.steps),
        StageStep::Task(_) => 0,
    };
    steps.iter().map(|step| step.after().len() + inside(step)).sum()
}

fn assert_order(workflow: &Workflow) {
    let graph = workflow.graph();
    let order = graph.order().unwrap();
    let place = |task: usize| order.iter().position(|t| *t == task).unwrap();
    assert_eq!(order.len(), workflow.task_count());
    for (from, to) in graph.region_edges() {
        assert!(place(*from) < place(*to));
    }
    for task in 0..order.len() {
        assert!(graph.successors(task).iter().all(|next| place(task) < place(*next)));
    }
}

proptest! {
    #[test]
    fn mutated_texts_never_panic(at in 0usize..6000, cut in 0usize..40, put in "[<>/&;a-z\"=]{0,8}") {
        let source = everything();
        let boundary = |mut at: usize| {
            at = at.min(source.text.len());
            while !source.text.is_char_boundary(at) { at -= 1; }
            at
        };
        let (start, end) = (boundary(at), boundary(at + cut));
        let text = format!("{}{put}{}", &source.text[..start], &source.text[end..]);
        if let Ok((workflow, _)) = import_taverna(&SourceText::new("m", text)) {
            let _ = (check_workflow(&workflow, &Catalogue::default()), workflow.flatten().to_string());
        }
        let _ = import_taverna(&SourceText::new("m", &source.text[..start]));
    }
}
