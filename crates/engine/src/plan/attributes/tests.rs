//! The keys by which runs look results up cover the smallest attributes, and nothing else.

use std::path::Path;

use onceflow_reuse::{Level, ParameterRows, StaticKeys, TaskKey, plan};
use onceflow_study::{SourceText, Value, parse_study, read_workflow, shipped_workflow};

use super::*;

/// A workflow with a program of the user, which reads two parameters and the region of another stage.
const PROGRAM: &str = r#"{ "workflow": "own", "version": 1,
  "parameters": {
    "recon": { "type": "connectivity", "default": 8 },
    "holes": { "type": "connectivity", "default": 4 },
    "G1": { "type": "integer", "default": 20 },
    "level": { "type": "integer", "default": 3 },
    "sigma": { "type": "real", "default": 1.5 } },
  "regions": { "image": "rgb8", "rc": "u8", "rc_recon": "u8", "diff": "u8", "bw": "mask", "kept": "mask" },
  "stages": [
    { "stage": "find", "in": ["image"], "out": ["bw"], "tasks": [
      { "task": "reconstruct", "op": "nuclei.reconstruct", "in": ["image"], "reads": { "reconConnectivity": "recon" }, "out": ["rc", "rc_recon"] },
      { "task": "threshold", "op": "nuclei.candidates", "in": ["rc", "rc_recon"], "reads": { "fillHolesConnectivity": "holes", "G1": "G1" }, "out": ["diff", "bw"] } ] },
    { "stage": "own", "in": ["bw"], "out": ["kept"], "ended": { "kept": "empty" }, "tasks": [
      { "task": "keep", "op": { "command": ["sh", "keep.sh", "{level}", "{sigma}", "{bw}", "{kept}"], "files": ["keep.sh"], "memory": "200 MiB", "time": "20 s" },
        "in": ["bw"], "reads": ["level", "sigma"], "out": ["kept"] } ] } ],
  "outputs": ["kept"] }
"#;

/// A workflow that branches: two stages read one region with parameters of their own, one of them may end early, and both are
/// measured.
const BRANCHES: &str = r#"{ "workflow": "branches", "version": 1,
  "parameters": {
    "recon": { "type": "connectivity", "default": 8 },
    "holes": { "type": "connectivity", "default": 4 },
    "G1": { "type": "integer", "default": 20 },
    "low": { "type": "integer", "default": 11 },
    "high": { "type": "integer", "default": 1000 },
    "wide": { "type": "integer", "default": 2000 } },
  "regions": { "image": "rgb8", "rc": "u8", "rc_recon": "u8", "diff": "u8", "bw": "mask", "small": "mask", "large": "mask" },
  "stages": [
    { "stage": "find", "in": ["image"], "out": ["bw"], "tasks": [
      { "task": "reconstruct", "op": "nuclei.reconstruct", "in": ["image"], "reads": { "reconConnectivity": "recon" }, "out": ["rc", "rc_recon"] },
      { "task": "threshold", "op": "nuclei.candidates", "in": ["rc", "rc_recon"], "reads": { "fillHolesConnectivity": "holes", "G1": "G1" }, "out": ["diff", "bw"] } ] },
    { "stage": "few", "in": ["bw"], "out": ["small"], "ended": { "small": "empty" }, "tasks": [
      { "task": "filter_small", "op": "mask.area_filter", "in": ["bw"], "reads": { "from": "low", "below": "high", "connectivity": 8 }, "out": ["small"], "ends": ["no_candidates"] } ] },
    { "stage": "many", "in": ["bw"], "out": ["large"], "tasks": [
      { "task": "filter_large", "op": "mask.area_filter", "in": ["bw"], "reads": { "from": "high", "below": "wide", "connectivity": 8 }, "out": ["large"] } ] } ],
  "outputs": ["small", "large"] }
"#;

const PARAMETER: &str = "G1 = { from = 5, to = 80, step = 5 }";

fn metric(name: &str, of: &str, against: &str) -> String {
    format!(
        "[[metric]]\nname = \"{name}\"\nof = \"{of}\"\nmeasure = \"pixel_difference\"\nagainst = \"{against}\"\n"
    )
}

