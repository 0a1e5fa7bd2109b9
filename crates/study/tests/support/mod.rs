//! The nuclei study and workflow that tests start from.
#![allow(dead_code, reason = "not every test needs everything")]

use onceflow_study::{
    Diagnostics, Kind, Operation, Place, RegionDeclaration, RegionKind, Source, Stage, Step, Study, Task,
    Value, Workflow, WorkflowParameter, parse_study,
};

pub(crate) const NUCLEI: &str = include_str!("../studies/nuclei.toml");

const PARAMETERS: [(&str, Kind, f64); 15] = [
    ("blue", Kind::Integer, 220.0),
    ("green", Kind::Integer, 220.0),
    ("red", Kind::Integer, 220.0),
    ("T1", Kind::Real, 5.0),
    ("T2", Kind::Real, 4.0),
    ("reconConnectivity", Kind::Connectivity, 8.0),
    ("fillHolesConnectivity", Kind::Connectivity, 4.0),
    ("G1", Kind::Integer, 80.0),
    ("minSize", Kind::Integer, 11.0),
    ("maxSize", Kind::Integer, 1000.0),
    ("G2", Kind::Integer, 45.0),
    ("minSizePl", Kind::Integer, 30.0),
    ("watershedConnectivity", Kind::Connectivity, 8.0),
    ("minSizeSeg", Kind::Integer, 21.0),
    ("maxSizeSeg", Kind::Integer, 1000.0),
];

/// The parameters, regions and numbers of stages and tasks of the nuclei workflow; each parameter declared on a line.
pub(crate) fn nuclei() -> Workflow {
    let names: Vec<_> = PARAMETERS.iter().map(|p| p.0).collect();
    let source = Source::new("workflow.json", names.join("\n"));
    let mut start = 0;
    let parameters = PARAMETERS.map(|(name, kind, default)| {
        let place = Some(Place::new(&source, start..start + name.len()));
        start += name.len() + 1;
        let default = if kind == Kind::Real { Value::Real(default) } else { Value::Integer(default as i64) };
        WorkflowParameter { default: Some(default), place, ..WorkflowParameter::new(name, kind) }
    });
    let region = |name: &str, kind| RegionDeclaration { name: name.into(), kind, place: None };
    Workflow {
        name: "nuclei".into(),
        version: 1,
        parameters: parameters.into(),
        regions: vec![region("image", RegionKind::Rgb8), region("nuclei", RegionKind::Mask)],
        stages: vec![stage("statistics", 1), stage("normalize", 1), stage("segment", 9)],
        outputs: vec!["nuclei".into()],
        ..Workflow::default()
    }
}

fn stage(name: &str, tasks: usize) -> Stage {
    let task = |n: usize| Step::Task(Task::new(format!("t{n}"), Operation::BuiltIn("x".into())));
    let mut stage = Stage::new(name);
    stage.steps = (0..tasks).map(task).collect();
    stage
}

/// The study of a text, with everything that was said.
pub(crate) fn resolve(text: &str, workflow: Option<&Workflow>) -> (Option<Study>, Diagnostics) {
    let source = Source::new("study.toml", text);
    match parse_study(&source) {
        Ok(file) => file.resolve(workflow, None),
        Err(diagnostics) => (None, diagnostics),
    }
}

/// The messages, one per line.
pub(crate) fn messages(text: &str, workflow: Option<&Workflow>) -> Vec<String> {
    let (study, diagnostics) = resolve(text, workflow);
    assert_eq!(study.is_none(), diagnostics.has_errors(), "{diagnostics}\n{text}");
    diagnostics.0.iter().map(ToString::to_string).collect()
}
