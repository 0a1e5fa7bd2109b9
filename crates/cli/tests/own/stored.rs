//! Results of programs that outlive runs: another workflow takes them when what the program is given is the same.

use crate::shell::Shell;
use crate::study::{changed, study};

/// Slow enough to be kept.
const SLOW: &str = "sleep 0.03\ncp \"$2\" \"$3\"\n";

/// The end of the workflow.
const END: &str = r#""in": ["bw"], "reads": ["level"], "out": ["kept"] } ] } ],"#;

/// One more program, which hands on what `keep` made.
const AFTER: &str = r#""in": ["bw"], "reads": ["level"], "out": ["kept"] } ] },
    { "stage": "after", "in": ["kept"], "out": ["last"], "ended": { "last": "empty" }, "tasks": [
      { "task": "after", "op": { "command": ["cp", "{kept}", "{last}"], "memory": "200 MiB", "time": "20 s" },
        "in": ["kept"], "out": ["last"] } ] } ],"#;

/// The mask of the built-in tasks.
const MADE: &str = r#""out": ["diff", "bw"] } ] },"#;

/// One more program, which hands on the mask before `keep` reads it.
const BEFORE: &str = r#""out": ["diff", "made"] } ] },
    { "stage": "before", "in": ["made"], "out": ["bw"], "ended": { "bw": "empty" }, "tasks": [
      { "task": "before", "op": { "command": ["cp", "{made}", "{bw}"], "memory": "200 MiB", "time": "20 s" },
        "in": ["made"], "out": ["bw"] } ] },"#;

/// How often a run computed a task.
fn computed(shell: &Shell, folder: &str, task: &str) -> usize {
    let trace: serde_json::Value =
        serde_json::from_str(&shell.read(&format!("{folder}/trace.json"))).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    events.iter().filter(|event| event["ph"] == "X" && event["name"] == task).count()
}

/// Runs the study as it is, and with the workflow changed; both with one store.
fn run_both(other: &Shell) -> [usize; 2] {
    let first = study(SLOW);
    let store = other.path("store").display().to_string();
    first.ok(&format!("run study.toml -o run --allow-commands --store {store}"));
    other.ok("run study.toml -o run --allow-commands --store store");
    other.ok("run study.toml -o none --allow-commands --reuse none");
    for file in ["rows.csv", "metrics.csv"] {
        assert_eq!(other.read(&format!("run/{file}")), other.read(&format!("none/{file}")), "{file}");
    }
    [computed(&first, "run", "keep"), computed(other, "run", "keep")]
}

#[test]
fn a_task_is_added_after_a_program() {
    let other = changed(SLOW, END, AFTER);
    let text = other.read("workflow.json").replace(r#""kept": "mask""#, r#""kept": "mask", "last": "mask""#);
    other.write("workflow.json", text.replace(r#""outputs": ["kept"]"#, r#""outputs": ["last"]"#));
    other.write("study.toml", other.read("study.toml").replace(r#"of = "kept""#, r#"of = "last""#));
    let [first, second] = run_both(&other);
    assert!(first > 0 && second == 0, "{first} {second}");
}

#[test]
fn what_a_program_is_given_comes_another_way() {
    let other = changed(SLOW, MADE, BEFORE);
    let text = other.read("workflow.json");
    let text = text.replace(r#""bw": "mask", "kept""#, r#""made": "mask", "bw": "mask", "kept""#);
    other.write(
        "workflow.json",
        text.replace(r#""out": ["bw"], "tasks": ["#, r#""out": ["made"], "tasks": ["#),
    );
    let [first, second] = run_both(&other);
    assert!(first > 0 && second == 0, "{first} {second}");
}
