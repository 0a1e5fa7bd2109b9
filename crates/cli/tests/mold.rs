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

/// The workflows of the paper are written in the length that is asked for, and the others verbs read them.
#[test]
fn workflows_are_written_for_the_other_verbs() {
    let shell = shell();
    shell.write("runs.csv", "task,size,nodes,seconds\nST,8,1,40\nST,8,2,22\nPT,8,1,4\nPT,8,2,3\n");
    for (words, tasks) in [("neurostimulation --trains 4", 20), ("photoacoustic --waves 2 --width 3", 11)] {
        let written =
            shell.ok(&format!("mold workflow {words} --nodes 8 --size 8 --counts 1,2 --command 'ST=st $X'"));
        let flow: Value = serde_json::from_str(&written.stdout).unwrap();
        assert_eq!(
            (flow["tasks"].as_array().unwrap().len(), &flow["commands"]["ST"]),
            (tasks, &json!("st $X"))
        );
        shell.write("made.json", written.stdout);
        let best = json(&shell, "mold optimize made.json --performance runs.csv --alpha 0 --json");
        assert_eq!(best["counts"].as_array().unwrap().len(), tasks);
    }
    let trace = r#"{"workflow": {"specification": {"tasks": [{"id": "a", "parents": []}, {"id": "b", "parents": ["a"]}]},
        "execution": {"tasks": [{"id": "a", "runtimeInSeconds": 10}, {"id": "b", "runtimeInSeconds": 20}]}}}"#;
    shell.write("trace.json", trace);
    shell.ok("mold workflow trace.json --nodes 4 --counts 1,2 --serial 0 -o made-of-trace.json");
    let best = json(&shell, "mold optimize made-of-trace.json --alpha 1 --json");
    assert_eq!((&best["makespan"], &best["counts"]), (&json!(15), &json!([2, 2])));
    let refused = shell.run("mold workflow flow.json");
    assert!(refused.exit == 2 && refused.stderr.contains("workflow"), "{refused}");
}

/// Two measurements on a new machine and the curve of an old one are enough, and the table says so.
#[test]
fn a_new_machine_takes_the_curve_of_another() {
    let shell = shell();
    let old =
        [(1, 100), (2, 52), (4, 30), (8, 20), (16, 18)].map(|(nodes, s)| format!("ST,old,8,{nodes},{s}\n"));
    let new = "ST,new,8,1,200\nST,new,8,16,36\n";
    shell.write("runs.csv", format!("task,machine,size,nodes,seconds\n{}{new}", old.concat()));
    let found = json(&shell, "mold estimate runs.csv --machine new --nodes 1,4 --json");
    let four = &found["estimates"]["ST"]["details"]["4"];
    assert_eq!(four["method"], json!("curve of old"));
    assert!((found["estimates"]["ST"]["estimates"]["4"].as_f64().unwrap() - 60.0).abs() < 1e-9, "{found}");
    assert_eq!(found["estimates"]["ST"]["details"]["1"]["method"], json!("measured"));
}

#[test]
fn the_habits_of_a_slurm_can_be_those_of_a_site() {
    let shell = shell();
    let late = json(&shell, "mold simulate jobs.json --policy slurm --delay '5 s' --interval 0 --json");
    assert_eq!(late["jobs"][0][1], json!(5.0));
    let refused = shell.run("mold simulate jobs.json --policy easy --delay 5");
    assert!(refused.exit == 2 && refused.stderr.contains("--policy slurm"), "{refused}");
}
