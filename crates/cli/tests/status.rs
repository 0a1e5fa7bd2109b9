//! How far a run is: from another terminal, and as events for programs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use serde_json::Value;
use shell::Shell;
use studies::{STUDY, changed};

fn events(shell: &Shell, name: &str) -> Vec<Value> {
    shell.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

#[test]
fn every_task_and_every_row_is_an_event() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let run: Value =
        serde_json::from_str(&shell.ok("run study.toml -o first --events events.jsonl --json").stdout)
            .unwrap();
    let events = events(&shell, "events.jsonl");
    assert!(events.iter().all(|event| event["version"] == 1 && event["s"].is_f64()));
    // Tasks whose objects were all known were run, too.
    let ran = [&run["tasks"]["computed"], &run["tasks"]["by"]["object"]].map(|count| count.as_u64().unwrap());
    assert_eq!(of(&events, "task").len() as u64, ran.iter().sum::<u64>());
    assert_eq!(of(&events, "row").len(), 17);
    assert!(of(&events, "row").iter().all(|row| row["status"] == "ok" && row["image"] == "one"));
    let (first, last) = (events.first().unwrap(), events.last().unwrap());
    assert_eq!(
        (&first["event"], &first["phase"], &first["instances"]),
        (&"phase".into(), &"screen".into(), &17.into())
    );
    assert_eq!((&last["event"], &last["ending"]), (&"end".into(), &"complete".into()));
}

#[test]
fn a_complete_run_says_so() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.ok("run study.toml -o first");
    let said = shell.ok("status first").stdout;
    assert!(said.starts_with("first  complete after "), "{said}");
    assert!(said.contains("screen  17 of 17 instances\n"), "{said}");
    let status: Value = serde_json::from_str(&shell.ok("status first --watch --json").stdout).unwrap();
    let stages = status["stages"].as_array().unwrap();
    assert!(stages.iter().all(|stage| stage["computed"] == stage["planned"]), "{status}");
}

#[test]
fn a_folder_without_a_run_has_no_status() {
    let shell = Shell::new();
    shell
        .write("empty/note.txt", "x")
        .write("odd/status.json", "{")
        .write("deep/status.json", "[".repeat(100_000));
    shell.write("other/status.json", "{\"version\": 1, \"stages\": 3}");
    let (none, damaged) = ("is not the folder of a run", "status.json is damaged");
    for (folder, words) in
        [("nowhere", none), ("empty", none), ("other", none), ("odd", damaged), ("deep", damaged)]
    {
        let said = shell.run(&format!("status {folder}"));
        assert_eq!(said.exit, 2, "{said}");
        assert!(said.stderr.contains(words), "{said}");
    }
}

#[test]
#[cfg(unix)]
fn a_run_is_seen_from_outside_while_it_goes_on_and_after_it_was_killed() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let shell = Shell::new();
    shell.write("study.toml", changed("trajectories = 4", "trajectories = 24").replace("96x80", "1000x800"));
    let mut command = shell::command(&shell.path(""));
    command.args(["run", "study.toml", "-o", "first", "--reuse", "none"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    let status = |shell: &Shell| -> Option<Value> {
        serde_json::from_str(&shell.run("status first --json").stdout).ok()
    };
    let seen = loop {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing was seen of it");
        match status(&shell) {
            Some(status) if status["state"] == "running" => break status,
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    assert_eq!(seen["process"], child.id());
    assert_eq!(seen["instances"]["of"], 97);
    child.kill().unwrap();
    child.wait().unwrap();
    let said = shell.run("status first");
    assert_eq!(said.exit, 1, "{said}");
    assert!(
        said.stdout.contains("interrupted after ") && said.stdout.contains("onceflow run continues it"),
        "{said}"
    );
}

#[test]
fn events_that_cannot_be_written_are_refused_before_anything_runs() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let said = shell.run("run study.toml -o first --events nowhere/events.jsonl");
    assert_eq!(said.exit, 3, "{said}");
    assert!(said.stderr.contains("nowhere/events.jsonl"), "{said}");
    assert!(!shell.exists("first/rows.csv"));
}

#[test]
fn events_of_a_killed_run_are_replaced_and_files_of_the_user_are_not() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let run = "run study.toml -o first --events events.jsonl";
    shell.ok(run);
    let whole = shell.read("events.jsonl");
    // The run is complete: nothing is written, so the file stays as it is, and stays of the command.
    shell.ok(run);
    assert_eq!(shell.read("events.jsonl"), whole);
    // A killed run leaves events without an end.
    let killed = whole.lines().take(5).collect::<Vec<_>>().join("\n");
    shell.write("killed.jsonl", &killed);
    shell.ok("run study.toml -o second --events killed.jsonl");
    assert_ne!(shell.read("killed.jsonl"), killed);
    // What the user added is the user's.
    shell.write("events.jsonl", whole.clone() + "mine\n");
    let said = shell.run("run study.toml -o third --events events.jsonl");
    assert_eq!(said.exit, 2, "{said}");
    assert!(said.stderr.contains("events.jsonl exists already"), "{said}");
    assert!(!shell.exists("third"), "the file is looked at before the folder is made");
}

#[test]
fn events_replace_neither_the_study_nor_a_file_that_a_complete_run_leaves_alone() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let said = shell.run("run study.toml -o first --events study.toml --force");
    assert_eq!(said.exit, 2, "{said}");
    assert_eq!(shell.read("study.toml"), STUDY);
    shell.ok("run study.toml -o first");
    shell.write("notes.txt", "mine\n");
    let again = "run study.toml -o first --events notes.txt";
    assert_eq!(shell.run(again).exit, 2);
    assert_eq!(shell.read("notes.txt"), "mine\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_the_shell_opened_takes_events() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    let script = format!(
        "{} run study.toml -o first --events /dev/fd/3 3>events.jsonl",
        env!("CARGO_BIN_EXE_onceflow")
    );
    let mut command = std::process::Command::new("sh");
    let status =
        command.args(["-c", &script]).current_dir(shell.path(".")).env("ONCEFLOW_STORE", "none").status();
    assert!(status.unwrap().success());
    assert!(!of(&events(&shell, "events.jsonl"), "end").is_empty());
}

#[test]
fn damaged_files_of_a_run_are_said_and_not_taken_for_empty_ones() {
    let shell = Shell::new();
    shell.write("study.toml", STUDY);
    shell.ok("run study.toml -o first");
    let (status, indices) = (shell.read("first/status.json"), shell.read("first/indices.json"));
    shell.write("first/status.json", &status[..status.len() / 2]);
    let said = shell.run("status first");
    assert_eq!((said.exit, said.stderr.contains("first/status.json is damaged")), (2, true), "{said}");
    shell.write("first/status.json", status.replace("\"computed\"", "\"counted\""));
    assert_eq!(shell.run("status first").exit, 2, "a number that is missing is not a 0");
    shell.write("first/indices.json", &indices[..indices.len() / 2]);
    for command in ["plan first", "why first --row 3"] {
        let said = shell.run(command);
        assert_eq!((said.exit, said.stderr.contains("first/indices.json is damaged")), (2, true), "{said}");
    }
}