fn opened(folder: &Path, workflow: &str, parameter: &str, metrics: &str) -> OpenStudy {
    std::fs::write(folder.join("keep.sh"), "cp \"$3\" \"$4\"\n").unwrap();
    let (reference, text) = match workflow {
        "nuclei" => ("nuclei", shipped_workflow("nuclei").unwrap()),
        text => ("workflow.json", SourceText::new("workflow.json", text)),
    };
    let truth = if folder.join("truth.png").exists() { "truth = \"truth.png\"\n" } else { "" };
    let study = format!(
        "name = \"s\"\nworkflow = \"{reference}\"\n[[image]]\nname = \"one\"\nfile = \"synth:96x80?seed=3\"\n{truth}[parameters]\n{parameter}\n{metrics}\
         [[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n"
    );
    let file = parse_study(&SourceText::new("study.toml", study)).unwrap_or_else(|d| panic!("{d}"));
    let workflow = read_workflow(&text).unwrap_or_else(|d| panic!("{d}"));
    let (study, said) = file.resolve(Some(&workflow), None);
    let study = study.unwrap_or_else(|| panic!("{said}"));
    OpenStudy::new(&study, &workflow, folder).unwrap_or_else(|error| panic!("{error}"))
}

/// Another value of the same kind.
fn other(value: &Value) -> Value {
    match value {
        Value::Integer(8) => Value::Integer(4),
        Value::Integer(4) => Value::Integer(8),
        Value::Integer(number) => Value::Integer(number + 1),
        Value::Real(number) => Value::Real(number + 1.0),
        Value::Text(text) => panic!("no other value of {text}"),
    }
}

/// Changes one parameter, or the content of one source, at a time: the key of each task changes if and only if it is one of
/// the task's smallest attributes. Gives how many changes were and were not in them.
fn check(study: &OpenStudy) -> [usize; 2] {
    let (names, values) = (&study.reference.names, &study.reference.values);
    let mut rows = ParameterRows::new(names.clone());
    rows.push(values).unwrap();
    for place in 0..names.len() {
        let mut changed = values.clone();
        changed[place] = other(&changed[place]);
        rows.push(&changed).unwrap();
    }
    let plan = plan(study.flow.clone(), &rows, Level::Dataflow).unwrap();
    let mut counts = [0; 2];
    for (task, of) in study.written.tasks.iter().enumerate() {
        assert_eq!(plan.flow().tasks[task].name, of.name);
        let least = study.identifying(&[task]).unwrap();
        let key = |row: usize, changed: Option<usize>| -> TaskKey {
            let source =
                |source: usize, _| Some([source as u8 + if Some(source) == changed { 100 } else { 0 }; 32]);
            StaticKeys::default().key(&plan, plan.node(row, task), &source).unwrap()
        };
        let base = key(0, None);
        let mut compare = |name: &str, changes: bool| {
            assert_eq!(changes, least.contains(name), "{name} of {}, attributes {least:?}", of.name);
            counts[usize::from(!changes)] += 1;
        };
        for (place, name) in names.iter().enumerate() {
            compare(name, key(place + 1, None) != base);
        }
        for (source, name) in
            plan.flow().sources.iter().enumerate().filter(|(_, name)| *name != compare::NOTHING)
        {
            compare(name, key(0, Some(source)) != base);
        }
    }
    counts
}

#[test]
fn keys_of_tasks_cover_exactly_their_smallest_attributes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let change = |of: &str| metric(&format!("change of {of}"), of, "default");
    for study in [
        opened(folder, "nuclei", PARAMETER, &change("nuclei")),
        opened(folder, PROGRAM, PARAMETER, &change("kept")),
        opened(folder, BRANCHES, PARAMETER, &(change("small") + &change("large"))),
    ] {
        let counts = check(&study);
        assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
    }
}

#[test]
fn only_sources_that_identify_a_result_are_digested() {
    let folder = tempfile::tempdir().unwrap();
    let pixels = onceflow_region::Pixels::U8((0..96 * 80).map(|at| u8::from(at % 7 == 0)).collect());
    let truth = onceflow_region::Dense::new(96, 80, 1, pixels).unwrap();
    std::fs::write(folder.path().join("truth.png"), onceflow_imageio::png_bytes(&truth).unwrap()).unwrap();
    let names = |against: &str| {
        let study = opened(folder.path(), BRANCHES, PARAMETER, &metric("metric", "small", against));
        study.identifying(&study.written.results).unwrap()
    };
    let [change, truth] = ["default", "truth"].map(names);
    assert!(change.contains("image") && change.contains("small@reference") && change.contains("low"));
    assert!(!change.contains(compare::TRUTH), "no metric needs it: {change:?}");
    assert!(truth.contains(compare::TRUTH) && !truth.contains("small@reference"), "{truth:?}");
}
