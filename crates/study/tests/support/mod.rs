//! The nuclei study and workflow that tests start from.
#![allow(dead_code, reason = "not every test needs everything")]

use onceflow_study::{
    Diagnostics, ParameterKind, RegionDeclaration, RegionKind, SourceLocation, SourceText, Stage, StageStep,
    Study, Task, TaskOperation, Value, Workflow, WorkflowParameter, parse_study,
};

pub(crate) const NUCLEI: &str = include_str!("../studies/nuclei.toml");

const PARAMETERS: [(&str, ParameterKind, f64); 15] = [
    ("blue", ParameterKind::Integer, 220.0),
    ("green", ParameterKind::Integer, 220.0),
    ("red", ParameterKind::Integer, 220.0),
    ("T1", ParameterKind::Real, 5.0),
    ("T2", ParameterKind::Real, 4.0),
    ("reconConnectivity", ParameterKind::Connectivity, 8.0),
    ("fillHolesConnectivity", ParameterKind::Connectivity, 4.0),
    ("G1", ParameterKind::Integer, 80.0),
    ("minSize", ParameterKind::Integer, 11.0),
    ("maxSize", ParameterKind::Integer, 1000.0),
    ("G2", ParameterKind::Integer, 45.0),
    ("minSizePl", ParameterKind::Integer, 30.0),
    ("watershedConnectivity", ParameterKind::Connectivity, 8.0),
    ("minSizeSeg", ParameterKind::Integer, 21.0),
    ("maxSizeSeg", ParameterKind::Integer, 1000.0),
];

/// The parameters, regions and numbers of stages and tasks of the nuclei workflow; each parameter declared on a line.
pub(crate) fn nuclei() -> Workflow {
    let names: Vec<_> = PARAMETERS.iter().map(|p| p.0).collect();
    let source = SourceText::new("workflow.json", names.join("\n"));
    let mut start = 0;
    let parameters = PARAMETERS.map(|(name, kind, default)| {
        let place = Some(SourceLocation::new(&source, start..start + name.len()));
        start += name.len() + 1;
        let default =
            if kind == ParameterKind::Real { Value::Real(default) } else { Value::Integer(default as i64) };
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
    let task = |n: usize| StageStep::Task(Task::new(format!("t{n}"), TaskOperation::BuiltIn("x".into())));
    let mut stage = Stage::new(name);
    stage.steps = (0..tasks).map(task).collect();
    stage
}

/// The study of a text, with everything that was said.
pub(crate) fn resolve(text: &str, workflow: Option<&Workflow>) -> (Option<Study>, Diagnostics) {
    let source = SourceText::new("study.toml", text);
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
