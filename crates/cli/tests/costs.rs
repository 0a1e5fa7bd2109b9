//! What tasks cost is remembered from run to run: plans predict by it, and nothing else depends on it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use std::collections::BTreeMap;
use std::path::Path;

use shell::{Said, Shell};
use studies::{STUDY, changed};

const USERS: &str = "state/onceflow/costs.jsonl";

fn shell() -> Shell {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell
}

/// Runs with the folder `state` as that of the user's state, and no word about costs in the environment.
fn as_user(shell: &Shell, words: &str) -> Said {
    let mut command = shell::command(&shell.path(""));
    command.env_remove("ONCEFLOW_COSTS").env("XDG_STATE_HOME", shell.path("state"));
    let output = command.args(words.split(' ')).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let said = Said {
        exit: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    };
    assert_eq!(said.exit, 0, "onceflow {words}\n{said}");
    said
}

fn time(said: &Said) -> &str {
    said.stdout.lines().find(|line| line.starts_with("time ")).unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn a_plan_says_where_its_seconds_come_from() {
    let shell = shell();
    assert!(time(&as_user(&shell, "plan study.toml")).ends_with("(declared costs)"));
    assert!(!Path::new(&shell.path("state")).exists(), "a plan writes nothing");
    as_user(&shell, "run study.toml -o first");
    let tasks = || shell.read(USERS).lines().filter(|line| line.contains("\"device\"")).count();
    let lines = tasks();
    let measured = format!("(measured: {lines} tasks on this machine)");
    for words in ["plan study.toml", "run study.toml --dry-run"] {
        let said = as_user(&shell, &format!("{words} --granularity written"));
        assert!(time(&said).ends_with(&measured), "{measured}: {said}");
    }
    assert_eq!(tasks(), lines);
    let json = as_user(&shell, "plan study.toml --json --granularity written").json();
    assert_eq!(json["costs"]["records"].as_u64(), Some(lines as u64));
    assert_eq!(json["costs"]["declared"], 0);
    as_user(&shell, "run study.toml -o second");
    assert!(tasks() > lines, "every run adds");
}

#[test]
fn what_was_measured_decides_how_fine_tasks_are_and_what_is_declared_does_not() {
    let shell = shell();
    let grain = |said: &Said| said.stdout.lines().filter(|line| line.starts_with("grain ")).count();
    assert_eq!(grain(&as_user(&shell, "plan study.toml")), 0);
    as_user(&shell, "run study.toml -o first");
    assert!(grain(&as_user(&shell, "plan study.toml")) > 0, "tasks on a tiny part are fused");
    assert_eq!(grain(&as_user(&shell, "plan study.toml --reuse task")), 0, "a way of the papers");
    as_user(&shell, "run study.toml -o second");
    assert_eq!(shell.read("first/rows.csv"), shell.read("second/rows.csv"));
    assert!(shell.read("second/granularity.json").contains("fused"));
}

#[test]
fn a_prediction_is_the_mean_of_each_operation_times_its_tasks() {
    let shell = shell();
    shell.ok("run study.toml -o first --reuse none");
    let declared = shell.ok("plan study.toml --reuse none --json").json();
    let measured = shell.ok("plan study.toml --reuse none --json --costs first/costs.jsonl").json();
    let mut operations: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for line in shell.read("first/costs.jsonl").lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let of_operation = operations.entry(record["operation"].to_string()).or_default();
        of_operation.push(record["seconds"].as_f64().unwrap());
    }
    let expected: f64 = operations.values_mut().map(|seconds| mean(seconds) * seconds.len() as f64).sum();
    let predicted = measured["cost"]["planned"].as_f64().unwrap();
    assert!((predicted / expected - 1.0).abs() < 0.01, "{predicted} predicted, {expected} expected");
    assert_ne!(declared["cost"]["planned"].as_f64(), Some(predicted));
}

/// The mean without what took many times longer than most, as a task does during which the machine did something else.
fn mean(seconds: &mut [f64]) -> f64 {
    seconds.sort_by(f64::total_cmp);
    let most = 8.0 * seconds[3 * (seconds.len() - 1) / 4];
    let usual: Vec<f64> = seconds.iter().copied().filter(|seconds| *seconds <= most).collect();
    usual.iter().sum::<f64>() / usual.len() as f64
}

#[test]
fn few_records_of_each_operation_are_remembered() {
    let shell = shell();
    shell.write("study.toml", changed("trajectories = 4", "trajectories = 6"));
    shell.ok("run study.toml -o first --reuse none --costs c.jsonl");
    let (all, some) = (shell.read("first/costs.jsonl"), shell.read("c.jsonl"));
    assert_eq!(all.lines().count(), 25 * 12);
    let of = |text: &str| text.lines().filter(|line| line.contains("nuclei.grow")).count();
    assert_eq!((of(&all), of(&some)), (25, 20));
    assert!(some.lines().all(|line| all.contains(line)), "they are records of the run");
    let device = serde_json::from_str::<serde_json::Value>(some.lines().next().unwrap()).unwrap();
    assert!(device["device"].as_str().unwrap().starts_with("cpu "), "{device}");
}

