//! `onceflow mold`: the fixed forms, and refusals that say what to do.
#![allow(clippy::unwrap_used, clippy::panic)]
#![cfg(unix)]

mod shell;

use serde_json::{Value, json};
use shell::Shell;

const JOBS: &str = r#"{"nodes": 10, "jobs": [
    {"id": "A", "nodes": 6, "run": 8, "limit": 10}, {"id": "B", "nodes": 8, "run": 5, "limit": 5},
    {"id": "C", "nodes": 4, "run": 9, "limit": 9}]}"#;

const WORKFLOW: &str = r#"{"nodes": 4, "policy": "strict", "tasks": [
    {"id": "out", "after": ["a", "b"], "seconds": {"1": 8, "2": 5}},
    {"id": "a", "seconds": {"1": 20, "2": 11, "4": 7}}, {"id": "b", "seconds": {"1": 12, "2": 7}}]}"#;

fn json(shell: &Shell, command: &str) -> Value {
    serde_json::from_str(&shell.ok(command).stdout).unwrap()
}

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("jobs.json", JOBS);
    shell.write("flow.json", WORKFLOW);
    shell
}

#[test]
fn a_schedule_has_the_fixed_form() {
    let found = json(&shell(), "mold simulate jobs.json --policy easy --json");
    assert_eq!(found["jobs"], json!([["A", 0, 8, "ok"], ["B", 9, 14, "ok"], ["C", 0, 9, "ok"]]));
    assert_eq!((&found["version"], &found["makespan"], &found["cost"]), (&json!(1), &json!(14), &json!(124)));
    assert_eq!(found["utilisation"], json!(124.0 / 140.0));
}

#[test]
fn plans_have_the_fixed_forms_and_pictures_need_no_network() {
    let shell = shell();
    let best = json(&shell, "mold optimize flow.json --gosa --json --html p.html --gantt p.svg");
    assert_eq!((&best["order"], &best["version"]), (&json!(["a", "b", "out"]), &json!(1)));
    assert_eq!((&best["makespan"], &best["counts"]), (&json!(16), &json!([2, 2, 2])));
    let front = json(&shell, "mold optimize flow.json --front --json");
    let points = front["front"].as_array().unwrap();
    assert_eq!(points.first(), Some(&json!([16, best["cost"]])));
    assert_eq!(points.last(), Some(&json!([28, 40])));
    let page = shell.read("p.html");
    assert!(page.contains("type=\"range\"") && page.contains("<svg") && !page.contains("src=\"http"));
    assert!(shell.read("p.svg").starts_with("<svg"));
    let again = json(&shell, "mold optimize flow.json --alpha 1 --json --html p.html");
    assert_eq!(again["fitness"], json!(16.0 / 28.0));
}

#[test]
fn what_cannot_be_done_is_refused_with_what_to_do() {
    let shell = shell();
    shell.write("cycle.json", r#"{"nodes": 4, "tasks": [{"id": "a", "after": ["a"], "seconds": {"1": 3}}]}"#);
    shell.write("wide.json", r#"{"nodes": 4, "tasks": [{"id": "a", "seconds": {"8": 3}}]}"#);
    shell.write("empty.csv", "task,size,nodes,seconds\n");
    shell.write("log.swf", "1 0 0 60 4 -1 -1 4 90 0\n");
    for (command, said) in [
        ("mold optimize cycle.json", "cycle: `a` waits for `a`"),
        ("mold optimize wide.json", "task `a`: no number of nodes"),
        ("mold optimize flow.json --policy slurm", "check the plan with mold simulate --policy slurm"),
        ("mold estimate empty.csv", "measure it on at least two numbers of nodes"),
        ("mold simulate log.swf", "--nodes N"),
        ("mold simulate jobs.json --nodes 7", "job `B`"),
    ] {
        let output = shell.run(command);
        assert_eq!(output.exit, 2, "{command}: {}", output.stderr);
        assert!(output.stderr.contains(said), "{command}: {}", output.stderr);
    }
}
