//! `onceflow run --executor simulated`: figures of a machine that is not there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod shell;
mod studies;

use serde_json::Value;
use shell::Shell;
use studies::STUDY;

const MACHINE: &str = "[[node]]\ncount = 3\ncpus = 2\nmemory = \"1 GiB\"\n";

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.write("machine.toml", MACHINE);
    shell
}

const SIMULATE: &str = "run study.toml --executor simulated --machine machine.toml";

fn simulate(shell: &Shell, more: &str) -> Value {
    shell.ok(format!("{SIMULATE} --costs none --json {more}").trim()).json()
}

#[test]
fn the_same_figures_come_every_time_and_nothing_is_computed() {
    let shell = shell();
    let first = simulate(&shell, "--noise 0.2 -o out");
    assert_eq!(first, simulate(&shell, "--noise 0.2"));
    assert_eq!(first["nodes"].as_array().unwrap().len(), 3);
    assert!(first["makespan"].as_f64().unwrap() > 0.0);
    let trace: Value = serde_json::from_str(&shell.read("out/trace.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    assert_eq!(events.len() as u64, first["computed"].as_u64().unwrap());
    assert!(events.iter().all(|event| !event["args"]["cause"].as_str().unwrap().is_empty()));
    assert!(!shell.exists("out/rows.csv"));
}

#[test]
fn costs_that_were_exported_are_what_counts() {
    let shell = shell();
    let declared = simulate(&shell, "");
    let line = |operation: &str| {
        format!(
            "{{\"operation\":\"{operation}\",\"version\":2,\"device\":\"cpu\",\"pixels\":65536,\"seconds\":1000,\"output_bytes\":1}}\n"
        )
    };
    let lines: String = (0..5).map(|_| line("colour.transfer")).collect();
    shell.write("costs.jsonl", &lines);
    let measured = shell.ok(&format!("{SIMULATE} --costs costs.jsonl --json")).json();
    assert_eq!(measured["costs"]["measured"], 1);
    assert!(measured["makespan"].as_f64().unwrap() > 100.0 * declared["makespan"].as_f64().unwrap());
}

#[test]
fn every_policy_computes_the_same_tasks_on_one_node() {
    let shell = shell();
    shell.write("machine.toml", "[[node]]\ncpus = 4\nmemory = \"1 GiB\"\n");
    let computed = |policy: &str| simulate(&shell, &format!("--policy {policy}"))["computed"].clone();
    let expected = computed("reservation");
    for policy in ["fcfs", "rmsr:2", "pats", "pats+locality+prefetch"] {
        assert_eq!(computed(policy), expected, "{policy}");
    }
}

#[test]
fn what_cannot_be_simulated_says_why() {
    let shell = shell();
    shell.write("machine.toml", "[[node]]\ncpus = 0\nmemory = \"1 GiB\"\nmemroy = 3\n");
    let said = shell.run(SIMULATE);
    assert_eq!(said.exit, 2, "{said}");
    assert!(said.stderr.contains("a node without cores") && said.stderr.contains("memroy"), "{said}");
    shell.write("machine.toml", "[[node]]\ncpus = 1\nmemory = \"1 kB\"\n");
    let said = shell.run(SIMULATE);
    assert!(said.exit == 4 && said.stderr.contains("memory bound"), "{said}");
    let said = shell.run("run study.toml -o x --policy pats");
    assert!(said.exit == 2 && said.stderr.contains("policy `pats` needs a machine with GPUs"), "{said}");
}

#[test]
fn a_replay_takes_as_long_as_what_the_run_executed() {
    let shell = shell();
    shell.write("machine.toml", "[[node]]\ncpus = 1\nmemory = \"1 GiB\"\n");
    let makespan = |more: &str| simulate(&shell, more)["makespan"].as_f64().unwrap();
    for level in ["none", "dataflow"] {
        shell.ok(&format!("run study.toml -o {level} --reuse {level} --costs none"));
        let (alone, replayed) =
            (makespan(&format!("--reuse {level}")), makespan(&format!("--reuse {level} --replay {level}")));
        assert!((alone - replayed).abs() < 1e-9 * alone, "all that was planned ran at {level}");
    }
    shell.ok("run study.toml -o object --costs none");
    let (dataflow, object) = (makespan("--reuse dataflow"), makespan("--replay object"));
    assert!(object < dataflow, "{object} of {dataflow}");
    let run: Value = serde_json::from_str(&shell.read("object/run.json")).unwrap();
    assert!(run["objects"]["t6_flood"]["known"].as_u64().unwrap() > 0, "the study must have known objects");
    let said = shell.run(&format!("{SIMULATE} --replay nowhere"));
    assert!(said.exit != 0 && said.stderr.contains("nowhere"), "{said}");
    shell.write("broken/trace.json", "{}");
    shell.write("broken/run.json", "{}");
    let said = shell.run(&format!("{SIMULATE} --replay broken"));
    assert!(said.exit == 2 && said.stderr.contains("traceEvents"), "{said}");
}