#[test]
fn what_a_run_finds_does_not_depend_on_it() {
    let shell = shell();
    shell.write("odd.jsonl", "{\"operation\":\"nuclei.grow\"\nnonsense\n");
    shell.ok("run study.toml -o none --costs none");
    shell.ok("run study.toml -o odd --costs odd.jsonl");
    shell.ok("run study.toml -o again --costs odd.jsonl");
    for name in ["rows.csv", "metrics.csv", "indices.json", "best.json"] {
        for folder in ["odd", "again"] {
            assert_eq!(shell.read(&format!("{folder}/{name}")), shell.read(&format!("none/{name}")));
        }
    }
    let said = shell.ok("plan study.toml --costs odd.jsonl");
    assert!(said.stderr.contains("warning: 2 of "), "{said}");
    assert!(time(&said).contains("(measured: "), "{said}");
}

#[test]
fn a_file_that_cannot_be_used_is_a_warning() {
    let shell = shell();
    let said = shell.ok("run study.toml -o first --costs study.toml/costs.jsonl");
    assert!(
        said.stderr.contains("warning: the costs of this run cannot be remembered in study.toml/"),
        "{said}"
    );
    assert!(shell.exists("first/run.json"));
    let said = shell.ok("plan study.toml --costs first");
    assert!(said.stderr.contains("warning: costs of earlier runs cannot be read from first"), "{said}");
    assert!(time(&said).ends_with("(declared costs)"), "{said}");
    assert!(shell.ok("plan study.toml --costs none").stderr.lines().count() == 1, "nothing to warn of");
}

#[test]
fn the_command_line_goes_over_the_environment() {
    let shell = shell();
    let named = shell.run_with("run study.toml -o a", "", &[("ONCEFLOW_COSTS", "named.jsonl")]);
    assert_eq!(named.exit, 0);
    assert!(shell.exists("named.jsonl"));
    let other = shell.run_with("run study.toml -o b --costs o.jsonl", "", &[("ONCEFLOW_COSTS", "x.jsonl")]);
    assert_eq!(other.exit, 0);
    assert!(shell.exists("o.jsonl") && !shell.exists("x.jsonl") && !shell.exists("none"));
}

/// What an operation holds beside what it makes is measured, and no more than was declared for its pixels, but for tables
/// of a fixed size that matter in tiny parts only.
#[test]
fn memory_of_operations_is_remembered() {
    let shell = shell();
    shell.ok("run study.toml -o run");
    let text = shell.read("run/costs.jsonl");
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let scratch = |line: &serde_json::Value| line["scratch_bytes"].as_u64().unwrap_or_default();
    let of_splits =
        |line: &serde_json::Value| line["operation"] == "nuclei.split" && !line["device"].is_null();
    let splits: Vec<_> = lines.filter(of_splits).collect();
    assert!(!splits.is_empty() && splits.iter().all(|line| scratch(line) > 0), "{text}");
    let (declared, fixed) = (32, 1 << 20);
    let pixels = |line: &serde_json::Value| line["pixels"].as_u64().unwrap();
    assert!(splits.iter().all(|line| scratch(line) <= declared * pixels(line) + fixed), "{splits:?}");
}

#[test]
fn what_a_run_finds_is_foreseen_by_the_next_plan() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let plan =
        |level: &str| shell.ok(&format!("plan study.toml --costs costs.jsonl --reuse {level} --json")).json();
    let before = plan("object");
    assert_eq!(before["expected"]["findings"], 0);
    assert_eq!(before["expected"]["makespan_s"], before["makespan_s"]);
    let ran = shell.ok("run study.toml -o out --costs costs.jsonl --json").json();
    assert!(
        ran["tasks"]["by"]["object"].as_f64().unwrap() + ran["tasks"]["by"]["convergent"].as_f64().unwrap()
            > 0.0
    );
    let (object, dataflow) = (plan("object"), plan("dataflow"));
    assert_eq!(object["expected"]["findings"], 1);
    let seconds = |plan: &serde_json::Value| plan["expected"]["makespan_s"].as_f64().unwrap();
    assert!(seconds(&object) < object["makespan_s"].as_f64().unwrap(), "{object}");
    assert_eq!(
        seconds(&dataflow),
        dataflow["makespan_s"].as_f64().unwrap(),
        "no plan at this level looks for it"
    );
    let said = shell.ok("plan study.toml --costs costs.jsonl").stdout;
    assert!(said.contains("as in 1 earlier phase"), "{said}");
    assert!(shell.read("out/costs.jsonl").contains("\"met\""), "a run's own file is one to plan by, too");
}
