//! Descriptors as the framework ships them, their mistakes, and mutated ones.

use proptest::prelude::*;

use super::*;
use crate::{Catalogue, check_workflow};

const SEGMENTATION: &str = r##"{
  "name": "Segmentation",
  "includes": "#include \"ops.h\"",
  "dr_args": [
    {"name": "normalized_rt", "type": "dr", "io": "input"},
    {"name": "segmented_rt", "type": "dr", "io": "output"}
  ],
  "tasks": [
    {"call": "ns::stg1",
     "args": [{"name": "normalized_rt", "type": "dr", "io": "input"}, {"name": "blue", "type": "uchar"}, {"name": "T1", "type": "double"}],
     "interstage_args": [{"name": "bgr", "type": "mat_vect", "io": "output"}, {"name": "rbc", "type": "mat", "io": "output"}]},
    {"call": "ns::stg2",
     "args": [{"name": "conn", "type": "int"}],
     "interstage_args": [{"name": "bgr", "type": "mat_vect", "io": "input"}, {"name": "rbc", "type": "mat", "io": "forward"},
                         {"name": "rc", "type": "mat", "io": "output"}]},
    {"call": "ns::stg3",
     "args": [{"name": "conn", "type": "int"}, {"name": "normalized_rt", "type": "dr", "io": "input"}, {"name": "segmented_rt", "type": "dr", "io": "output"}],
     "intertask_args": [{"name": "rc", "type": "mat", "io": "input"}, {"name": "rbc", "type": "mat", "io": "input"}]}
  ]
}"##;

fn import(text: &str) -> ImportedWorkflow {
    import_original(&SourceText::new("stage.json", text))
}

fn check(text: &str, expected: &[&str]) {
    let messages = match import(text) {
        Ok((_, messages)) | Err(messages) => messages,
    };
    let messages: Vec<_> = messages.0.iter().map(ToString::to_string).collect();
    assert_eq!(messages, expected);
}

#[test]
fn a_chain_of_calls() {
    let (workflow, messages) = import(SEGMENTATION).unwrap();
    assert_eq!(messages.to_string(), "");
    insta::assert_snapshot!(workflow);
    let checked = check_workflow(&workflow, &Catalogue::default());
    assert!(!checked.has_errors(), "{checked}");
    let order = workflow.graph().order().unwrap();
    assert_eq!(order, [0, 1, 2]);
}

#[test]
fn positional_arguments_leave_out_what_is_forwarded() {
    let (workflow, _) = import(SEGMENTATION).unwrap();
    let ports = |task: &Task| match &task.op {
        TaskOperation::Foreign(f) => {
            f.inputs.iter().chain(&f.outputs).map(|p| p.name.clone()).collect::<Vec<_>>()
        }
        _ => Vec::new(),
    };
    let second = workflow.tasks().nth(1).map(ports).unwrap();
    assert_eq!(second, ["conn", "bgr", "rc"]);
}

#[test]
fn the_single_task_form() {
    let text = r#"{"name": "Normalization", "includes": "", "call": "ns::normalize",
        "args": [{"name": "in", "type": "dr", "io": "input"}, {"name": "target_mean", "type": "float_array"},
                 {"name": "out", "type": "dr", "io": "output"}]}"#;
    let (workflow, messages) = import(text).unwrap();
    assert_eq!(messages.to_string(), "");
    assert_eq!(
        (workflow.stage_count(), workflow.task_count(), workflow.outputs),
        (1, 1, vec!["out".to_owned()])
    );
    assert_eq!(workflow.stages[0].inputs, ["in", "target_mean"]);
}

#[test]
fn more_than_ten_calls_stay_in_their_order() {
    let tasks: Vec<_> =
        (0..12).map(|i| format!(r#"{{"call": "f", "args": [{{"name": "p{i}", "type": "int"}}]}}"#)).collect();
    let (workflow, _) = import(&format!(r#"{{"name": "S", "tasks": [{}]}}"#, tasks.join(","))).unwrap();
    let graph = workflow.graph();
    assert_eq!(graph.order().unwrap(), (0..12).collect::<Vec<_>>());
    assert_eq!(graph.tasks()[11].name, "f_12");
    assert!((0..11).all(|task| graph.successors(task) == [task + 1]));
}

#[test]
fn mistakes_are_pointed_at() {
    check(
        r#"{"name": "S", "tasks": [{"call": "f", "args": [{"name": "a", "type": "flaot"}], "extra": 1}]}"#,
        &[
            "stage.json:1:81: warning: the key `extra` is not known and not kept",
            "stage.json:1:70: error: `type` cannot be read; expected one of uchar, int, double, float_array, dr, mat, mat_vect, found \"flaot\"",
        ],
    );
    check(
        r#"{"name": "S", "tasks": []}"#,
        &["stage.json:1:1: error: the stage descriptor cannot be used; expected 1 to 2000 tasks, found 0"],
    );
    check(
        r#"{"name": "S", "tasks": [
            {"call": "f", "args": [{"name": "a", "type": "int"}], "interstage_args": [{"name": "m", "type": "mat", "io": "output"}]},
            {"call": "g", "args": [{"name": "a", "type": "double"}]},
            {"call": "h", "interstage_args": [{"name": "m", "type": "mat", "io": "input"}, {"name": "late", "type": "mat", "io": "input"}]},
            {"call": "i", "interstage_args": [{"name": "late", "type": "mat", "io": "output"}]}]}"#,
        &[
            "stage.json:3:36: error: two calls read `a` in different ways; expected integer, found real",
            "stage.json:4:47: warning: `h` takes `m`, which the call before it neither makes nor forwards",
            "stage.json:4:92: error: `h` takes `late`, which the call before it neither makes nor forwards; to do: an earlier call must make it",
        ],
    );
    check(
        "[]",
        &[
            "stage.json:1:1: error: `stage descriptor` cannot be read; expected a table of the keys of a stage descriptor, found []",
        ],
    );
}

proptest! {
    #[test]
    fn mutated_descriptors_never_panic(at in 0usize..1600, cut in 0usize..40, put in r#"[\[\]{}",:a-z0-9 ]{0,8}"#) {
        let (start, end) = (at.min(SEGMENTATION.len()), (at + cut).min(SEGMENTATION.len()));
        let text = format!("{}{put}{}", &SEGMENTATION[..start], &SEGMENTATION[end..]);
        let _ = crate::detect("stage.json", &text);
        if let Ok((workflow, _)) = import(&text) {
            let _ = check_workflow(&workflow, &Catalogue::default());
        }
    }
}
